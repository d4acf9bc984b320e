// Package config reads the environment: every setting is a variable with the prefix BRIDGE_.
//
// It loads, joins, validates and explains. All faults are named at once, with what would be right, and no secret is ever
// printed. It starts nothing and opens nothing but the files that the environment names.
package config

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kelseyhightower/envconfig"
)

// Config is what the environment says, checked.
type Config struct {
	Listen       string
	PublicURL    string // "" = the listen URL
	AllowedHosts []string
	StateDir     string
	StorePath    string
	TokensFile   string
	Grace        time.Duration
	Linger       time.Duration
	Handover     time.Duration
	Retention    time.Duration
	CallerOpen   int
	LogLevel     slog.Level
	LogFormat    string // text, json, or "" for text on a terminal
	Locale       string
	Inbox        bool
}

// prefix of every setting. One that carries it in its tag would fall back to the variable without it, so no field has a
// tag with a name: the name comes from the field (envconfig 1.4.0).
const prefix = "BRIDGE"

// environment is what envconfig fills: strings alone, since it stops at the first value that it cannot parse and prints
// it.
type environment struct {
	Listen        string `split_words:"true"`
	PublicUrl     string `split_words:"true"`
	AllowedHosts  string `split_words:"true"`
	StateDir      string `split_words:"true"`
	Store         string `split_words:"true"`
	StorePrefix   string `split_words:"true"`
	StoreWait     string `split_words:"true"`
	TokensFile    string `split_words:"true"`
	PolicyFile    string `split_words:"true"`
	Grace         string `split_words:"true"`
	Linger        string `split_words:"true"`
	Handover      string `split_words:"true"`
	Retention     string `split_words:"true"`
	CallerOpen    string `split_words:"true"`
	LogLevel      string `split_words:"true"`
	LogFormat     string `split_words:"true"`
	Locale        string `split_words:"true"`
	Inbox         string `split_words:"true"`
	SlackBotToken string `split_words:"true"`
	SlackAppToken string `split_words:"true"`

	SlackSigningSecret   string `split_words:"true"`
	SlackChannel         string `split_words:"true"`
	SlackApiUrl          string `split_words:"true"`
	DiscordBotToken      string `split_words:"true"`
	DiscordChannel       string `split_words:"true"`
	DiscordApplicationId string `split_words:"true"`
	DiscordPublicKey     string `split_words:"true"`
	DiscordApiUrl        string `split_words:"true"`
	McpSoftDeadline      string `split_words:"true"`
	McpTasks             string `split_words:"true"`
}

// Load reads the environment of the process. On an error every fault is in it, one line each.
func Load() (cfg Config, warnings []string, err error) {
	var env environment
	if err := envconfig.Process(prefix, &env); err != nil {
		return cfg, nil, errors.New("config: the environment cannot be read") // strings cannot fail to parse
	}
	l := &loader{env: env, values: map[string]string{}}
	for _, s := range Settings {
		l.read(s)
	}
	cfg = l.config()
	return cfg, unknown(os.Environ()), errors.Join(l.faults...)
}

// loader collects every fault.
type loader struct {
	env    environment
	values map[string]string // by setting name, defaults filled in
	faults []error
}

func (l *loader) fault(name, format string, args ...any) {
	l.faults = append(l.faults, fmt.Errorf("%s_%s %s", prefix, name, fmt.Sprintf(format, args...)))
}

// read takes one setting: its variable, or for a secret the file that …_FILE names.
func (l *loader) read(s Setting) {
	value := s.of(&l.env)
	if s.Secret {
		value = l.secret(s.Name, value)
	}
	if value == "" {
		value = s.Default
	}
	l.values[s.Name] = value
	switch {
	case !s.later || value == s.Default: // its default asks for nothing
	case s.shape != nil && !s.shape(value):
		l.fault(s.Name, "is not valid; it must be %s. It is for a later version; this one does not have it: unset it", s.right)
	default:
		l.fault(s.Name, "is for a later version; this one does not have it: unset it")
	}
}

func (l *loader) secret(name, value string) string {
	file := os.Getenv(prefix + "_" + name + "_FILE")
	switch {
	case file == "":
		return value
	case value != "":
		l.fault(name, "and %s_%s_FILE are both set; set one of them", prefix, name)
		return ""
	}
	raw, err := os.ReadFile(file)
	value = strings.TrimSpace(string(raw))
	switch {
	case err != nil:
		l.fault(name+"_FILE", "cannot be read: %v", errors.Unwrap(err))
	case value == "":
		l.fault(name+"_FILE", "names an empty file; put the secret into it, or unset it")
	}
	return value
}

// Secret is a secret of the command line's own: the variable, or the file that …_FILE names. Empty = there is none.
func Secret(name string) (string, error) {
	l := &loader{}
	value := l.secret(name, os.Getenv(prefix+"_"+name))
	return value, errors.Join(l.faults...)
}

func (l *loader) config() Config {
	state, err := StateDir()
	if err != nil {
		l.faults = append(l.faults, err)
	}
	cfg := Config{
		Listen: l.listen(), PublicURL: l.public(), AllowedHosts: strings.FieldsFunc(l.values["ALLOWED_HOSTS"], separator),
		StateDir: state, StorePath: l.store(state), TokensFile: l.values["TOKENS_FILE"],
		Grace: l.duration("GRACE"), Linger: l.duration("LINGER"), Handover: l.duration("HANDOVER"),
		Retention: l.duration("RETENTION"), CallerOpen: l.count("CALLER_OPEN"),
		LogFormat: l.one("LOG_FORMAT", "", "text", "json"), Locale: l.one("LOCALE", "en", "zh"),
		Inbox: l.one("INBOX", "on", "off") == "on",
	}
	if err := cfg.LogLevel.UnmarshalText([]byte(l.values["LOG_LEVEL"])); err != nil {
		l.fault("LOG_LEVEL", "is %q; it must be debug, info, warn or error", l.values["LOG_LEVEL"])
	}
	return cfg
}

func separator(r rune) bool { return r == ',' || r == ' ' }

// StateDir is where the daemon on this machine keeps its state: what the command line needs of the configuration. Without
// a home it is not guessed: whoever makes a directory in a shared place first would own what is put into it.
func StateDir() (string, error) {
	if dir := os.Getenv(prefix + "_STATE_DIR"); dir != "" {
		return dir, nil
	}
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "bridge"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", errors.New(prefix + "_STATE_DIR is not set, nor is HOME; it must be a directory for the daemon's state")
	}
	return filepath.Join(home, ".local", "state", "bridge"), nil
}

func (l *loader) listen() string {
	at := l.values["LISTEN"]
	_, port, err := net.SplitHostPort(at)
	if _, bad := strconv.ParseUint(port, 10, 16); err != nil || bad != nil {
		l.fault("LISTEN", "is %q; it must be an address and a port, like 127.0.0.1:8787", at)
	}
	return at
}

func (l *loader) public() string {
	at := l.values["PUBLIC_URL"]
	u, err := url.Parse(at)
	if at != "" && (err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil) {
		l.fault("PUBLIC_URL", "is no http or https URL; it must be like https://bridge.example.com")
	}
	return strings.TrimSuffix(at, "/")
}

// laterStores are the schemes of stores for several replicas.
var laterStores = []string{"redis", "rediss", "redis-sentinel", "redis-cluster"}

// store is the path of the store's file. Other kinds of store are for a later version.
func (l *loader) store(state string) string {
	at := l.values["STORE"]
	path, isFile := strings.CutPrefix(at, "file:")
	scheme, _, _ := strings.Cut(at, "://")
	switch {
	case at == "":
		return filepath.Join(state, "bridge.db")
	case isFile && path != "":
		return path
	case slices.Contains(laterStores, scheme) && scheme != at:
		l.fault("STORE", "is a %s store, which is for a later version; this one has file:PATH", scheme)
	default:
		l.fault("STORE", "must be file:PATH")
	}
	return ""
}

func (l *loader) duration(name string) time.Duration {
	d, err := time.ParseDuration(l.values[name])
	if err != nil || d <= 0 {
		l.fault(name, "is %q; it must be a duration above zero, like 90s, 15m or 24h", l.values[name])
	}
	return d
}

func (l *loader) count(name string) int {
	n, err := strconv.Atoi(l.values[name])
	if err != nil || n < 1 {
		l.fault(name, "is %q; it must be a whole number from 1", l.values[name])
	}
	return n
}

func (l *loader) one(name string, allowed ...string) string {
	for _, a := range allowed {
		if l.values[name] == a {
			return a
		}
	}
	l.fault(name, "is %q; it must be %s", l.values[name], strings.TrimPrefix(strings.Join(allowed, " or "), " or "))
	return allowed[0]
}

// Local is the configuration of a daemon of its own in a directory, on a free loopback port, whatever the environment
// says.
func Local(dir string) Config {
	l := &loader{values: map[string]string{}}
	for _, s := range Settings {
		l.values[s.Name] = s.Default
	}
	l.values["LISTEN"] = "127.0.0.1:0"
	cfg := l.config() // its only fault can be that there is no state directory, and here is one
	cfg.StateDir, cfg.StorePath = dir, filepath.Join(dir, "bridge.db")
	return cfg
}
