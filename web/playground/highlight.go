package playground

import (
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// colouredValues is how many values of a body have colours: each is an element.
const colouredValues = 1000

// colouredJSON returns JSON with its values in their colours.
func colouredJSON(text string) []app.UI {
	var all []app.UI
	from := 0 // of what is not in all yet
	for i := 0; i < len(text) && len(all) < 2*colouredValues; {
		class, n := jsonToken(text[i:])
		name := class == "is-string" && strings.HasPrefix(text[i+n:], ":")
		if class != "" && !name {
			all = append(all, app.Text(text[from:i]), app.Span().Class(class).Text(text[i:i+n]))
			from = i + n
		}
		i += n
	}
	return append(all, app.Text(text[from:]))
}

// jsonToken returns the class and the length of the token that a text begins with, ""
// for one that is no value.
func jsonToken(text string) (class string, n int) {
	switch c := text[0]; {
	case c == '"':
		for n = 1; n < len(text) && text[n] != '"'; n++ {
			if text[n] == '\\' {
				n++
			}
		}
		return "is-string", min(n+1, len(text))
	case c == '-' || '0' <= c && c <= '9':
		return "is-number", len(text) - len(strings.TrimLeft(text, "+-.0123456789eE"))
	case strings.HasPrefix(text, "true"), strings.HasPrefix(text, "null"):
		return map[byte]string{'t': "is-boolean", 'n': "is-none"}[c], 4
	case strings.HasPrefix(text, "false"):
		return "is-boolean", 5
	}
	return "", 1
}
