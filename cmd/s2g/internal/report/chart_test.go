package report

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"s2g/schema"
)

func TestNumbersAreWrittenForPeople(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{short(0), "0"}, {short(999), "999"}, {short(1000), "1k"}, {short(1234), "1.2k"}, {short(9949), "9.9k"}, {short(9950), "10k"}, {short(43_210), "43k"},
		{short(2_500_000), "2.5M"}, {short(4_000_000_000), "4bn"},
		{exact(99_999), "99,999"}, {exact(100_000), "100k"},
		{plural(1, "answer"), "1 answer"}, {plural(0, "answer"), "0 answers"}, {plural(1234, "query"), "1,234 queries"},
		{share(1, 3), "33\u00a0%"}, {share(1, 16), "6.2\u00a0%"}, {share(5, 100), "5\u00a0%"}, {share(0, 9), "0\u00a0%"}, {share(1, 9999), "under 0.1\u00a0%"}, {share(0, 0), ""},
		{brief(1, 1000), "<1%"}, {brief(0, 0), "0%"}, {brief(1, 2), "50%"},
		{duration(9.26), "9.3 s"}, {duration(59.97), "1 min 0 s"}, {duration(250), "4 min 10 s"}, {duration(11_520), "3 h 12 min"},
		{day("2024-03-31T19:49:02.409Z"), "31 March 2024"}, {day("soon"), "soon"},
		{and([]string{"a"}), "a"}, {and([]string{"a", "b", "c"}), "a, b and c"},
		{percent(1, 3), "33.33%"}, {percent(1, 0), "0%"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

func TestScoreRangesHaveTheirNames(t *testing.T) {
	digits := func(n int64) string { return strings.Replace(strconv.FormatInt(n, 10), "-", "−", 1) }
	last := len(scoreRanges) - 1
	for i, from := range schema.ScoreRanges {
		want := ""
		switch {
		case i == 0:
			want = "≤" + digits(schema.ScoreRanges[1]-1)
		case i == last:
			want = "≥" + digits(from)
		default:
			switch to := schema.ScoreRanges[i+1] - 1; to - from {
			case 0:
				want = digits(from)
			case 1:
				want = digits(from) + ", " + digits(to)
			default:
				want = digits(from) + "…" + digits(to)
			}
		}
		if scoreRanges[i].name != want || !strings.Contains(want, scoreRanges[i].short) {
			t.Errorf("range %d from %d is named %+v, want %s", i, from, scoreRanges[i], want)
		}
	}
}

func TestShadesOfCounts(t *testing.T) {
	for _, c := range []struct {
		most int64
		want []int64
	}{{1, []int64{1}}, {5, []int64{1, 3}}, {100, []int64{1, 3, 10, 30, 100}}, {5000, []int64{1, 30, 100, 300, 1000, 3000}}} {
		if diff := cmp.Diff(c.want, shadeSteps(c.most)); diff != "" {
			t.Errorf("of %d: %s", c.most, diff)
		}
	}
	if got := shadeSteps(math.MaxInt64); len(got) != shades {
		t.Errorf("of the largest number: %v", got)
	}
	from := shadeSteps(5000)
	for n, want := range map[int64]int{1: 1, 29: 1, 30: 2, 2999: 5, 3000: 6, 5000: 6} {
		if got := shadeOf(n, from); got != want {
			t.Errorf("%d has shade %d, want %d", n, got, want)
		}
	}
	if got := []string{shadeLabel(from, 0), shadeLabel(from, 5), shadeLabel([]int64{1, 3, 10}, 0), shadeLabel([]int64{1, 2}, 0)}; !cmp.Equal(got, []string{"1 to 29", "3,000 and more", "1, 2", "1"}) {
		t.Errorf("named %q", got)
	}
}

// TestColumnsAreInProportion checks that heights are in proportion, from the base line.
func TestColumnsAreInProportion(t *testing.T) {
	c := newColumnChart(chart{}, []stack{{parts: []stackPart{{30, "a"}, {10, "b"}}}, {parts: []stackPart{{20, "a"}}}, {}})
	number := func(s string) float64 {
		x, err := strconv.ParseFloat(strings.TrimSuffix(s, "%"), 64)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	room := float64(c.Base - columnsTop)
	for i, want := range [][]float64{{.75, .25}, {.5}, {}} {
		y := float64(c.Base)
		for j, p := range c.Columns[i].Parts {
			if h := number(p.Height); math.Abs(h-want[j]*room) > .1 || math.Abs(number(p.Y)+h-y) > .11 {
				t.Errorf("part %d of column %d: y %s, height %s", j, i, p.Y, p.Height)
			}
			y = number(p.Y)
		}
		if x, w := number(c.Columns[i].X), number(c.Columns[i].Width); x < float64(10*i) || x+w > float64(10*i+10) {
			t.Errorf("column %d is at %g to %g %%", i, x, x+w)
		}
	}
}

// TestDotsAreOnALogarithmicScale checks that a tenfold count is a line higher, and 0 has
// no place.
func TestDotsAreOnALogarithmicScale(t *testing.T) {
	d := newDotChart(chart{}, []label{{Text: "a"}, {Text: "b"}, {Text: "c"}, {Text: "d"}}, []series{{"s", "post", []int64{10, 100, 0, 1000}}})
	if len(d.Dots) != 3 || len(d.Lines) != 1 || len(d.Grid) != 4 {
		t.Fatalf("%d dots, %d lines, a grid of %d", len(d.Dots), len(d.Lines), len(d.Grid))
	}
	for i, dot := range d.Dots {
		if dot.Y != d.Grid[i+1].Y {
			t.Errorf("%s is at %s, its line at %s", dot.Hint, dot.Y, d.Grid[i+1].Y)
		}
	}
}

// TestColoursHaveContrast checks the colours of both modes against their grounds (WCAG
// 2.2, 1.4.3 and 1.4.11).
func TestColoursHaveContrast(t *testing.T) {
	blocks := regexp.MustCompile(`(?s):root \{(.*?)\}`).FindAllStringSubmatch(pageCSS, -1)
	if len(blocks) != 2 {
		t.Fatalf("the style has %d sets of colours", len(blocks))
	}
	for mode, block := range blocks {
		colours := map[string]string{}
		for _, c := range regexp.MustCompile(`--([a-z0-9-]+): (#[0-9a-f]{6});`).FindAllStringSubmatch(block[1], -1) {
			colours[c[1]] = c[2]
		}
		check := func(what, on string, least float64) {
			t.Helper()
			if got := contrast(t, colours[what], colours[on]); got < least {
				t.Errorf("mode %d: %s on %s has a contrast of %.2f, less than %g", mode, what, on, got, least)
			}
		}
		for _, text := range []string{"text", "soft", "link", "question", "answer-text", "accepted"} {
			check(text, "page", 4.5)
		}
		for _, text := range []string{"text", "soft"} {
			check(text, "panel", 4.5)
		}
		for _, shape := range []string{"question", "answer", "accepted", "bad", "time"} {
			check(shape, "page", 3)
		}
		check("accepted", "answer", 2) // they touch, and their order differs, too
		for shade, text := range map[string]string{"s1": "on-weak", "s2": "on-weak", "s3": "on-weak", "s4": "on-weak", "s5": "on-strong", "s6": "on-strong"} {
			check(text, shade, 4.5)
		}
	}
}

func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	x, y := luminance(t, a), luminance(t, b)
	return (max(x, y) + .05) / (min(x, y) + .05)
}

// luminance returns WCAG's relative luminance of #rrggbb.
func luminance(t *testing.T, colour string) (l float64) {
	t.Helper()
	for i, weight := range []float64{.2126, .7152, .0722} {
		n, err := strconv.ParseUint(colour[1+2*i:3+2*i], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		c := float64(n) / 255
		if c <= .04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+.055)/1.055, 2.4)
		}
		l += weight * c
	}
	return l
}
