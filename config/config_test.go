package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/askbridge/bridge/config"
)

// clean empties the environment of settings for one test.
func clean(t *testing.T) {
	t.Helper()
	for _, kv := range os.Environ() {
		if name, _, _ := strings.Cut(kv, "="); strings.HasPrefix(name, "BRIDGE_") {
			t.Setenv(name, "")
		}
	}
	t.Setenv("HOME", "/home/ann")
	t.Setenv("XDG_STATE_HOME", "")
}

func set(t *testing.T, kv ...string) {
	t.Helper()
	clean(t)
	for i := 0; i < len(kv); i += 2 {
		t.Setenv(kv[i], kv[i+1])
	}
}

func TestDefaults(t *testing.T) {
	clean(t)
	cfg, warnings, err := config.Load()
	if err != nil || len(warnings) != 0 {
		t.Fatal(err, warnings)
	}
	if cfg.Listen != "127.0.0.1:8787" || cfg.Grace != 15*time.Minute || cfg.Linger != time.Minute ||
		cfg.Handover != 24*time.Hour || cfg.Retention != 168*time.Hour || cfg.CallerOpen != 1000 || !cfg.Inbox || cfg.Locale != "en" {
		t.Errorf("%+v", cfg)
	}
	if want := filepath.Join("/home/ann", ".local/state/bridge"); cfg.StateDir != want || cfg.StorePath != filepath.Join(want, "bridge.db") {
		t.Errorf("%s %s", cfg.StateDir, cfg.StorePath)
	}
}

func TestUnprefixedAndKubernetesVariablesAreNothing(t *testing.T) {
	set(
		t, "LISTEN", "0.0.0.0:1", "GRACE", "1s", "STORE", "redis://x", "BRIDGE_PORT", "tcp://10.0.0.1:80",
		"BRIDGE_SERVICE_HOST", "10.0.0.1", "BRIDGE_PORT_80_TCP", "x", "BRIDGE_URL", "http://127.0.0.1:1", "BRIDGE_TOKEN", "t",
	)
	cfg, warnings, err := config.Load()
	if err != nil || len(warnings) != 0 || cfg.Listen != "127.0.0.1:8787" || cfg.Grace != 15*time.Minute {
		t.Errorf("%+v %v %v", cfg, warnings, err)
	}
}

func TestEveryFaultAtOnceAndNoSecret(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("xoxb-from-a-file"), 0o600); err != nil {
		t.Fatal(err)
	}
	set(
		t, "BRIDGE_LISTEN", "8787", "BRIDGE_PUBLIC_URL", "ftp://x", "BRIDGE_GRACE", "-1m", "BRIDGE_LINGER", "soon",
		"BRIDGE_CALLER_OPEN", "0", "BRIDGE_LOG_LEVEL", "loud", "BRIDGE_LOG_FORMAT", "xml", "BRIDGE_LOCALE", "fr",
		"BRIDGE_INBOX", "yes", "BRIDGE_STORE", "redis://user:password@host:6379/0", "BRIDGE_POLICY_FILE", "policy.yaml",
		"BRIDGE_SLACK_BOT_TOKEN", "xoxb-in-the-open", "BRIDGE_SLACK_BOT_TOKEN_FILE", file,
		"BRIDGE_DISCORD_BOT_TOKEN_FILE", file, "BRIDGE_SLACK_SIGNING_SECRET_FILE", filepath.Join(t.TempDir(), "none"),
	)
	_, _, err := config.Load()
	if err == nil {
		t.Fatal("accepted")
	}
	lines := strings.Split(err.Error(), "\n")
	for _, name := range []string{
		"LISTEN", "PUBLIC_URL", "GRACE", "LINGER", "CALLER_OPEN", "LOG_LEVEL", "LOG_FORMAT", "LOCALE", "INBOX", "STORE",
		"POLICY_FILE", "SLACK_BOT_TOKEN", "DISCORD_BOT_TOKEN", "SLACK_SIGNING_SECRET_FILE",
	} {
		n := 0
		for _, line := range lines {
			if strings.HasPrefix(line, "BRIDGE_"+name+" ") {
				n++
			}
		}
		if n != 1 {
			t.Errorf("%d lines about %s in:\n%v", n, name, err)
		}
	}
	if len(lines) != 14 {
		t.Errorf("%d lines:\n%v", len(lines), err)
	}
	for _, secret := range []string{"xoxb", "password"} {
		if strings.Contains(err.Error(), secret) {
			t.Errorf("%q was printed:\n%v", secret, err)
		}
	}
}

func TestUnknownNamesTheNearest(t *testing.T) {
	set(t, "BRIDGE_LISTN", "x", "BRIDGE_TOKEN_FILES", "y")
	_, warnings, err := config.Load()
	if err != nil || len(warnings) != 2 || !strings.HasSuffix(warnings[0], "BRIDGE_LISTEN?") || !strings.HasSuffix(warnings[1], "BRIDGE_TOKENS_FILE?") {
		t.Errorf("%v %v", warnings, err)
	}
}

func TestTheDocumentationNamesEverySetting(t *testing.T) {
	raw, err := os.ReadFile("../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range config.Settings {
		row := "| `BRIDGE_" + s.Name + "` |"
		i := strings.Index(string(raw), row)
		if i < 0 {
			t.Errorf("no row %s", row)
			continue
		}
		line, _, _ := strings.Cut(string(raw)[i:], "\n")
		if s.Default != "" && !strings.Contains(line, "`"+s.Default+"`") {
			t.Errorf("%s does not say the default %s", line, s.Default)
		}
	}
}
