package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
)

// comma writes 1,234,567.
func comma(n int64) string { return humanize.Comma(n) }

// short writes a number with at most three digits and a unit: 950, 1.2k, 34k, 1.5M.
func short(n int64) string {
	for _, unit := range []struct {
		size int64
		name string
	}{{1e9, "bn"}, {1e6, "M"}, {1e3, "k"}} {
		if n < unit.size {
			continue
		}
		if x := float64(n) / float64(unit.size); x < 9.95 {
			return strings.TrimSuffix(strconv.FormatFloat(x, 'f', 1, 64), ".0") + unit.name
		}
		return strconv.FormatFloat(float64(n)/float64(unit.size), 'f', 0, 64) + unit.name
	}
	return strconv.FormatInt(n, 10)
}

// exact writes a number in full where it is below 100,000, else in its short form.
func exact(n int64) string {
	if n < 100_000 {
		return comma(n)
	}
	return short(n)
}

// plural writes 1 question, 2 questions.
func plural(n int64, one string) string {
	switch {
	case n == 1:
		return "1 " + one
	case strings.HasSuffix(one, "y"):
		return comma(n) + " " + strings.TrimSuffix(one, "y") + "ies"
	}
	return comma(n) + " " + one + "s"
}

// percentSign follows a number, from which no line break separates it.
const percentSign = "\u00a0%"

// share writes n of all in percent, "" where all is 0. A share above 0 is never
// written as 0 %.
func share(n, all int64) string {
	if all == 0 {
		return ""
	}
	p := 100 * float64(n) / float64(all)
	switch {
	case p > 0 && p < 0.1:
		return "under 0.1" + percentSign
	case p < 9.95:
		return strings.TrimSuffix(strconv.FormatFloat(p, 'f', 1, 64), ".0") + percentSign
	}
	return strconv.FormatFloat(p, 'f', 0, 64) + percentSign
}

// brief writes a share for a label: 18%, <1%.
func brief(n, all int64) string {
	p := 100 * float64(n) / float64(max(all, 1))
	if p > 0 && p < .5 {
		return "<1%"
	}
	return strconv.FormatFloat(p, 'f', 0, 64) + "%"
}

// fixed writes a ratio with some digits, an en dash where it is not defined.
func fixed(x *float64, digits int) string {
	if x == nil {
		return "–"
	}
	return strconv.FormatFloat(*x, 'f', digits, 64)
}

// rounded writes a mean or median of counts as a whole number, an en dash where it
// is not defined.
func rounded(x *float64) string {
	if x == nil {
		return "–"
	}
	return comma(int64(math.Round(*x)))
}

// bytesOf writes 1.5 GiB, and an en dash for 0.
func bytesOf(n int64) string {
	if n <= 0 {
		return "–"
	}
	return humanize.IBytes(uint64(n))
}

// day writes the day of a moment, 2024-03-31T19:49:02.409Z, as 31 March 2024. It returns
// any other text unchanged.
func day(moment string) string {
	t, err := time.Parse(time.RFC3339, moment)
	if err != nil {
		return moment
	}
	return t.Format("2 January 2006")
}

// duration writes 9.3 s, 4 min 10 s, 3 h 12 min.
func duration(seconds float64) string {
	s := int64(seconds + .5)
	switch {
	case seconds < 59.95:
		return strconv.FormatFloat(seconds, 'f', 1, 64) + " s"
	case s < 3600:
		return fmt.Sprintf("%d min %d s", s/60, s%60)
	}
	return fmt.Sprintf("%d h %d min", s/3600, s%3600/60)
}

// percent writes a length for SVG as a share of whole.
func percent(part, whole float64) string {
	if whole == 0 {
		return "0%"
	}
	return strconv.FormatFloat(100*part/whole, 'f', 2, 64) + "%"
}

// and joins words for a sentence: a, b and c.
func and(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}

// orNone returns a share for a sentence, with "none" for 0.
func orNone(share string) string {
	if share == "" || share == "0"+percentSign {
		return "none"
	}
	return share
}

// shorten cuts a text to so many characters, of which the last is an ellipsis.
func shorten(text string, characters int) string {
	if r := []rune(text); len(r) > characters {
		return string(r[:characters-1]) + "…"
	}
	return text
}
