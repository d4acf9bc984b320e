package card_test

import (
	"testing"

	"github.com/askbridge/bridge/answerer/card/cardtest"
	"github.com/askbridge/bridge/internal/seam"
)

// The gallery shows what can happen, and all of it.
func TestGallery(t *testing.T) {
	names, stages := map[string]bool{}, map[seam.Stage]bool{}
	for _, s := range cardtest.Gallery() {
		if names[s.Name] {
			t.Errorf("%s is there twice", s.Name)
		}
		names[s.Name], stages[s.Record.Stage(s.Placement())] = true, true
		r := seam.Request{Questions: s.Record.Questions, Caller: s.Record.Caller}
		if err := seam.CheckShape(r, cardtest.Asked); err != nil {
			t.Errorf("%s: %v", s.Name, err)
		}
		if err := seam.CheckIntent(r.Questions); err != nil {
			t.Errorf("%s: %v", s.Name, err)
		}
		for i, it := range s.Record.Items {
			if it.State != seam.ItemAnswered {
				continue
			}
			if a, err := s.Record.Questions[i].Legal(it.Answer); err != nil || !a.Equal(it.Answer) {
				t.Errorf("%s: question %d is answered with %+v: %v", s.Name, i+1, it.Answer, err)
			}
		}
	}
	for _, want := range []seam.Stage{
		seam.StageOpen, seam.StageOpen + ".1", seam.StageOpen + ".2", seam.StageDetached, seam.StageRecorded, seam.StageAnswered,
		seam.StageKept, seam.StageDelivered, seam.StageUncollected, seam.StageCancelled, seam.StageAborted, seam.StageExpired,
		seam.StageAbandoned, seam.StageFailed, seam.StageElsewhere,
	} {
		if !stages[want] {
			t.Errorf("no card is %s", want)
		}
	}
}
