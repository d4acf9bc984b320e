package card

import (
	"strconv"
	"strings"

	"github.com/askbridge/bridge/internal/seam"
)

// Ids of controls travel through platforms and come back from anybody: they name what was pressed and prove nothing.
//
//	b1:<control>:<question>:<argument>:<request>
//
// At most 3+2+3+41+40 bytes; platforms take 100 (Discord's custom_id is the shortest).
const (
	idVersion  = "b1"
	idSep      = ":"
	maxRequest = 40
	maxArg     = 40
)

// idCodes are the controls that stand on cards. A reply is none.
var idCodes = map[seam.Control]string{
	seam.PressOption: "o", seam.PressOther: "w", seam.PressChoose: "c", seam.PressForm: "f",
	seam.PressSkip: "s", seam.PressDismiss: "d", seam.PressSend: "y",
}

// idSure marks the control that is the yes to the second question.
const idSure = "!"

// Encode makes the id of a control: of question n of a request, with the option's number from 1 or the offer's id as its
// argument. What no control can be encodes to "", which Decode refuses.
func Encode(request string, n int, c seam.Control, arg string, sure bool) string {
	code, known := idCodes[c]
	if !known || !legal(request, n, c, arg, sure) {
		return ""
	}
	if sure {
		code += idSure
	}
	return strings.Join([]string{idVersion, code, strconv.Itoa(n), arg, request}, idSep)
}

// Decode reads what Encode made; anything else is not ok.
func Decode(id string) (request string, n int, c seam.Control, arg string, sure, ok bool) {
	if len(id) > maxRequest+maxArg+10 {
		return "", 0, "", "", false, false
	}
	parts := strings.Split(id, idSep)
	if len(parts) != 5 {
		return "", 0, "", "", false, false
	}
	code, sure := strings.CutSuffix(parts[1], idSure)
	for control, known := range idCodes {
		if known == code {
			c = control
		}
	}
	n, _ = strconv.Atoi(parts[2])
	if request, arg = parts[4], parts[3]; Encode(request, n, c, arg, sure) != id {
		return "", 0, "", "", false, false
	}
	return request, n, c, arg, sure, true
}

func legal(request string, n int, c seam.Control, arg string, sure bool) bool {
	if !word(request, maxRequest) || n < 1 || n > seam.MaxQuestions || sure && c != seam.PressSkip && c != seam.PressDismiss {
		return false
	}
	switch c {
	case seam.PressOption:
		i, err := strconv.Atoi(arg)
		return err == nil && i >= 1 && i <= seam.MaxOptions && strconv.Itoa(i) == arg
	case seam.PressSend:
		return word(arg, maxArg)
	}
	return arg == ""
}

// word reports whether s is made of what ids are made of, and not longer than limit.
func word(s string, limit int) bool {
	for i := range len(s) {
		b := s[i]
		if b != '_' && b != '-' && (b < '0' || b > '9') && (b < 'a' || b > 'z') && (b < 'A' || b > 'Z') {
			return false
		}
	}
	return s != "" && len(s) <= limit
}
