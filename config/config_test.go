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

// faults loads and gives one line for each fault.
func faults(t *testing.T, kv ...string) []string {
	t.Helper()
	set(t, kv...)
	_, _, err := config.Load()
	if err == nil {
		return nil
	}
	return strings.Split(err.Error(), "\n")
}

func TestEmptyIsUnset(t *testing.T) {
	var kv []string
	for _, s := range config.Settings {
		kv = append(kv, "BRIDGE_"+s.Name, "")
		if s.Secret {
			kv = append(kv, "BRIDGE_"+s.Name+"_FILE", "")
		}
	}
	set(t, append(kv, "BRIDGE_LISTN", "")...)
	cfg, warnings, err := config.Load()
	if err != nil || len(warnings) != 0 || cfg.Listen != "127.0.0.1:8787" || !cfg.Inbox {
		t.Errorf("%+v %v %v", cfg, warnings, err)
	}
}

func TestOneFault(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(empty, []byte("\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, value, says string }{
		{"LISTEN", "127.0.0.1:65536", "address and a port"},
		{"LISTEN", "127.0.0.1:http", "address and a port"},
		{"PUBLIC_URL", "https://ann:hunter2@bridge.example.com", "http or https URL"},
		{"CALLER_OPEN", "5 x", "whole number"},
		{"STORE", "redis-sentinel://:hunter2@a,b/0", "a redis-sentinel store, which is for a later version"},
		{"STORE", "redis-hunter2", "must be file:PATH"},
		{"STORE", "file:", "must be file:PATH"},
		{"STORE_WAIT", "1", "is for a later version"},
		{"STORE_WAIT", "all", "a whole number from 0"},
		{"MCP_SOFT_DEADLINE", "off", "is for a later version"},
		{"MCP_SOFT_DEADLINE", "hunter2", "auto, off or a duration"},
		{"SLACK_API_URL", "https://slack.com/api/", "is for a later version; this one"},
		{"SLACK_API_URL", "http://127.0.0.1:9/api/", "is for a later version; this one"},
		{"SLACK_API_URL", "http://[::1]:9/api/", "is for a later version; this one"},
		{"SLACK_API_URL", "http://slack.example/api/", "an https URL, or one on loopback"},
		{"DISCORD_API_URL", "https://:hunter2@discord.example/api/", "an https URL, or one on loopback"},
		{"DISCORD_API_URL", "https://discord.example/api", "ends in a slash"},
		{"SLACK_BOT_TOKEN_FILE", empty, "empty file"},
	} {
		t.Run(c.name+"="+filepath.Base(c.value), func(t *testing.T) {
			lines := faults(t, "BRIDGE_"+c.name, c.value)
			if len(lines) != 1 || !strings.HasPrefix(lines[0], "BRIDGE_"+c.name+" ") || !strings.Contains(lines[0], c.says) {
				t.Errorf("%q, want one fault with %q", lines, c.says)
			}
			if strings.Contains(strings.Join(lines, ""), "hunter2") {
				t.Errorf("a secret was printed: %q", lines)
			}
		})
	}
}

func TestADefaultMayBeSaid(t *testing.T) {
	for _, s := range config.Settings {
		if s.Default == "" {
			continue
		}
		if lines := faults(t, "BRIDGE_"+s.Name, s.Default); lines != nil {
			t.Errorf("%s=%s, its default: %q", s.Name, s.Default, lines)
		}
	}
}

func TestNoHomeIsAFaultNotASharedDirectory(t *testing.T) {
	lines := faults(t, "HOME", "")
	if len(lines) != 1 || !strings.HasPrefix(lines[0], "BRIDGE_STATE_DIR ") {
		t.Errorf("%q", lines)
	}
	set(t, "HOME", "", "XDG_STATE_HOME", "/var/lib/x")
	if cfg, _, err := config.Load(); err != nil || cfg.StateDir != "/var/lib/x/bridge" {
		t.Errorf("%q %v", cfg.StateDir, err)
	}
}

func TestSecretOfTheCommandLine(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("from-a-file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ variable, file, want, fault string }{
		{},
		{variable: "open", want: "open"},
		{file: file, want: "from-a-file"},
		{variable: "open", file: file, fault: "both set"},
		{file: file + ".none", fault: "BRIDGE_TOKEN_FILE cannot be read"},
	} {
		set(t, "BRIDGE_TOKEN", c.variable, "BRIDGE_TOKEN_FILE", c.file)
		got, err := config.Secret("TOKEN")
		if got != c.want || (err != nil) != (c.fault != "") || err != nil && !strings.Contains(err.Error(), c.fault) {
			t.Errorf("%+v: %q %v", c, got, err)
		}
	}
}

func TestExplainNamesWhatCanBeSet(t *testing.T) {
	for _, s := range config.Settings {
		named := strings.Contains(config.Explain(), "BRIDGE_"+s.Name+" ")
		if named == s.Later() {
			t.Errorf("%s: for a later version %v, explained %v", s.Name, s.Later(), named)
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

func TestChoicesAreNamedInFull(t *testing.T) {
	set(t, "BRIDGE_INBOX", "x", "BRIDGE_LOG_FORMAT", "x", "BRIDGE_LOCALE", "x")
	_, _, err := config.Load()
	for _, want := range []string{"must be on or off", "must be text or json", "must be en or zh"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
}
