package card

import (
	"regexp"
	"slices"
	"testing"
	"unicode/utf8"
)

var place = regexp.MustCompile(`\{[a-z]+\}`)

func TestEveryPhraseIsInEveryLocale(t *testing.T) {
	for p, row := range table {
		places := place.FindAllString(row[english], -1)
		slices.Sort(places)
		for column, sentence := range row {
			if sentence == "" {
				t.Errorf("phrase %d has no sentence in column %d", p, column)
			}
			got := place.FindAllString(sentence, -1)
			slices.Sort(got)
			if !slices.Equal(got, places) {
				t.Errorf("%q fills in %q, English fills in %q", sentence, got, places)
			}
		}
	}
}

// What is ours has to fit where the narrowest platform shows it, with the largest number that can be filled in.
func TestPhrasesFitTheirPlace(t *testing.T) {
	for limit, phrases := range map[int][]phrase{
		24:  {formTitle, formSubmit, formCancel},                                                  // Slack: modal
		30:  {labelSkip, labelDismiss, confirmNo},                                                 // Slack: confirm dialog
		45:  {formAnswer, formOwn, formOwnToo, formTitle},                                         // Discord: modal
		75:  {labelOther, labelAnswer, labelChoose, labelNone, labelSkip, labelDismiss, offerYes}, // Slack: button
		100: {skipTitle, dismissTitle, dismissTitleAll},                                           // Slack: confirm dialog
		300: {skipText, dismissText, dismissTextAll},                                              // Slack: confirm dialog
	} {
		for _, p := range phrases {
			for column := range locales {
				s := Words{column}.say(p, "of", "20")
				if n := utf8.RuneCountInString(s); n > limit {
					t.Errorf("%q has %d characters, %d fit", s, n, limit)
				}
			}
		}
	}
}

func TestWhatFillsInIsNotSearchedAgain(t *testing.T) {
	if got := (Words{}).say(andAdded, "what", "{own}", "own", "{what}"); got != "{own} and added {what}" {
		t.Errorf("%q", got)
	}
}
