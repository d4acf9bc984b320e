package card

import (
	"github.com/askbridge/bridge/internal/seam"
)

// in is the language of an optional last argument.
func in(words []Words) Words {
	if len(words) > 0 {
		return words[0]
	}
	return Words{}
}

// FormOf is the form of question n: own words, and for several choices the options too. Its entries are Limits.Entry's.
func FormOf(rec seam.Record, n int, words ...Words) Form {
	w, q := in(words), rec.Questions[n-1]
	f := Form{
		ID: Encode(rec.ID, n, seam.PressForm, "", false), Title: w.say(formTitle), Question: contain(q.Text),
		TextLabel: w.say(formAnswer), Submit: w.say(formSubmit), Cancel: w.say(formCancel), MaxText: seam.MaxCustom,
	}
	switch {
	case q.Multi():
		f.TextLabel, f.Optional = w.say(formOwnToo), true
		f.Options = drawing{rec: rec, n: n, q: q, w: w}.options()
	case len(q.Options) > 0:
		f.TextLabel = w.say(formOwn)
	}
	return f
}

// ConfirmOf is the second question before a skip or a dismiss.
func ConfirmOf(rec seam.Record, n int, control seam.Control, words ...Words) Confirm {
	w, of := in(words), len(rec.Questions)
	title, text, yes := skipTitle, skipText, labelSkip
	switch {
	case control == seam.PressDismiss && of > 1:
		title, text, yes = dismissTitleAll, dismissTextAll, labelDismiss
	case control == seam.PressDismiss:
		title, text, yes = dismissTitle, dismissText, labelDismiss
	}
	return Confirm{
		ID: Encode(rec.ID, n, control, "", true), Title: w.say(title, "of", itoa(of)), Text: w.say(text, "of", itoa(of)),
		Yes: w.say(yes), No: w.say(confirmNo),
	}
}

// OfferOf asks the author of a reply whether it is the answer, and says which options it would choose.
func OfferOf(rec seam.Record, n int, o seam.Offer, words ...Words) Offer {
	w, q := in(words), rec.Questions[n-1]
	what := w.extract(o.Text)
	if a, exact := understand(q, o.Text, numbered(rec, n, o.Person.Answerer)); exact {
		what = w.say(offerOption, "what", w.brief(q, a))
	}
	return Offer{
		ID:   Encode(rec.ID, n, seam.PressSend, o.ID, false),
		Text: w.say(offerText, "what", what), Yes: w.say(offerYes),
	}
}
