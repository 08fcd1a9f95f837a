package report

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"s2g/cmd/s2g/internal/buildtest"
	"s2g/graph"
	"s2g/schema/schematest"
)

// browser is Debian's Chromium without a window.
type browser struct {
	t       testing.TB
	program string
	dir     string
}

func openBrowser(t testing.TB) *browser {
	t.Helper()
	schematest.Long(t)
	return &browser{t, schematest.Tool(t, "chromium"), t.TempDir()}
}

// run opens a file in the browser, and returns its output and the lines of its console.
func (b *browser) run(file string, flags ...string) (stdout []byte, console []string) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.t.Context(), 3*time.Minute)
	defer cancel()
	flags = append([]string{
		"--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--hide-scrollbars", "--force-device-scale-factor=1",
		"--enable-logging=stderr", "--user-data-dir=" + filepath.Join(b.dir, "profile"),
	}, append(flags, "file://"+file)...)
	cmd := exec.CommandContext(ctx, b.program, flags...)
	cmd.Env = append(os.Environ(), "HOME="+b.dir)
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Run(); err != nil {
		b.t.Fatalf("chromium: %v\n%s", err, said.String())
	}
	for line := range strings.Lines(said.String()) {
		if strings.Contains(line, ":CONSOLE:") {
			console = append(console, line)
		}
	}
	return out.Bytes(), console
}

// write writes a page into the folder that the browser opens.
func (b *browser) write(name, page string) (file string) {
	b.t.Helper()
	file = filepath.Join(b.dir, name)
	if err := os.WriteFile(file, []byte(page), 0o666); err != nil {
		b.t.Fatal(err)
	}
	return file
}

// screenshot returns the top of a page.
func (b *browser) screenshot(file string, width, height int, flags ...string) image.Image {
	b.t.Helper()
	picture := filepath.Join(b.dir, "screen.png")
	_, console := b.run(file, append(flags, fmt.Sprintf("--window-size=%d,%d", width, height), "--screenshot="+picture)...)
	if len(console) > 0 {
		b.t.Errorf("the browser says %q", console)
	}
	text, err := os.ReadFile(picture)
	if err != nil {
		b.t.Fatal(err)
	}
	m, err := png.Decode(bytes.NewReader(text))
	if err != nil {
		b.t.Fatal(err)
	}
	return m
}

// colours counts the pixels of each colour.
func colours(m image.Image) map[color.RGBA]int {
	counts := map[color.RGBA]int{}
	for y := m.Bounds().Min.Y; y < m.Bounds().Max.Y; y++ {
		for x := m.Bounds().Min.X; x < m.Bounds().Max.X; x++ {
			counts[color.RGBAModel.Convert(m.At(x, y)).(color.RGBA)]++
		}
	}
	return counts
}

// The flags set the system's colours.
const (
	dark  = "--blink-settings=preferredColorScheme=0"
	light = "--blink-settings=preferredColorScheme=1"
)

// TestPageInABrowser checks the colours of ground, bars and text in both modes, the
// printed page, and the measures of a narrow and a wide page.
func TestPageInABrowser(t *testing.T) {
	b := openBrowser(t)
	t.Parallel()
	db := server.Database(t)
	buildtest.Load(t, db, buildtest.Sample(t, 3000))
	o := optionsOf(t)
	buildGraph(t, db, o, graph.Options{})
	file := b.write("report.html", render(t, db, o))
	for _, c := range []struct {
		name, flag               string
		ground, question, answer color.RGBA
	}{
		{"light", light, color.RGBA{255, 255, 255, 255}, color.RGBA{0x2b, 0x6c, 0xb0, 255}, color.RGBA{0x3d, 0x96, 0x93, 255}},
		{"dark", dark, color.RGBA{0x14, 0x18, 0x1d, 255}, color.RGBA{0x6b, 0xa7, 0xe5, 255}, color.RGBA{0x36, 0x90, 0x8b, 255}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := &browser{t, b.program, b.dir}
			m := b.screenshot(file, 1100, 1400, c.flag)
			counts := colours(m)
			if n := m.Bounds().Dx() * m.Bounds().Dy(); counts[c.ground] < n/2 || len(counts) < 100 {
				t.Errorf("%d of %d pixels are ground, there are %d colours", counts[c.ground], n, len(counts))
			}
			if counts[c.question] < 5000 || counts[c.answer] < 5000 {
				t.Errorf("%d pixels have the colour of questions, %d that of answers", counts[c.question], counts[c.answer])
			}
		})
	}
	t.Run("paper", func(t *testing.T) {
		b := &browser{t, b.program, b.dir}
		pdf := filepath.Join(b.dir, "report.pdf")
		_, console := b.run(file, dark, "--no-pdf-header-footer", "--print-to-pdf="+pdf)
		text, err := os.ReadFile(pdf)
		if err != nil {
			t.Fatal(err)
		}
		if pages := bytes.Count(text, []byte("/Type /Page\n")); pages < 5 || pages > 15 || len(console) > 0 {
			t.Errorf("%d pages; the browser says %q", pages, console)
		}
	})
	t.Run("measures", func(t *testing.T) { measure(t, &browser{t, b.program, b.dir}, file) })
}

// measures are those of a frame that shows the report.
type measures struct {
	Width      int   // that the content takes
	Widths     []int // of the bars of questions
	Scripts    int
	Title      string
	Overlaps   int      // labels of a chart that touch
	Cut        []string // texts that are wider than their place, with the excess in pixels
	Background string
}

// frames is a page that measures the report in frames of two widths, because the report
// runs no script.
const frames = `<!DOCTYPE html><body><script>
async function look(width) {
  const frame = document.createElement('iframe');
  frame.width = width; frame.height = 900; frame.src = 'report.html';
  const loaded = new Promise(done => frame.onload = done);
  document.body.append(frame);
  await loaded;
  const page = frame.contentDocument;
  let overlaps = 0;
  for (const chart of page.querySelectorAll('.columns, .dots')) {
    const labels = [...chart.querySelectorAll('text')].filter(l => getComputedStyle(l).display != 'none').map(l => l.getBoundingClientRect());
    labels.forEach((a, i) => labels.slice(i + 1).forEach(b => {
      if (a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 2 && b.top < a.bottom - 2) overlaps++;
    }));
  }
  const cut = [], beyond = (text, box) => {
    const t = text.getBoundingClientRect(), excess = Math.max(box.left - t.left, t.right - box.right, box.top - t.top, t.bottom - box.bottom);
    if (t.width && excess > 1) cut.push(text.textContent + ' by ' + Math.round(excess));
  };
  for (const chart of page.querySelectorAll('.matrix, .thread')) {
    const whole = chart.getBoundingClientRect();
    let box = whole;
    for (const shape of chart.querySelectorAll('text, rect.node')) {
      if (shape.tagName == 'rect') box = shape.getBoundingClientRect();
      else beyond(shape, shape.classList.contains('edge') || shape.textContent.endsWith(' more') ? whole : box);
    }
  }
  for (const text of page.querySelectorAll('.columns text, .dots text')) beyond(text, {left: 0, right: width, top: -1e6, bottom: 1e6});
  for (const place of page.querySelectorAll('h1, p, dt, dd, th, td, caption, figcaption, .tiles b'))
    if (place.scrollWidth > place.clientWidth + 1 && getComputedStyle(place).display != 'inline') cut.push(place.textContent + ' by ' + (place.scrollWidth - place.clientWidth));
  return {
    Cut: cut, Width: page.documentElement.scrollWidth,
    Widths: [...page.querySelectorAll('table.graphs rect.question')].map(r => Math.round(100 * r.getBoundingClientRect().width)),
    Scripts: page.scripts.length, Title: page.title, Overlaps: overlaps, Background: getComputedStyle(page.body).backgroundColor,
  };
}
Promise.all([look(360), look(1100)]).then(all => {
  const found = document.createElement('pre');
  found.id = 'found'; found.textContent = JSON.stringify(all);
  document.body.append(found);
});
</script></body>`

// look measures report.html at 360 and 1,100 pixels.
func (b *browser) look() (narrow, wide measures, console []string) {
	b.t.Helper()
	out, console := b.run(b.write("frames.html", frames), "--allow-file-access-from-files", "--virtual-time-budget=10000", "--dump-dom")
	root, err := html.Parse(bytes.NewReader(out))
	if err != nil {
		b.t.Fatal(err)
	}
	for n := range root.Descendants() {
		if n.Data == "pre" {
			var both []measures
			if err := json.Unmarshal([]byte(n.FirstChild.Data), &both); err != nil {
				b.t.Fatal(err)
			}
			return both[0], both[1], console
		}
	}
	b.t.Fatalf("the browser measured nothing: %s %q", out, console)
	return
}

// measure checks that a telephone does not scroll the page sideways, that labels do not
// overlap, and that the lengths of bars follow the numbers.
func measure(t *testing.T, b *browser, file string) {
	narrow, wide, console := b.look()
	if len(console) > 0 {
		t.Errorf("the browser says %q", console)
	}
	if narrow.Width > 360 || wide.Width > 1100 {
		t.Errorf("a page of 360 pixels takes %d, one of 1,100 %d", narrow.Width, wide.Width)
	}
	if len(narrow.Cut)+len(wide.Cut) > 0 {
		t.Errorf("cut: %q on a narrow page, %q on a wide one", narrow.Cut, wide.Cut)
	}
	if narrow.Overlaps+wide.Overlaps > 0 {
		t.Errorf("%d labels cover others on a narrow page, %d on a wide one", narrow.Overlaps, wide.Overlaps)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	_, graphs, _ := strings.Cut(string(text), `<table class="graphs">`)
	graphs, _, _ = strings.Cut(graphs, "</table>")
	if bars := strings.Count(graphs, `<rect class="question" x="0.00%"`); len(wide.Widths) != bars || bars < 30 {
		t.Errorf("%d bars of questions are drawn, the page has %d", len(wide.Widths), bars)
	}
	for i := 1; i < len(wide.Widths); i++ {
		if wide.Widths[i] > wide.Widths[i-1] {
			t.Errorf("bar %d is longer than the one before: %v", i, wide.Widths)
		}
	}
	if wide.Widths[0] < 5000 {
		t.Errorf("the longest bar has %d hundredths of a pixel", wide.Widths[0])
	}
}

// TestLabelsFit checks that no label of long words or of another script is cut or covers another.
func TestLabelsFit(t *testing.T) {
	b := openBrowser(t)
	foreignPages(t, func(t *testing.T, name, page string, _ *Report) {
		b := &browser{t, b.program, b.dir}
		if folder := os.Getenv("S2G_TEST_PAGES"); folder != "" { // for a look at them
			if err := os.WriteFile(filepath.Join(folder, name+".html"), []byte(page), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		b.write("report.html", page)
		narrow, wide, console := b.look()
		if len(narrow.Cut)+len(wide.Cut) > 0 || narrow.Overlaps+wide.Overlaps > 0 || len(console) > 0 {
			t.Errorf("cut: %q on a narrow page, %q on a wide one; %d and %d overlap; the browser says %q", narrow.Cut, wide.Cut, narrow.Overlaps, wide.Overlaps, console)
		}
		if narrow.Width > 360 || wide.Width > 1100 {
			t.Errorf("a page of 360 pixels takes %d, one of 1,100 %d", narrow.Width, wide.Width)
		}
	})
	t.Run("a label that is cut", func(t *testing.T) {
		b := &browser{t, b.program, b.dir}
		b.write("report.html", `<svg class="matrix" width="50" height="50"><text x="10" y="20">wider than this</text></svg>`)
		if narrow, _, _ := b.look(); len(narrow.Cut) != 1 {
			t.Errorf("the browser finds %q", narrow.Cut)
		}
	})
}

// TestHostileTextDoesNotRun checks that hostile text runs no script and meets no refusal of
// the policy. A page with unescaped markup shows that the browser would report one.
func TestHostileTextDoesNotRun(t *testing.T) {
	b := openBrowser(t)
	t.Parallel()
	db := server.Database(t)
	all := strings.Join(hostile, " ")
	buildtest.Load(t, db, writeHostile(t, strings.ReplaceAll(all, "|", "")[:250])) // a tag has no more room
	o := hostileOptions(t, all)
	buildGraph(t, db, o, graph.Options{})
	page := render(t, db, o)
	b.write("report.html", page)
	_, wide, console := b.look()
	if wide.Scripts != 0 || wide.Title != "stackoverflow.com as a graph and vectors" || len(console) > 0 {
		t.Errorf("%d scripts, the title %q, the browser says %q", wide.Scripts, wide.Title, console)
	}
	b.write("report.html", strings.Replace(page, "<main>", `<main><script>document.title='taken'</script><p style="color:red" onclick="x()"><img src="http://127.0.0.1:9/x.png">`, 1))
	_, wide, console = b.look()
	if wide.Scripts != 1 || wide.Title == "taken" || len(console) < 3 {
		t.Errorf("a page with a script, a style and an image: title %q, the browser says %q", wide.Title, console)
	}
}
