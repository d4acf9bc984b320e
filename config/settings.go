package config

import (
	"cmp"
	"fmt"
	"net"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

// Setting is one variable of the environment.
type Setting struct {
	Name    string // without the prefix
	Default string // "" = none, or worked out as Text says
	Secret  bool   // never printed; also as …_FILE
	Text    string
	later   bool // known, refused: for a later version

	shape func(string) bool // of a later one: whether a value could be right; nil = any
	right string            // what would be
}

// Settings lists every setting, in the order of the documentation.
var Settings = []Setting{
	{Name: "LISTEN", Default: "127.0.0.1:8787", Text: "address and port of the daemon"},
	{Name: "PUBLIC_URL", Text: "how people reach the inbox; the listen URL where it is unset"},
	{Name: "ALLOWED_HOSTS", Text: "further host names by which a loopback listener may be called, separated by commas"},
	{Name: "STATE_DIR", Text: "directory of the store, the URL and the local token; `$XDG_STATE_HOME/bridge`, else `~/.local/state/bridge`"},
	{Name: "STORE", Text: "`file:PATH`; `file:$STATE_DIR/bridge.db` where it is unset"},
	{Name: "TOKENS_FILE", Text: "bearer tokens of agents, people and admins; read again on SIGHUP"},
	{Name: "LINGER", Default: "60s", Text: "how long a lost connection may come back before its request counts as detached"},
	{Name: "GRACE", Default: "15m", Text: "how long a detached request stays open, and an answer that nobody fetched counts as fresh"},
	{Name: "HANDOVER", Default: "24h", Text: "how long a request whose caller left on purpose (202) stays open"},
	{Name: "RETENTION", Default: "168h", Text: "how long what has ended is kept"},
	{Name: "CALLER_OPEN", Default: "1000", Text: "open requests per token"},
	{Name: "INBOX", Default: "on", Text: "`off` removes the inbox"},
	{Name: "LOCALE", Default: "en", Text: "language of what people read: `en` or `zh`"},
	{Name: "LOG_LEVEL", Default: "info", Text: "`debug`, `info`, `warn` or `error`"},
	{Name: "LOG_FORMAT", Text: "`text` or `json`; text on a terminal, else json, where it is unset"},

	{Name: "STORE_PREFIX", Default: "bridge", Text: "separates installations on one server"},
	{Name: "STORE_WAIT", Default: "0", later: true, Text: "replicas that must have a settle", shape: isCount, right: "a whole number from 0"},
	{Name: "POLICY_FILE", later: true, Text: "people and routes"},
	{Name: "SLACK_BOT_TOKEN", Secret: true, later: true, Text: "Slack"},
	{Name: "SLACK_APP_TOKEN", Secret: true, later: true, Text: "Slack, Socket Mode"},
	{Name: "SLACK_SIGNING_SECRET", Secret: true, later: true, Text: "Slack, HTTP"},
	{Name: "SLACK_CHANNEL", later: true, Text: "Slack"},
	{Name: "SLACK_API_URL", later: true, Text: "Slack", shape: isAPI, right: "an https URL, or one on loopback, that ends in a slash"},
	{Name: "DISCORD_BOT_TOKEN", Secret: true, later: true, Text: "Discord"},
	{Name: "DISCORD_CHANNEL", later: true, Text: "Discord"},
	{Name: "DISCORD_APPLICATION_ID", later: true, Text: "Discord"},
	{Name: "DISCORD_PUBLIC_KEY", later: true, Text: "Discord, HTTP"},
	{Name: "DISCORD_API_URL", later: true, Text: "Discord", shape: isAPI, right: "an https URL, or one on loopback, that ends in a slash"},
	{Name: "MCP_SOFT_DEADLINE", Default: "auto", later: true, Text: "MCP", shape: isSoft, right: "auto, off or a duration above zero, like 45s"},
	{Name: "MCP_TASKS", Default: "auto", later: true, Text: "MCP"},
}

func isCount(s string) bool { _, err := strconv.ParseUint(s, 10, 31); return err == nil }

func isSoft(s string) bool {
	d, err := time.ParseDuration(s)
	return s == "auto" || s == "off" || err == nil && d > 0
}

// isAPI: a platform's token goes to this URL, so it is encrypted or stays on the machine.
func isAPI(s string) bool {
	u, err := url.Parse(s)
	if err != nil || u.Host == "" || u.User != nil || !strings.HasSuffix(u.Path, "/") {
		return false
	}
	return u.Scheme == "https" || u.Scheme == "http" && IsLoopback(u.Hostname())
}

// IsLoopback reports whether a host name or address is this machine and no other.
func IsLoopback(host string) bool { return host == "localhost" || net.ParseIP(host).IsLoopback() }

// Explain is the table of what can be set, for a terminal: name, default, meaning.
func Explain() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, s := range Settings {
		if s.later {
			continue
		}
		fmt.Fprintf(w, "  %s_%s\t%s\t%s\n", prefix, s.Name, cmp.Or(s.Default, "–"), strings.ReplaceAll(s.Text, "`", ""))
	}
	_ = w.Flush() // into memory
	return b.String()
}

// Later reports whether the setting is for a later version.
func (s Setting) Later() bool { return s.later }

// of is the value that envconfig found.
func (s Setting) of(env *environment) string {
	name := strings.ReplaceAll(s.Name, "_", "")
	v := reflect.ValueOf(env).Elem().FieldByNameFunc(func(field string) bool { return strings.EqualFold(field, name) })
	return v.String()
}

// theirs are variables with the prefix that are no settings: what the command line and its shim read, and what Kubernetes
// injects into every pod beside a service named bridge.
func theirs(name string) bool {
	return slices.Contains([]string{"URL", "TOKEN", "TOKEN_FILE", "OWNER", "PORT"}, name) ||
		strings.HasPrefix(name, "PORT_") || strings.HasPrefix(name, "SERVICE_")
}

// unknown warns of variables with the prefix that mean nothing, with the nearest name that does.
func unknown(environ []string) (warnings []string) {
	for _, kv := range environ {
		full, value, _ := strings.Cut(kv, "=")
		name, ours := strings.CutPrefix(full, prefix+"_")
		if !ours || value == "" || theirs(name) || slices.ContainsFunc(Settings, func(s Setting) bool {
			return s.Name == name || s.Secret && s.Name+"_FILE" == name
		}) {
			continue
		}
		warnings = append(warnings, full+" is unknown and ignored; did you mean "+prefix+"_"+nearest(name)+"?")
	}
	slices.Sort(warnings)
	return warnings
}

func nearest(name string) string {
	best := slices.MinFunc(Settings, func(a, b Setting) int { return distance(name, a.Name) - distance(name, b.Name) })
	return best.Name
}

// distance is how many letters have to be put in, taken out or changed.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		left, corner := i, row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := corner
			if a[i-1] != b[j-1] {
				cost++
			}
			corner = row[j]
			left = min(left+1, row[j]+1, cost)
			row[j] = left
		}
	}
	return row[len(b)]
}
