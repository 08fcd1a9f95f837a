package vectors

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/vectors/embed"
	"s2g/vectors/search"
	"s2g/vectors/shard"
	"s2g/vectors/text"
)

// fakeModel serves vectors as vLLM does. It counts a token for each byte, and refuses
// texts that hold a word.
type fakeModel struct {
	*httptest.Server
	tokenizes atomic.Bool
	reads     int // tokens of a text, at most; 0: more than any has
	refuses   string
	embedded  atomic.Int64 // texts
}

func newFakeModel(t *testing.T) *fakeModel {
	f := &fakeModel{}
	f.tokenizes.Store(true)
	f.Server = httptest.NewServer(http.HandlerFunc(f.serve))
	t.Cleanup(f.Close)
	return f
}

func (f *fakeModel) serve(w http.ResponseWriter, r *http.Request) {
	var q struct {
		Input  []string
		Prompt string
	}
	if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	type object = map[string]any
	answer := object{"tokens": make([]int, len(q.Prompt)), "max_model_len": cmp.Or(f.reads, 100_000)}
	switch {
	case r.URL.Path == "/tokenize" && f.tokenizes.Load():
	case r.URL.Path == "/v1/embeddings" && (f.refuses == "" || !strings.Contains(strings.Join(q.Input, " "), f.refuses)):
		var data []object
		for i, in := range q.Input {
			data = append(data, object{"index": i, "embedding": []float32{0, float32(len(in))}})
		}
		f.embedded.Add(int64(len(q.Input)))
		answer = object{"model": "m", "data": data}
	default:
		http.Error(w, `{"error": {"message": "no"}}`, http.StatusBadRequest)
		return
	}
	_ = json.NewEncoder(w).Encode(answer)
}

func (f *fakeModel) options() Options {
	o := smallOptions()
	o.Dense = "openai+" + f.URL + "/v1?model=m"
	o.Window, o.Overlap, o.Workers = 300, new(20), 1
	o.Remote = embed.RemoteOptions{RetryFor: time.Millisecond}
	return o
}

func TestWindowsOfTheEndpointsTokens(t *testing.T) {
	t.Parallel()
	db, f := loadFixture(t), newFakeModel(t)
	f.refuses = "NullPointerException"
	dir := openDir(t, t.TempDir())
	if err := smallRun(db, f.options()).intoBuild(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	long := 0
	for _, file := range dir.Manifest().Stages[manifest.Vectors].Files {
		if !strings.HasPrefix(file.Name, "vectors/python/") {
			continue
		}
		for _, p := range readShard[shard.Point](t, dir.Out(), file.Name) {
			if len(p.Text) > 300 {
				t.Errorf("point %d has %d tokens", p.PointID, len(p.Text))
			}
			if len(p.Text) > 150 {
				long++
			}
		}
	}
	if long < 10 {
		t.Errorf("only %d windows are well filled", long)
	}
	counts := dir.Manifest().Stages[manifest.Vectors].Counts
	if counts["dense_texts_refused"] != 1 || counts["texts_without_a_known_term"] != 0 || !CutByEndpoint(dir.Manifest()) {
		t.Errorf("%v, %+v", counts, dir.Manifest().Stages[manifest.Vectors].Embedders)
	}

	by := embed.TokenizerOf(mustOpen(t, f))
	c, err := Clean(t.Context(), db, 8, CleanOptions{Languages: smallOptions().Languages, Windows: Windows{300, 20, by}})
	if err != nil || len(c.Chunks) < 10 || c.Chunks[0].Tokens != len(c.Chunks[0].Text) {
		t.Errorf("%+v, %v", c, err)
	}
}

// Windows that are longer than the model reads give a warning before the work.
func TestWindowsLongerThanTheModelReads(t *testing.T) {
	t.Parallel()
	db := loadFixture(t)
	for reads, want := range map[int]bool{299: true, 300: false, 0: false} {
		f := newFakeModel(t)
		f.reads = reads
		var log bytes.Buffer
		o := f.options()
		o.Log = slog.New(slog.NewTextHandler(&log, nil))
		if err := smallRun(db, o).intoBuild(t.Context(), openDir(t, t.TempDir())); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(log.String(), "give a smaller option window"); got != want {
			t.Errorf("a model that reads %d tokens: %s", reads, log.String())
		}
	}
}

func mustOpen(t *testing.T, f *fakeModel) embed.Dense {
	t.Helper()
	d, err := embed.OpenDense(t.Context(), f.options().Dense, f.options().Remote)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// A run that resumes cuts windows as the one before it, or fails.
func TestWindowsOfResumedRuns(t *testing.T) {
	t.Parallel()
	db, f := loadFixture(t), newFakeModel(t)
	for _, c := range []struct {
		name          string
		first, second bool // whether the endpoint has the route
		fails         bool
	}{
		{"the route stays", true, true, false},
		{"the route goes", true, false, true},
		{"the route comes", false, true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			f.tokenizes.Store(c.first)
			whole := openDir(t, t.TempDir())
			if err := smallRun(db, f.options()).intoBuild(t.Context(), whole); err != nil {
				t.Fatal(err)
			}
			dir := openDir(t, t.TempDir())
			ctx, cancel := context.WithCancel(t.Context())
			o := f.options()
			o.Progress = func(_ string, done, _ int64) {
				if done >= 5 {
					cancel()
				}
			}
			if err := smallRun(db, o).intoBuild(ctx, dir); !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			f.tokenizes.Store(c.second)
			err := smallRun(db, f.options()).intoBuild(t.Context(), dir)
			var fault *schema.Error
			if c.fails {
				if !errors.As(err, &fault) || fault.Fault != schema.FaultService {
					t.Errorf("%v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			sameFiles(t, c.name, files(t, whole.Out()), files(t, dir.Out()))
		})
	}
}

func TestCodeHasTheLanguageOfItsQuestion(t *testing.T) {
	t.Parallel()
	languages := smallOptions().Languages // c#, java, python
	db := load(t, map[string][]row{"Posts": {
		question(1, "|python|java|", "Two", "<pre><code>a = b</code></pre>"),
		answer(2, 1, `<pre><code>b = a</code></pre><pre class="lang-sh"><code>ls</code></pre>`),
	}})
	dir := openDir(t, t.TempDir())
	if err := Run(t.Context(), dir, db, smallOptions()); err != nil {
		t.Fatal(err)
	}
	want := []string{"```java\na = b\n```", "```java\nb = a\n```\n\n```sh\nls\n```"}
	for i, p := range readShard[shard.Parent](t, dir.Out(), "parents/part-00000.parquet") {
		if p.Text != want[i] {
			t.Errorf("post %d: %q", p.PostID, p.Text)
		}
	}
	c, err := Clean(t.Context(), db, 2, CleanOptions{Languages: languages})
	if err != nil || c.Text != want[1] || c.Chunks[0].Tokens != text.EstimateTokens(c.Chunks[0].Text) {
		t.Errorf("%+v, %v", c, err)
	}
}

// All texts of a build have the addresses of links, or none has.
func TestLinks(t *testing.T) {
	t.Parallel()
	db := load(t, map[string][]row{"Posts": {
		with(question(1, "|python|", "Sort a list", `<p>As <a href="http://e.org/x">the manual</a> says.</p>`), "AcceptedAnswerId", 2),
		answer(2, 1, `<p>See <a href="http://e.org/y">this</a>.</p>`),
	}})
	for links, want := range map[bool][2]string{
		false: {"As the manual says.", "See this."},
		true:  {"As [the manual](http://e.org/x) says.", "See [this](http://e.org/y)."},
	} {
		dir := openDir(t, t.TempDir())
		o := smallOptions()
		o.Links = links
		if err := Run(t.Context(), dir, db, o); err != nil {
			t.Fatal(err)
		}
		// as the command line does
		if err := dir.Update(func(m *manifest.Manifest) { m.Options.Links, m.Options.Languages = links, o.Languages }); err != nil {
			t.Fatal(err)
		}
		for i, p := range readShard[shard.Parent](t, dir.Out(), "parents/part-00000.parquet") {
			if p.Text != want[i] {
				t.Errorf("links %v, post %d: %q", links, p.PostID, p.Text)
			}
		}
		c, err := Clean(t.Context(), db, 1, CleanOptions{Links: links})
		if err != nil || c.Text != want[0] {
			t.Errorf("links %v: %+v, %v", links, c, err)
		}
		hits := []search.Hit{{PostID: 1, AcceptedAnswerID: 2, IRI: "http://stackoverflow.com/questions/1"}}
		if err := search.AddThreads(t.Context(), dir.Out(), db, hits); err != nil || hits[0].Text != want[0] || hits[0].Answers[0].Text != want[1] {
			t.Errorf("links %v: %+v, %v", links, hits, err)
		}
	}
}
