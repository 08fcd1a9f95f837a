package sample

import "strings"

// style is how a language spells names of more than one word.
type style uint8

const (
	snake style = iota
	camel
	pascal
	kebab
	upper
	styles
)

var styleNames = map[string]style{"snake": snake, "camel": camel, "pascal": pascal, "kebab": kebab, "upper": upper}

// names is an identifier in each style.
type names [styles][]byte

// newNames spells words in each style.
func newNames(words string) names {
	w := strings.Fields(words)
	var titled []string
	for _, s := range w {
		titled = append(titled, strings.ToUpper(s[:1])+s[1:])
	}
	p := strings.Join(titled, "")
	return names{
		snake:  []byte(strings.Join(w, "_")),
		camel:  []byte(strings.ToLower(p[:1]) + p[1:]),
		pascal: []byte(p),
		kebab:  []byte(strings.Join(w, "-")),
		upper:  []byte(strings.ToUpper(strings.Join(w, "-"))),
	}
}
