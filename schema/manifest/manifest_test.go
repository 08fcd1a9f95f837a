package manifest

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"s2g/schema"
	"s2g/schema/vocab"
)

func open(t *testing.T, out string) *Dir {
	t.Helper()
	d, err := Open(out)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

func begin(t *testing.T, d *Dir, key string) *Run {
	t.Helper()
	r, err := d.Begin(Graph, key)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

func write(t *testing.T, r *Run, name, content string) File {
	t.Helper()
	o, err := r.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := o.Write([]byte(content)); err != nil {
		t.Fatal(err)
	}
	f, err := o.Commit(int64(len(content)), "after "+name)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func hasFile(d *Dir, name string) bool {
	_, err := os.Stat(filepath.Join(d.Out(), name))
	return err == nil
}

func TestFinishedStageIsInTheManifest(t *testing.T) {
	out := t.TempDir()
	d := open(t, out)
	r := begin(t, d, "k1")
	write(t, r, "graph/b", "bb")
	write(t, r, "graph/a", "a")
	if _, err := Read(out); err == nil {
		t.Error("a manifest is there before the stage has finished")
	}
	if err := r.Finish(Summary{Rows: 3}); err != nil {
		t.Fatal(err)
	}
	m, err := Read(out)
	if err != nil {
		t.Fatal(err)
	}
	if !m.Fresh(Graph, "k1") || m.Fresh(Graph, "k2") || m.Fresh(Vectors, "k1") {
		t.Error("Fresh is wrong")
	}
	sum := sha256.Sum256([]byte("a"))
	info, err := os.Stat(filepath.Join(out, "graph/a"))
	if err != nil {
		t.Fatal(err)
	}
	want := File{Name: "graph/a", Size: 1, SHA256: hex.EncodeToString(sum[:]), Rows: 1, Time: info.ModTime().UTC()}
	if diff := cmp.Diff(want, m.Stages[Graph].Files[0]); diff != "" {
		t.Error(diff)
	}
	if hasFile(d, ".s2g/graph.journal") {
		t.Error("the journal is left behind")
	}
	if s := m.Stages[Graph]; s.PeakRSS == 0 || s.Seconds == 0 || s.Rows != 3 {
		t.Errorf("summary %+v", s.Summary)
	}
}

func TestRunResumesAnInterruptedOne(t *testing.T) {
	d := open(t, t.TempDir())
	first := write(t, begin(t, d, "k"), "graph/1", "one")

	r := begin(t, d, "k")
	if diff := cmp.Diff([]File{first}, r.Committed()); diff != "" {
		t.Fatal(diff)
	}
	write(t, r, "graph/2", "two")
	if err := r.Note("table", 7, "loaded"); err != nil {
		t.Fatal(err)
	}
	if got := begin(t, d, "k").Committed(); len(got) != 3 || got[2].Rows != 7 {
		t.Errorf("committed %+v", got)
	}

	if err := os.Remove(filepath.Join(d.Out(), "graph/1")); err != nil {
		t.Fatal(err)
	}
	if got := begin(t, d, "k").Committed(); len(got) != 2 || got[0].Name != "graph/2" {
		t.Errorf("a file that is gone counts as committed: %+v", got)
	}
}

func TestFileMadeAgainIsListedOnce(t *testing.T) {
	d := open(t, t.TempDir())
	write(t, begin(t, d, "k"), "graph/1", "one")
	r := begin(t, d, "k")
	write(t, r, "graph/1", "another")
	if err := r.Finish(Summary{}); err != nil {
		t.Fatal(err)
	}
	if got := d.Manifest().Stages[Graph].Files; len(got) != 1 || got[0].Size != 7 {
		t.Errorf("files %+v", got)
	}
}

func TestRunOfAnotherKeyRemovesTheInterruptedOne(t *testing.T) {
	d := open(t, t.TempDir())
	write(t, begin(t, d, "k1"), "graph/1", "one")
	r := begin(t, d, "k2")
	if got := r.Committed(); len(got) != 0 || hasFile(d, "graph/1") {
		t.Errorf("committed %v, file there %v", got, hasFile(d, "graph/1"))
	}
}

func TestFinishedOutputsStayUntilTheFirstNewFile(t *testing.T) {
	d := open(t, t.TempDir())
	r := begin(t, d, "k1")
	write(t, r, "graph/1", "one")
	write(t, r, "graph/2", "two")
	if err := r.Finish(Summary{}); err != nil {
		t.Fatal(err)
	}
	r = begin(t, d, "k2")
	if !hasFile(d, "graph/1") || !d.Manifest().Fresh(Graph, "k1") {
		t.Error("Begin alone has removed the old outputs")
	}
	write(t, r, "graph/1", "new")
	if hasFile(d, "graph/2") || d.Manifest().Stages[Graph] != nil {
		t.Error("old outputs are left beside new ones")
	}
}

// finished writes a run of a key with one file.
func finished(t *testing.T, d *Dir, key, name string) {
	t.Helper()
	r := begin(t, d, key)
	write(t, r, name, key)
	if err := r.Finish(Summary{}); err != nil {
		t.Fatal(err)
	}
}

// After a kill between the removal of a run from the manifest and that of its
// files, the next run removes those files.
func TestKillDuringTheRemovalOfFiles(t *testing.T) {
	d := open(t, t.TempDir())
	finished(t, d, "k1", "graph/1.trig")
	if err := os.WriteFile(filepath.Join(d.Out(), "graph/folder"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	// the removal of a folder that is not empty fails, and ends the run at this file
	err := d.Update(func(m *Manifest) {
		m.Stages[Graph].Files = append([]File{{Name: "graph", SHA256: "x"}}, m.Stages[Graph].Files...)
	})
	if err != nil {
		t.Fatal(err)
	}
	r := begin(t, d, "k2")
	if _, err := r.Create("graph/1.nq"); err == nil || !hasFile(d, "graph/1.trig") || d.Manifest().Stages[Graph] != nil {
		t.Fatalf("the removal was not interrupted: %v", err)
	}
	if err := errors.Join(r.Close(), d.Close()); err != nil {
		t.Fatal(err)
	}
	d = open(t, d.Out())
	if err := d.Update(func(m *Manifest) { m.Replaced[Graph] = m.Replaced[Graph][1:] }); err != nil {
		t.Fatal(err)
	}
	r = begin(t, d, "k3")
	if hasFile(d, "graph/1.trig") || !hasFile(d, "graph/folder") || len(d.Manifest().Replaced) != 0 {
		t.Errorf("left behind: %+v", d.Manifest().Replaced)
	}
	write(t, r, "graph/1.trig", "k3")
	if err := r.Finish(Summary{}); err != nil || !hasFile(d, "graph/1.trig") {
		t.Error(err)
	}
}

// A journal that remains after its run has finished names files of the manifest:
// the next run leaves them in place until it creates a file.
func TestKillBeforeTheRemovalOfTheJournal(t *testing.T) {
	for _, next := range []string{"k1", "k2"} {
		d := open(t, t.TempDir())
		r := begin(t, d, "k1")
		write(t, r, "graph/1", "one")
		text, err := os.ReadFile(filepath.Join(d.Out(), ".s2g/graph.journal"))
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Finish(Summary{}); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(d.Out(), ".s2g/graph.journal"), text, 0o600); err != nil {
			t.Fatal(err)
		}
		r = begin(t, d, next)
		if !hasFile(d, "graph/1") || !d.Manifest().Fresh(Graph, "k1") || len(r.Committed()) != 0 {
			t.Errorf("%s: the finished run has lost its file, or %v is taken for an interrupted run's", next, r.Committed())
		}
		write(t, r, "graph/1", "another")
		if err := r.Finish(Summary{}); err != nil {
			t.Fatal(err)
		}
		if got := d.Manifest().Stages[Graph]; got.Key != next || len(got.Files) != 1 || !hasFile(d, "graph/1") {
			t.Errorf("%s: %+v", next, got)
		}
	}
}

func TestRunResumesAfterACutJournalLine(t *testing.T) {
	d := open(t, t.TempDir())
	write(t, begin(t, d, "k"), "graph/1", "one")
	path := filepath.Join(d.Private(), "graph.journal")
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	f.WriteString(`{"name":"graph/2","si`)
	f.Close()
	r := begin(t, d, "k")
	if got := r.Committed(); len(got) != 1 {
		t.Fatalf("committed %v", got)
	}
	write(t, r, "graph/2", "two")
	if got := begin(t, d, "k").Committed(); len(got) != 2 {
		t.Errorf("after a cut line, committed %v", got)
	}
}

func TestLockAdmitsOneDirOrSeveralShares(t *testing.T) {
	out := t.TempDir()
	refused := func(err error, holder string) {
		t.Helper()
		if fault, _ := schema.FaultOf(err); err == nil || fault != schema.FaultService || !strings.Contains(err.Error(), holder) {
			t.Errorf("error %v, want a service fault that names the holder: %s", err, holder)
		}
	}
	d := open(t, out)
	finished(t, d, "k", "graph/1")
	process := "process " + strconv.Itoa(os.Getpid())
	_, err := Open(out)
	refused(err, process)
	_, err = OpenShare(out, Vectors, "k")
	refused(err, process)
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	var shares []*Share
	for range 2 {
		s, err := OpenShare(out, Vectors, "k")
		if err != nil {
			t.Fatal(err)
		}
		shares = append(shares, s)
	}
	_, err = Open(out)
	refused(err, "processes share its lock")
	for _, s := range shares {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	open(t, out)
}

func TestLockOfKilledProcess(t *testing.T) {
	if out := os.Getenv("MANIFEST_TEST_LOCK"); out != "" {
		open(t, out)
		os.Stdout.WriteString("locked\n")
		time.Sleep(time.Hour) // without a timer the runtime reports a deadlock
	}
	out := t.TempDir()
	cmd := exec.Command(os.Args[0], "-test.run=^TestLockOfKilledProcess$")
	cmd.Env = append(os.Environ(), "MANIFEST_TEST_LOCK="+out)
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := pipe.Read(make([]byte, 7)); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(out); err == nil {
		t.Error("the lock was free while the process lived")
	}
	cmd.Process.Kill()
	cmd.Wait()
	open(t, out)
}

func TestAbortLeavesNothing(t *testing.T) {
	d := open(t, t.TempDir())
	r := begin(t, d, "k")
	o, err := r.Create("graph/x")
	if err != nil {
		t.Fatal(err)
	}
	if err := o.Abort(); err != nil {
		t.Fatal(err)
	}
	if left, _ := os.ReadDir(d.Tmp()); len(left) != 0 || hasFile(d, "graph/x") {
		t.Errorf("left behind: %v", left)
	}
	if _, err := r.Create("../x"); err == nil {
		t.Error("a name outside OUT was accepted")
	}
}

func TestOpenRejectsADamagedManifest(t *testing.T) {
	out := t.TempDir()
	for _, content := range []string{"", "{", `{"format":99}`,
		`{"format":1,"stages":{"graph":{"files":[{"name":"graph/../../x"}]}}}`, `{"format":1,"replaced":{"graph":[{"name":"/x"}]}}`, `{"format":1,"published":[{"name":".."}]}`} {
		if err := os.WriteFile(filepath.Join(out, fileName), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Open(out)
		if fault, _ := schema.FaultOf(err); err == nil || fault != schema.FaultUsage {
			t.Errorf("manifest %q: %v, want a usage fault", content, err)
		}
	}
}

// Update writes the new weight, and leaves a manifest that was read before unchanged.
func TestUpdateKeepsEarlierManifests(t *testing.T) {
	out := t.TempDir()
	d := open(t, out)
	if err := begin(t, d, "k").Finish(Summary{Embedders: &Embedders{Dense: "d", Sparse: "s", Weight: 0.2}}); err != nil {
		t.Fatal(err)
	}
	before := d.Manifest()
	err := d.Update(func(m *Manifest) { m.Stages[Graph].Embedders.Weight, m.Stages[Graph].Embedders.Fitted = 0.35, 100 })
	if err != nil {
		t.Fatal(err)
	}
	m, err := Read(out)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&Embedders{Dense: "d", Sparse: "s", Weight: 0.35, Fitted: 100}, m.Stages[Graph].Embedders); diff != "" {
		t.Error(diff)
	}
	if w := before.Stages[Graph].Embedders.Weight; w != 0.2 {
		t.Errorf("a manifest that was handed out has changed: weight %v", w)
	}
	if !m.Fresh(Graph, "k") {
		t.Error("a fitted weight makes the stage stale")
	}
}

func TestEditionFollowsFromTheFiles(t *testing.T) {
	edition := func(newest string, files ...File) string {
		m := &Manifest{Dump: Dump{Newest: newest}, Stages: map[string]*Stage{Graph: {Key: "any", Files: files}}}
		e, err := m.Edition(Graph)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	file := File{Name: "graph/a", Size: 1, SHA256: "ca978112"}
	const want = "2024-03-31_7419f537"
	if got := edition("2024-03-31T23:59:59.999Z", file); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for what, got := range map[string]string{
		"another file":   edition("2024-03-31T23:59:59.999Z", File{Name: "graph/a", Size: 1, SHA256: "3e23e816"}),
		"a file more":    edition("2024-03-31T23:59:59.999Z", file, file),
		"another day":    edition("2024-06-30T23:59:59.999Z", file),
		"a dump undated": edition("", file),
	} {
		if got == want {
			t.Errorf("%s has the same name", what)
		}
	}
	if _, err := (&Manifest{}).Edition(Graph); err == nil {
		t.Error("a stage that is not there has a name")
	} else if fault, _ := schema.FaultOf(err); fault != schema.FaultUsage {
		t.Error(err)
	}
}

// A process that starts others can take the lock again at once after it has released it.
func TestLockIsFreeWhileChildrenStart(t *testing.T) {
	out, stop := t.TempDir(), make(chan struct{})
	var children sync.WaitGroup
	for range 4 {
		children.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					_ = exec.Command("/bin/true").Run()
				}
			}
		})
	}
	defer children.Wait()
	defer close(stop)
	for range 50 {
		d, err := Open(out)
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestBuildSiteIsTheChosenElseTheDumpsElseUnknown(t *testing.T) {
	for _, c := range []struct {
		chosen, dump string
		want         vocab.Site
	}{
		{"", "askubuntu.com", "http://askubuntu.com"},
		{"https://example.org", "", "https://example.org"},
		{"https://example.org", "askubuntu.com", "https://example.org"},
	} {
		m := &Manifest{Options: Options{Site: c.chosen}, Dump: Dump{Site: c.dump}}
		if got, err := m.BuildSite(); err != nil || got != c.want {
			t.Errorf("chosen %q, of the dump %q: %q, %v; want %q", c.chosen, c.dump, got, err, c.want)
		}
	}
	for _, site := range []string{"a b", ""} {
		_, err := (&Manifest{Options: Options{Site: site}}).BuildSite()
		if fault, remedy := schema.FaultOf(err); fault != schema.FaultUsage || remedy == "" {
			t.Errorf("of the site %q: %v", site, err)
		}
	}
}

func TestGraphsEndWithTheRemainder(t *testing.T) {
	python := schema.Language{Tag: "python", Slug: "python", Name: "Python"}
	chosen := append(make([]schema.Language, 0, 2), python) // with room that Graphs must not use
	for _, c := range []struct {
		options Options
		want    []schema.Language
	}{
		{Options{}, schema.DefaultLanguages()},
		{Options{Languages: chosen}, []schema.Language{python}},
		{Options{Languages: chosen, Other: true}, []schema.Language{python, schema.OtherLanguage()}},
	} {
		if diff := cmp.Diff(c.want, c.options.Graphs()); diff != "" {
			t.Error(diff)
		}
	}
	if spare := chosen[:2][1]; spare != (schema.Language{}) {
		t.Errorf("the table's own array holds %v now", spare)
	}
}
