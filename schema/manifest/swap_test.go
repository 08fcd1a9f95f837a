package manifest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"s2g/schema"
	"s2g/schema/schematest"
)

// inService writes a build with all stages, whose files hold the given word.
func inService(t *testing.T, out, word string) {
	t.Helper()
	d := open(t, out)
	writeStages(t, d, word)
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
}

// writeStages runs all stages in the root. Each build has a file that others lack.
func writeStages(t testing.TB, d *Dir, word string) {
	t.Helper()
	for _, s := range []struct {
		stage string
		names []string
	}{
		{Ingest, []string{"rejects.jsonl"}},
		{Graph, []string{"graph/batch-1", "graph/" + word}},
		{Vectors, []string{"vectors/python/part-00000.parquet", "vectors/" + word + "/part-00000.parquet", "parents/part-00000.parquet", "model.bin"}},
	} {
		if err := writeStage(d, s.stage, word, s.names...); err != nil {
			t.Fatal(err)
		}
	}
	if err := publishWord(d, word); err != nil {
		t.Fatal(err)
	}
}

func publishWord(d *Dir, word string) error {
	_, err := d.Publish([]Document{{Name: "README.md", Content: []byte(word)}, {Name: word + ".md", Content: []byte(word)}})
	return errors.Join(err, d.Replace(reportName, []byte(word)))
}

func writeStage(d *Dir, stage, word string, names ...string) error {
	r, err := d.Begin(stage, stage+" of "+word)
	if err != nil {
		return err
	}
	defer r.Close()
	for _, name := range names {
		o, err := r.Create(name)
		if err != nil {
			return err
		}
		if _, err := o.Write([]byte(word)); err != nil {
			return err
		}
		if _, err := o.Commit(1, ""); err != nil {
			return err
		}
	}
	s := Summary{Rows: 1}
	if stage == Vectors {
		s.Embedders = &Embedders{Dense: "builtin/x", Sparse: "qdrant/bm25"}
	}
	return r.Finish(s)
}

func keysOf(word string) map[string]string {
	return map[string]string{Ingest: Ingest + " of " + word, Graph: Graph + " of " + word, Vectors: Vectors + " of " + word}
}

// makeNext makes a build of the word beside the one in service.
func makeNext(t testing.TB, d *Dir, word string) {
	t.Helper()
	if err := d.EnterNext(keysOf(word), true); err != nil {
		t.Fatal(err)
	}
	writeStages(t, d, word)
}

// whole returns the word of the build in OUT. Every file must hold it, and no other
// file may be there.
func whole(out string) (string, error) {
	m, err := Read(out)
	if err != nil {
		return "", err
	}
	word := strings.TrimPrefix(m.Stages[Graph].Key, Graph+" of ")
	want := map[string]bool{fileName: true, reportName: true}
	for _, stage := range m.Stages {
		for _, f := range stage.Files {
			want[f.Name] = true
		}
	}
	for _, f := range m.Published {
		want[f.Name] = true
	}
	err = filepath.WalkDir(out, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() && e.Name() != ".s2g" {
			return err
		}
		if e.IsDir() {
			return filepath.SkipDir
		}
		name, _ := filepath.Rel(out, path)
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if !want[name] {
			return fmt.Errorf("%s is of no build", name)
		}
		delete(want, name)
		if name != fileName && string(text) != word {
			return fmt.Errorf("%s holds %q in the build %q", name, text, word)
		}
		return nil
	})
	if err == nil && len(want) > 0 {
		err = fmt.Errorf("missing of the build %q: %v", word, want)
	}
	return word, err
}

func isWhole(t *testing.T, out, want string) {
	t.Helper()
	if word, err := whole(out); err != nil || word != want {
		t.Fatalf("the build %q, want %q: %v", word, want, err)
	}
}

func TestSwapPutsTheNextBuildInService(t *testing.T) {
	out := t.TempDir()
	inService(t, out, "old")
	d := open(t, out)
	makeNext(t, d, "new")
	isWhole(t, out, "old")
	if err := d.MarkVerified(true); err != nil {
		t.Fatal(err)
	}
	if err := d.Swap(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	isWhole(t, out, "new")
	if d.Out() != out || !d.Manifest().Fresh(Graph, Graph+" of new") || !d.IsVerified() || d.Manifest().Root() != out {
		t.Error("the folder's manifest is not that of the new build")
	}
	for _, name := range []string{"graph", "vectors", "parents"} {
		if isLink(filepath.Join(out, name)) {
			t.Errorf("%s is a link", name)
		}
	}
	left, err := os.ReadDir(d.Private())
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range left {
		if name := e.Name(); name != "lock" && name != "generation" && name != "tmp" && name != fileName && name != verifiedName {
			t.Errorf("left in .s2g: %s", name)
		}
	}
	if err := os.Remove(filepath.Join(out, fileName)); err != nil {
		t.Fatal(err)
	}
	if m, err := Read(out); err != nil || !m.Fresh(Graph, Graph+" of new") {
		t.Errorf("the copy of the manifest is of another build: %v", err)
	}
}

func TestStagesThatDoNotChangeAreLinks(t *testing.T) {
	out := t.TempDir()
	inService(t, out, "old")
	before, err := os.Stat(filepath.Join(out, "vectors"))
	if err != nil {
		t.Fatal(err)
	}
	d := open(t, out)
	keys := keysOf("old")
	keys[Graph] = Graph + " of new"
	if err := d.EnterNext(keys, false); err != nil {
		t.Fatal(err)
	}
	next := NextFolder(out)
	for _, name := range []string{"vectors", "parents", "model.bin", "rejects.jsonl", "graph"} {
		to, err := os.Readlink(filepath.Join(next, name))
		if err != nil || filepath.IsAbs(to) {
			t.Errorf("%s: %q, %v; want a relative link", name, to, err)
		}
	}
	if err := writeStage(d, Graph, "new", "graph/batch-1"); err != nil {
		t.Fatal(err)
	}
	if isLink(filepath.Join(next, "graph")) || !hasFile(d, "vectors/python/part-00000.parquet") || d.Manifest().Stages[Vectors] == nil {
		t.Error("the next build lacks a stage, or its graph is a link")
	}
	isWhole(t, out, "old")
	if err := publishWord(d, "new"); err != nil {
		t.Fatal(err)
	}
	if err := d.Swap(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	after, err := os.Stat(filepath.Join(out, "vectors"))
	if err != nil || !os.SameFile(before, after) || isLink(filepath.Join(out, "vectors")) {
		t.Errorf("the vectors were replaced: %v", err)
	}
	for name, want := range map[string]string{"graph/batch-1": "new", "vectors/python/part-00000.parquet": "old", "README.md": "new", reportName: "new"} {
		if text, err := os.ReadFile(filepath.Join(out, name)); err != nil || string(text) != want {
			t.Errorf("%s holds %q, want %q: %v", name, text, want, err)
		}
	}
	if hasFile(d, "graph/old") || hasFile(d, "old.md") {
		t.Error("files of the build before are left")
	}
}

// A kill between the entry of a stage and its links costs nothing: the next run links
// the stage, and a swap never takes outputs out of service without new ones.
func TestStageWithoutItsLinksIsLinkedAgain(t *testing.T) {
	out := t.TempDir()
	inService(t, out, "old")
	keys := keysOf("old")
	keys[Graph] = Graph + " of new"
	d := open(t, out)
	if err := d.EnterNext(keys, false); err != nil {
		t.Fatal(err)
	}
	unlinked := func() {
		for _, name := range entities[Vectors] {
			if err := os.Remove(filepath.Join(NextFolder(out), name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	unlinked()
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	d = open(t, out)
	if err := d.EnterNext(keys, false); err != nil {
		t.Fatal(err)
	}
	if !d.IsLinked(Vectors) || d.Manifest().Stages[Vectors] == nil {
		t.Fatal("the vectors are not linked")
	}
	if err := writeStage(d, Graph, "new", "graph/batch-1"); err != nil {
		t.Fatal(err)
	}
	unlinked()
	if err := d.Swap(t.Context(), nil); err == nil {
		t.Error("a build without its vectors went into service")
	}
	if text, err := os.ReadFile(filepath.Join(out, "vectors/python/part-00000.parquet")); err != nil || string(text) != "old" {
		t.Errorf("the vectors in service hold %q: %v", text, err)
	}
}

// endAt prevents the change of the given number, from 0, and all that follow until end is
// called, which reports whether there were so many.
func endAt(t *testing.T, number int) (end func() bool) {
	changes := 0
	BeforeChange = func() error {
		if changes++; changes > number {
			return errors.New("the run has ended")
		}
		return nil
	}
	t.Cleanup(func() { BeforeChange = nil })
	return func() bool {
		BeforeChange = nil
		return changes > number
	}
}

// A swap that ends before any of its changes leaves the old build, or is completed by the
// next start or the next reader.
func TestSwapThatEndsAtEachStep(t *testing.T) {
	schematest.Long(t)
	step, interrupted := 0, 0
	for ended := true; ended; step++ {
		for _, completes := range []string{"open", "reader"} {
			out := t.TempDir()
			inService(t, out, "old")
			d := open(t, out)
			makeNext(t, d, "new")
			end := endAt(t, step)
			err := d.Swap(t.Context(), nil)
			if ended = end(); ended != (err != nil) {
				t.Fatalf("step %d: %v", step, err)
			}
			if err := d.Close(); err != nil {
				t.Fatal(err)
			}
			want := "old"
			switch m, err := Read(out); {
			case isInterrupted(out):
				interrupted++
				want = "new"
			case err == nil && m.Fresh(Graph, Graph+" of new"):
				want = "new"
			}
			if completes == "open" {
				d = open(t, out)
				if exists(filepath.Join(d.Private(), oldFolder)) {
					t.Errorf("step %d: the build before is left", step)
				}
			} else {
				g, err := HoldGeneration(t.Context(), out)
				if err != nil {
					t.Fatal(err)
				}
				defer g.Release()
			}
			if isInterrupted(out) {
				t.Errorf("step %d: the journal is left", step)
			}
			isWhole(t, out, want)
		}
	}
	if interrupted < 2*15 {
		t.Errorf("of %d steps only %d left the journal of a swap", step, interrupted/2)
	}
}

// The environment of a test process that swaps: OUT, and the step at which it kills
// itself or a time in microseconds after which it does.
const (
	swapOut  = "MANIFEST_TEST_SWAP"
	swapStep = "MANIFEST_TEST_SWAP_STEP"
	swapTime = "MANIFEST_TEST_SWAP_MICROSECONDS"
)

func TestKillsDuringASwapLeaveOneBuildWhole(t *testing.T) {
	if out := os.Getenv(swapOut); out != "" {
		swapAndDie(t, out)
		return
	}
	schematest.Long(t)
	const kills = 20
	out := t.TempDir()
	inService(t, out, "0")
	killed, swapped, seed := 0, 0, rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0))
	for killed < kills {
		before, err := whole(out)
		if err != nil {
			t.Fatal(err)
		}
		child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestKillsDuringASwapLeaveOneBuildWhole$")
		child.Env = append(os.Environ(), swapOut+"="+out)
		if killed%2 == 0 {
			child.Env = append(child.Env, swapStep+"="+strconv.Itoa(r.IntN(25)))
		} else {
			child.Env = append(child.Env, swapTime+"="+strconv.Itoa(r.IntN(20_000)))
		}
		output, err := child.CombinedOutput()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
			t.Fatalf("the process was not killed: %v\n%s", err, output)
		}
		killed++
		g, err := HoldGeneration(t.Context(), out) // a reader after the kill
		if err != nil {
			t.Fatalf("seed %d, kill %d: %v", seed, killed, err)
		}
		word, err := whole(out)
		if err != nil {
			t.Fatalf("seed %d, kill %d: %v", seed, killed, err)
		}
		if err := g.Release(); err != nil {
			t.Fatal(err)
		}
		if word != before {
			swapped++
		}
	}
	if swapped < 5 {
		t.Errorf("of %d kills only %d came after the first step of a swap", kills, swapped)
	}
}

// swapAndDie makes the build of the next number and swaps; the process is killed before
// the end.
func swapAndDie(t *testing.T, out string) {
	d := open(t, out)
	n, err := strconv.Atoi(strings.TrimPrefix(d.Manifest().Stages[Graph].Key, Graph+" of "))
	if err != nil {
		t.Fatal(err)
	}
	makeNext(t, d, strconv.Itoa(n+1))
	kill := func() { _ = syscall.Kill(os.Getpid(), syscall.SIGKILL) }
	if step, err := strconv.Atoi(os.Getenv(swapStep)); err == nil {
		changes := 0
		BeforeChange = func() error {
			if changes++; changes > step {
				kill()
				time.Sleep(time.Minute)
			}
			return nil
		}
	} else if after, err := strconv.Atoi(os.Getenv(swapTime)); err == nil {
		time.AfterFunc(time.Duration(after)*time.Microsecond, kill)
	}
	if err := d.Swap(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	kill()
	time.Sleep(time.Minute)
}

// A swap waits for readers; readers see one build whole.
func TestReadersBesideASwap(t *testing.T) {
	out := t.TempDir()
	inService(t, out, "old")
	d := open(t, out)
	makeNext(t, d, "new")
	reader, err := HoldGeneration(t.Context(), out)
	if err != nil {
		t.Fatal(err)
	}
	waits, ended := make(chan bool, 1), make(chan error, 1)
	go func() { ended <- d.Swap(context.Background(), func() { waits <- true }) }()
	<-waits
	second, err := HoldGeneration(t.Context(), out) // one that starts meanwhile
	if err != nil {
		t.Fatal(err)
	}
	isWhole(t, out, "old")
	for _, g := range []*Generation{reader, second} {
		select {
		case err := <-ended:
			t.Fatalf("the swap did not wait: %v", err)
		case <-time.After(3 * lockPoll):
		}
		if err := g.Release(); err != nil {
			t.Fatal(err)
		}
	}
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	isWhole(t, out, "new")
}

func TestSwapThatIsInterruptedWhileItWaitsChangesNothing(t *testing.T) {
	out := t.TempDir()
	inService(t, out, "old")
	d := open(t, out)
	makeNext(t, d, "new")
	reader, err := HoldGeneration(t.Context(), out)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Release()
	ctx, cancel := context.WithCancel(t.Context())
	if err := d.Swap(ctx, cancel); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	isWhole(t, out, "old")
	if _, err := os.Stat(filepath.Join(NextFolder(out), fileName)); err != nil {
		t.Errorf("the next build is gone: %v", err)
	}
}

// A reader that may not complete a swap reports a service fault; a folder in which no
// lock can be created is read without one.
func TestReadersWithoutALock(t *testing.T) {
	copied := t.TempDir() // without .s2g
	g, err := HoldGeneration(t.Context(), copied)
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Release(); err != nil {
		t.Error(err)
	}
	if left, _ := os.ReadDir(copied); len(left) != 0 {
		t.Errorf("a reader has created %v", left)
	}
	out := t.TempDir()
	inService(t, out, "old")
	d := open(t, out) // another process, which does not complete the swap
	if err := os.WriteFile(filepath.Join(d.Private(), swapJournal), []byte("[]"), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*lockPoll)
	defer cancel()
	if _, err := HoldGeneration(ctx, out); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a reader between two builds: %v", err)
	}
}

// An interrupted next build is continued if the keys are the same; else only its
// endpoint's vectors are kept, as a source.
func TestNextBuildOfOtherOptionsIsRemovedButItsVectorsAreASource(t *testing.T) {
	out := t.TempDir()
	inService(t, out, "old")
	d := open(t, out)
	keys := keysOf("old")
	keys[Graph], keys[Vectors] = "g", "v1"
	if err := d.EnterNext(keys, false); err != nil {
		t.Fatal(err)
	}
	if err := writeStage(d, Graph, "new", "graph/batch-1"); err != nil {
		t.Fatal(err)
	}
	unit := func(key string) *Run {
		r, err := d.Begin(Vectors, key)
		if err != nil {
			t.Fatal(err)
		}
		o, err := r.Create("vectors/python/part-00000.parquet")
		if err != nil {
			t.Fatal(err)
		}
		f, err := o.Commit(1, "")
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Note("vectors/part-00000", 1, `{"embedders":{"dense":"endpoint","sparse":"qdrant/bm25"}}`, f); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(r.Close(), d.Close()); err != nil {
			t.Fatal(err)
		}
		d = open(t, out)
		return r
	}
	unit("v1")
	if got, err := Sources(out, out); err != nil || len(got) != 1 || got[0].Root != NextFolder(out) || len(got[0].Manifest.Stages[Vectors].Files) != 1 {
		t.Errorf("sources of another run: %+v, %v", got, err)
	}
	keys[Vectors] = "v1"
	if err := d.EnterNext(keys, false); err != nil {
		t.Fatal(err)
	}
	r, err := d.Begin(Vectors, "v1")
	if err != nil || len(r.Committed()) != 2 {
		t.Fatalf("the next build is not continued: %v", err)
	}
	if err := errors.Join(r.Close(), d.Close()); err != nil {
		t.Fatal(err)
	}
	d = open(t, out)
	keys[Vectors] = "v2"
	if err := d.EnterNext(keys, false); err != nil {
		t.Fatal(err)
	}
	if r, err = d.Begin(Vectors, "v2"); err != nil || len(r.Committed()) != 0 {
		t.Fatalf("units of other options are taken for this run's: %v", err)
	}
	got, err := Sources(out, d.Out())
	if err != nil || len(got) != 2 || got[0].Root != out || got[1].Manifest.Stages[Vectors].Embedders.Dense != "endpoint" {
		t.Fatalf("sources %+v, %v", got, err)
	}
	if !got[1].Manifest.Stages[Vectors].Files[0].exists(got[1].Root) {
		t.Error("the shard of the source is missing")
	}
	if err := r.Finish(Summary{Embedders: &Embedders{Dense: "endpoint", Sparse: "qdrant/bm25"}}); err != nil {
		t.Fatal(err)
	}
	if got, err := Sources(out, d.Out()); err != nil || len(got) != 1 {
		t.Errorf("after the end of the run: %+v, %v", got, err)
	}
	isWhole(t, out, "old")
}

// In place, an endpoint's vectors are moved, not removed, before the first new file.
func TestVectorsOfAnEndpointAreMovedAside(t *testing.T) {
	d := open(t, t.TempDir())
	r, err := d.Begin(Vectors, "v1")
	if err != nil {
		t.Fatal(err)
	}
	write(t, r, "vectors/python/part-00000.parquet", "costly")
	if err := r.Finish(Summary{Embedders: &Embedders{Dense: "endpoint"}}); err != nil {
		t.Fatal(err)
	}
	if r, err = d.Begin(Vectors, "v2"); err != nil || !hasFile(d, "vectors/python/part-00000.parquet") {
		t.Fatal("the vectors are gone before the first new file")
	}
	write(t, r, "vectors/java/part-00000.parquet", "new")
	got, err := Sources(d.Out(), d.Out())
	if err != nil || len(got) != 1 || hasFile(d, "vectors/python/part-00000.parquet") {
		t.Fatalf("sources %+v, %v", got, err)
	}
	if text, err := os.ReadFile(filepath.Join(got[0].Root, "vectors/python/part-00000.parquet")); err != nil || string(text) != "costly" {
		t.Errorf("%q, %v", text, err)
	}
}

func TestOtherTablesInTheNextBuildAreTheLatest(t *testing.T) {
	out := t.TempDir()
	inService(t, out, "old")
	d := open(t, out)
	if err := d.EnterNext(keysOf("new"), true); err != nil {
		t.Fatal(err)
	}
	begun, err := d.Begin(Ingest, Ingest+" of new")
	if err != nil {
		t.Fatal(err)
	}
	if err := begun.Close(); err != nil || !ReadsNext(out) { // as after a kill
		t.Errorf("no run reads a dump: %v", err)
	}
	if err := writeStage(d, Ingest, "new", "rejects.jsonl"); err != nil {
		t.Fatal(err)
	}
	if ReadsNext(out) {
		t.Error("a run that has ended reads a dump")
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if m, err := ReadLatest(out); err != nil || !m.Fresh(Ingest, Ingest+" of new") || m.Stages[Graph] != nil || m.Base() != out {
		t.Errorf("the latest build: %+v, %v", m, err)
	}
	d = open(t, out)
	if d.Beside() {
		t.Error("the root is the next folder at once")
	}
	if d.EnterNewer(); !d.Beside() || d.Manifest().Stages[Vectors] != nil {
		t.Error("the newer build is not the root, or has stages of the older tables")
	}
	isWhole(t, out, "old")
}

func TestDiscardKeepsTheBuildInService(t *testing.T) {
	out := t.TempDir()
	inService(t, out, "old")
	d := open(t, out)
	keys := keysOf("old")
	keys[Graph] = "other"
	if err := d.EnterNext(keys, false); err != nil {
		t.Fatal(err)
	}
	if err := d.Discard(); err != nil || d.Beside() {
		t.Error(err)
	}
	if _, err := os.Lstat(NextFolder(out)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the next folder is left: %v", err)
	}
	isWhole(t, out, "old")
}

func TestSharesOfAStageInServiceWorkBeside(t *testing.T) {
	out := t.TempDir()
	inService(t, out, "old")
	for n := range 2 {
		s, err := OpenShare(out, Vectors, "v2")
		if err != nil {
			t.Fatal(err)
		}
		o, err := s.Create(fmt.Sprintf("vectors/java/part-%05d.parquet", n))
		if err != nil {
			t.Fatal(err)
		}
		f, err := o.Commit(1, "")
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(s.Note(fmt.Sprintf("vectors/part-%05d", n), 1, "", f), s.Close()); err != nil {
			t.Fatal(err)
		}
	}
	isWhole(t, out, "old")
	d := open(t, out)
	keys := keysOf("old")
	keys[Vectors] = "v2"
	if err := d.EnterNext(keys, false); err != nil {
		t.Fatal(err)
	}
	files, err := d.Marks(Vectors, "v2")
	if err != nil || len(files) != 4 || !hasFile(d, "vectors/java/part-00001.parquet") {
		t.Errorf("marks %+v, %v", files, err)
	}
	if d.Manifest().Stages[Vectors] != nil || d.Manifest().Stages[Graph] == nil {
		t.Error("the next build has the vectors in service, or lacks the graph")
	}
	isWhole(t, out, "old")
}

func TestLostManifestComesBackFromItsCopy(t *testing.T) {
	for _, damage := range []func(path string) error{
		os.Remove,
		func(path string) error { return os.Truncate(path, 40) },
		func(path string) error { return os.WriteFile(path, make([]byte, 100), 0o600) },
	} {
		out := t.TempDir()
		inService(t, out, "old")
		if err := damage(filepath.Join(out, fileName)); err != nil {
			t.Fatal(err)
		}
		if m, err := Read(out); err != nil || !m.Restored || !Exists(out) {
			t.Errorf("a reader finds no build: %v", err)
		}
		d := open(t, out)
		if !d.Manifest().Restored || !d.Manifest().Fresh(Graph, Graph+" of old") {
			t.Error("the manifest is not that of the copy")
		}
		isWhole(t, out, "old")
		if m, err := parse(filepath.Join(out, fileName)); err != nil || !m.Fresh(Graph, Graph+" of old") {
			t.Errorf("manifest.json is not written again: %v", err)
		}
	}
	out := t.TempDir()
	inService(t, out, "old")
	if err := os.Remove(copyPath(out)); err != nil {
		t.Fatal(err)
	}
	open(t, out)
	if m, err := parse(copyPath(out)); err != nil || !m.Fresh(Graph, Graph+" of old") {
		t.Errorf("a lost copy is not written again: %v", err)
	}
	out = t.TempDir()
	inService(t, out, "old")
	if err := os.WriteFile(filepath.Join(out, fileName), []byte(`{"format":99}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(out); err == nil {
		t.Error("the manifest of a later version is taken for a damaged one")
	} else if fault, _ := schema.FaultOf(err); fault != schema.FaultUsage {
		t.Error(err)
	}
}

func TestRunInPlaceThatHasNotEnded(t *testing.T) {
	out := t.TempDir()
	d := open(t, out)
	if err := writeStage(d, Graph, "old", "graph/batch-1"); err != nil {
		t.Fatal(err)
	}
	complete := func(want schema.Fault) {
		t.Helper()
		m, err := Read(out)
		if err != nil {
			t.Fatal(err)
		}
		err = m.CheckComplete()
		if fault, _ := schema.FaultOf(err); (err != nil) != (want != 0) || err != nil && fault != want {
			t.Errorf("error %v, want fault %v", err, want)
		}
	}
	complete(0)
	r, err := d.Begin(Vectors, "v")
	if err != nil {
		t.Fatal(err)
	}
	complete(schema.FaultService)
	if err := errors.Join(r.Close(), d.Close()); err != nil {
		t.Fatal(err)
	}
	complete(schema.FaultService)
	d = open(t, out)
	if err := writeStage(d, Vectors, "old", "vectors/python/part-00000.parquet"); err != nil {
		t.Fatal(err)
	}
	complete(0)
	if err := d.EnterNext(map[string]string{Graph: "g"}, true); err != nil {
		t.Fatal(err)
	}
	if r, err = d.Begin(Graph, "g"); err != nil {
		t.Fatal(err)
	}
	complete(0) // the run is beside
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestLinksOfAnInterruptedBuildAreRemoved(t *testing.T) {
	out := t.TempDir()
	inService(t, out, "old")
	d := open(t, out)
	keys := keysOf("old")
	keys[Graph] = "other"
	if err := errors.Join(d.EnterNext(keys, false), d.Close()); err != nil {
		t.Fatal(err)
	}
	d = open(t, out)
	if kept, err := d.DiscardLinks(); kept || err != nil || exists(NextFolder(out)) {
		t.Errorf("kept %v, %v", kept, err)
	}
	if err := d.EnterNext(keys, false); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(writeStage(d, Graph, "other", "graph/batch-1"), d.Close()); err != nil {
		t.Fatal(err)
	}
	d = open(t, out)
	if kept, err := d.DiscardLinks(); !kept || err != nil || !exists(filepath.Join(NextFolder(out), "graph/batch-1")) {
		t.Errorf("the graph of an interrupted build is not kept: %v", err)
	}
	isWhole(t, out, "old")
}

// A build of an earlier version may name no site; its graph does.
func TestSiteOfAManifestWithoutOneComesFromTheGraph(t *testing.T) {
	for text, want := range map[string]string{
		"<http://cooking.stackexchange.com/s2g/void#dataset> a <http://x> .": "http://cooking.stackexchange.com",
		"<https://example.org/s2g/void#dump> a <http://x> .":                 "https://example.org",
		"nothing": "",
	} {
		out := t.TempDir()
		d := open(t, out)
		r := begin(t, d, "k")
		write(t, r, "graph/void.ttl", text)
		if err := r.Finish(Summary{}); err != nil {
			t.Fatal(err)
		}
		m, err := Read(out)
		if err != nil {
			t.Fatal(err)
		}
		if site, err := m.BuildSite(); string(site) != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q, %v", text, site, err)
		}
	}
}
