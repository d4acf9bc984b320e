package web

import (
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"
)

// Config of the inbox. The zero value works on a loopback listener.
type Config struct {
	PublicURL    string           // the address by which people reach the inbox; https makes its cookies Secure
	Locale       string           // en or zh
	AllowedHosts []string         // hosts that are right beside PublicURL's
	Loopback     bool             // the listener is a loopback one: the loopback names are right, too
	Now          func() time.Time // nil = time.Now
	Log          *slog.Logger     // nil = none
}

func (c Config) withDefaults() Config {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return c
}

// public is PublicURL, or an empty one where there is none.
func (c Config) public() *url.URL {
	u, err := url.Parse(c.PublicURL)
	if err != nil {
		return &url.URL{}
	}
	return u
}

func (c Config) secure() bool { return c.public().Scheme == "https" }

// knowsHost reports whether the inbox may be called by this name. A page that rebinds its own name to an address of ours
// calls by a name that is none of these.
func (c Config) knowsHost(hostport string) bool {
	host := hostname(hostport)
	if public := strings.ToLower(c.public().Hostname()); host == public && host != "" {
		return true
	}
	if slices.ContainsFunc(c.AllowedHosts, func(a string) bool { return hostname(a) == host }) {
		return host != ""
	}
	return c.loopback() && isLoopback(host)
}

// loopback reports whether the machine's own names are right: where the listener is a loopback one, and where no name is
// configured, so that PublicURL is none or that of a listener on every address.
func (c Config) loopback() bool {
	public := c.public().Hostname()
	addr, err := netip.ParseAddr(public)
	return c.Loopback || public == "" || isLoopback(public) || err == nil && addr.IsUnspecified()
}

func isLoopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && addr.IsLoopback()
}

func hostname(hostport string) string {
	if host, _, err := net.SplitHostPort(hostport); err == nil {
		hostport = host
	}
	return strings.ToLower(strings.Trim(hostport, "[]"))
}
