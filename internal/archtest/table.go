package archtest

import (
	"path"
	"slices"
	"strings"
)

// room is a line of the import table: what the package in one folder may import besides the standard library.
type room struct {
	ours  []string // other rooms
	third []string // modules of others, with all their packages
}

// The rooms, by their folder.
const (
	seamRoom    = "internal/seam"
	policyRoom  = "internal/policy"
	pagerRoom   = "internal/pager"
	toolRoom    = "internal/tool"
	houseRoom   = "internal/archtest"
	deskRoom    = "answerer"
	cardRoom    = "answerer/card"
	slackRoom   = "answerer/slack"
	discordRoom = "answerer/discord"
	webRoom     = "answerer/web"
	storeRoom   = "store"
	configRoom  = "config"
	cmdRoom     = "cmd/bridge"
)

// table is the import table, rooms that are yet to be built included. Every arrow ends in the seam.
var table = map[string]room{
	// The contract. Whoever speaks it needs nothing else.
	seamRoom: {},
	// Pure: whom to ask is worked out, never looked up.
	policyRoom: {ours: []string{seamRoom}},
	pagerRoom: {
		ours:  []string{seamRoom},
		third: []string{"github.com/PagerDuty/go-pagerduty", "github.com/standard-webhooks/standard-webhooks"},
	},
	// Doors never import the desk: they declare the port that it fills, so that no door can know a button.
	toolRoom: {ours: []string{seamRoom}, third: []string{"github.com/modelcontextprotocol/go-sdk"}},
	// Pure: what a card looks like and what a press means is the same on every platform.
	cardRoom: {ours: []string{seamRoom}},
	// The desk speaks no platform's language.
	deskRoom: {ours: []string{seamRoom, cardRoom, policyRoom}},
	// Codecs, each for its platform; none imports another, so that each can go alone.
	slackRoom:   {ours: []string{seamRoom, cardRoom, deskRoom}, third: []string{"github.com/slack-go/slack"}},
	discordRoom: {ours: []string{seamRoom, cardRoom, deskRoom}, third: []string{"github.com/bwmarrin/discordgo"}},
	webRoom: { // Markdown, and its sanitising
		ours:  []string{seamRoom, cardRoom, deskRoom},
		third: []string{"github.com/yuin/goldmark", "github.com/microcosm-cc/bluemonday"},
	},
	// A store knows records, not who presses nor what a card shows.
	storeRoom: {ours: []string{seamRoom}, third: []string{"github.com/redis/go-redis/v9", "go.etcd.io/bbolt"}},
	// It fills the Config of other rooms; only cmd imports it, so that no room reads the environment.
	configRoom: {
		ours: []string{
			seamRoom, policyRoom, pagerRoom, toolRoom, deskRoom, slackRoom, discordRoom, webRoom, storeRoom,
		},
		third: []string{"github.com/kelseyhightower/envconfig", "go.yaml.in/yaml/v3"},
	},
	// The only place that wires rooms together. x/term: whether a person sits at the other end.
	cmdRoom: {
		ours: []string{
			seamRoom, policyRoom, pagerRoom, toolRoom, cardRoom, deskRoom, slackRoom, discordRoom, webRoom, storeRoom,
			configRoom,
		},
		third: []string{"github.com/spf13/cobra", "github.com/prometheus/client_golang", "golang.org/x/term"},
	},
	houseRoom: {},

	// Fakes and suites: their twin, and the words that their twin speaks.
	"store/storetest":              twin(storeRoom, seamRoom),
	"answerer/card/cardtest":       twin(cardRoom, seamRoom),
	"answerer/answerertest":        twin(deskRoom, cardRoom, seamRoom),
	"answerer/slack/slacktest":     twin(slackRoom, seamRoom),
	"answerer/discord/discordtest": twin(discordRoom, seamRoom),
}

// testLibs lists the libraries of tests and of *test rooms.
var testLibs = []string{
	"github.com/google/go-cmp", "github.com/rogpeppe/go-internal", "go.uber.org/goleak", "pgregory.net/rapid",
	"github.com/chromedp/chromedp", "github.com/chromedp/cdproto",
}

func twin(ours ...string) room { return room{ours: ours, third: testLibs} }

// isTestRoom reports whether a folder holds test helpers that other rooms' tests use.
func isTestRoom(dir string) bool {
	_, known := table[dir]
	return known && dir != houseRoom && strings.HasSuffix(path.Base(dir), "test")
}

// mayImport reports whether the room in dir may import another one of ours. Tests may also import the *test rooms, and
// the store for the Config of its memory twin.
func mayImport(dir, other string, test bool) bool {
	if slices.Contains(table[dir].ours, other) {
		return true
	}
	return test && (other == dir || other == storeRoom || isTestRoom(other))
}

// mayUse reports whether the room in dir may import a package of somebody else's module.
func mayUse(dir, pkg string, test bool) bool {
	within := func(module string) bool { return pkg == module || strings.HasPrefix(pkg, module+"/") }
	return slices.ContainsFunc(table[dir].third, within) || test && slices.ContainsFunc(testLibs, within)
}
