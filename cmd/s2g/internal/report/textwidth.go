package report

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// Text in an SVG does not wrap, and nothing measures it without a script. So the widths of
// texts are estimated from their grapheme clusters: above those in the usual fonts, because
// a label that is too wide is cut.

// textWidth returns the width of a text in a proportional font, in ems.
func textWidth(text string) (ems float64) {
	eachCluster(text, func(cluster string, cells int) bool {
		ems += clusterWidth(cluster, cells)
		return true
	})
	return ems
}

func clusterWidth(cluster string, cells int) float64 {
	c, _ := utf8.DecodeRuneInString(cluster)
	switch {
	case cells > 1:
		return 1.1
	case unicode.In(c, unicode.Arabic, unicode.Hebrew):
		return .8
	case c > unicode.MaxLatin1 && !unicode.In(c, unicode.Latin, unicode.Greek, unicode.Cyrillic):
		return 1
	case strings.ContainsRune("mwMW@%", c) || c > unicode.MaxASCII && unicode.IsUpper(c):
		return 1
	case unicode.IsUpper(c):
		return .8
	case strings.ContainsRune("ijl.,:;|!' ()[]", c):
		return .42
	}
	return .67
}

// fitWidth cuts a text to a width in ems. An ellipsis ends a text that is wider.
func fitWidth(text string, ems float64) string {
	return cutText(text, ems, clusterWidth)
}

// cells returns the number of cells that a text takes in a font of fixed width. Scripts
// that such fonts lack come from others, and take two.
func cells(text string) (n int) {
	eachCluster(text, func(cluster string, wide int) bool {
		n += clusterCells(cluster, wide)
		return true
	})
	return n
}

func clusterCells(cluster string, wide int) int {
	c, _ := utf8.DecodeRuneInString(cluster)
	if wide == 1 && unicode.IsLetter(c) && !unicode.In(c, unicode.Latin, unicode.Greek, unicode.Cyrillic) {
		return 2
	}
	return wide
}

// fitCells cuts a text to a number of cells. An ellipsis ends a text that takes more.
func fitCells(text string, most int) string {
	return cutText(text, float64(most), func(cluster string, wide int) float64 { return float64(clusterCells(cluster, wide)) })
}

// splitCells splits a text before the first cluster that goes beyond a number of cells, or
// after a slash shortly before that. The head has at least one cluster.
func splitCells(text string, most int) (head, tail string) {
	used, at := 0, 0
	eachCluster(text, func(cluster string, wide int) bool {
		used += clusterCells(cluster, wide)
		if at > 0 && used > most {
			return false
		}
		at += len(cluster)
		return true
	})
	if slash := strings.LastIndexByte(text[:at], '/') + 1; at < len(text) && slash > at/2 {
		at = slash
	}
	return text[:at], text[at:]
}

// cutText returns a text that is not wider than most, else its beginning with an ellipsis.
func cutText(text string, most float64, width func(cluster string, cells int) float64) string {
	used, fits := 0.0, 0 // fits: bytes beside which the ellipsis has room
	whole := true
	eachCluster(text, func(cluster string, cells int) bool {
		used += width(cluster, cells)
		if used > most {
			whole = false
			return false
		}
		if used+width("…", 1) <= most {
			fits += len(cluster)
		}
		return true
	})
	if whole {
		return text
	}
	return text[:fits] + "…"
}

// eachCluster passes the grapheme clusters of a text with their cells in a terminal to use
// until that returns false.
func eachCluster(text string, use func(cluster string, cells int) bool) {
	for state := -1; text != ""; {
		var cluster string
		var cells int
		cluster, text, cells, state = uniseg.FirstGraphemeClusterInString(text, state)
		if !use(cluster, cells) {
			return
		}
	}
}

// isolate encloses a name in Unicode's isolates if it has letters that are written from
// right to left, so that the words of the sentence around it keep their order.
func isolate(name string) string {
	if strings.ContainsFunc(name, func(c rune) bool {
		return unicode.In(c, unicode.Arabic, unicode.Hebrew, unicode.Syriac, unicode.Thaana, unicode.Nko)
	}) {
		return "\u2068" + name + "\u2069"
	}
	return name
}
