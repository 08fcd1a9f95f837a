package vectors

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/schema/tables"
)

// childShare builds the units of a rank in a process of its own.
func childShare(s *run, out string) error {
	key, err := s.key(context.Background())
	if err != nil {
		return err
	}
	share, err := manifest.OpenShare(out, manifest.Vectors, key)
	if err != nil {
		return err
	}
	return errors.Join(s.intoShare(context.Background(), share), share.Close())
}

// rank starts a process that builds the units of a rank.
func rank(t *testing.T, db *tables.DB, out, span string) *exec.Cmd {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	run := exec.CommandContext(t.Context(), program)
	run.Env = append(os.Environ(), childOut+"="+out, childDSN+"="+db.DSN(), childSpan+"="+span)
	run.Stderr = os.Stderr
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	return run
}

// shareable returns a folder with a manifest, which ranks need.
func shareable(t *testing.T) string {
	t.Helper()
	out := t.TempDir()
	dir := openDir(t, out)
	if err := errors.Join(dir.Update(func(*manifest.Manifest) {}), dir.Close()); err != nil {
		t.Fatal(err)
	}
	return out
}

func mergeInto(t *testing.T, db *tables.DB, out string) (*manifest.Dir, error) {
	t.Helper()
	dir := openDir(t, out)
	s := childRun(db)
	return dir, s.merge(t.Context(), dir)
}

func wantUsage(t *testing.T, what string, err error, names string) {
	t.Helper()
	if fault, _ := schema.FaultOf(err); err == nil || fault != schema.FaultUsage || !strings.Contains(err.Error(), names) {
		t.Errorf("%s: %v", what, err)
	}
}

// Three processes share a build, one of them is killed, and another process builds the
// rest as another number of ranks. Bytes and summary are those of one process.
func TestRanks(t *testing.T) {
	t.Parallel()
	rows, _ := benchPosts(240)
	db := load(t, map[string][]row{"Posts": rows})
	whole := openDir(t, t.TempDir())
	s := childRun(db)
	if err := s.intoBuild(t.Context(), whole); err != nil {
		t.Fatal(err)
	}
	want := files(t, whole.Out())

	out := shareable(t)
	ranks := []*exec.Cmd{rank(t, db, out, "0/3"), rank(t, db, out, "1/3")}
	killed := rank(t, db, out, "2/3")
	waitForMark(t, out)
	if err := killed.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = killed.Wait()
	for i, r := range ranks {
		if err := r.Wait(); err != nil {
			t.Fatalf("rank %d: %v", i, err)
		}
	}
	lose(t, out) // a mark without its file is a unit that is not there
	dir, err := mergeInto(t, db, out)
	wantUsage(t, "merging without a rank", err, "units are missing, the first is part-00002")
	wantUsage(t, "a run among ranks", smallRun(db, childOptions()).intoBuild(t.Context(), dir), "ranks have made vectors")
	if err := dir.Close(); err != nil {
		t.Fatal(err)
	}

	for _, span := range []string{"0/2", "1/2"} {
		if err := rank(t, db, out, span).Wait(); err != nil {
			t.Fatalf("rank %s: %v", span, err)
		}
	}
	dir, err = mergeInto(t, db, out)
	if err != nil {
		t.Fatal(err)
	}
	sameFiles(t, "three ranks", want, files(t, out))
	if diff := cmp.Diff(summaryOf(whole), summaryOf(dir)); diff != "" {
		t.Errorf("one process and three ranks: -want +got\n%s", diff)
	}
	if left, _ := filepath.Glob(filepath.Join(dir.Private(), "*share*")); len(left) > 0 || dir.HasMarks(manifest.Vectors) {
		t.Errorf("left after the merge: %v", left)
	}
}

// waitForMark waits until a unit has a mark, so that the kill comes amid the work.
func waitForMark(t *testing.T, out string) {
	t.Helper()
	for t.Context().Err() == nil {
		if marks, _ := filepath.Glob(filepath.Join(out, ".s2g", "vectors.marks", "part-*.json")); len(marks) > 0 {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// lose removes the parents' file of unit 2, if it is there.
func lose(t *testing.T, out string) {
	t.Helper()
	if err := os.Remove(filepath.Join(out, "parents", "part-00002.parquet")); err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
}

// Merge refuses marks of another key or of another model, and names them.
func TestMergeRefuses(t *testing.T) {
	t.Parallel()
	rows, _ := benchPosts(60)
	db := load(t, map[string][]row{"Posts": rows})
	out := shareable(t)
	if err := rank(t, db, out, "0/1").Wait(); err != nil {
		t.Fatal(err)
	}
	marks, _ := filepath.Glob(filepath.Join(out, ".s2g", "vectors.marks", "part-*.json"))
	if len(marks) < 2 {
		t.Fatalf("%d units", len(marks))
	}
	last := marks[len(marks)-1]
	good, err := os.ReadFile(last)
	if err != nil {
		t.Fatal(err)
	}
	for what, change := range map[string][2]string{
		"are of another dump, other options or another model": {`{"key":"`, `{"key":"0`},
		"builtin/other": {"builtin/", "builtin/other"},
	} {
		damaged := strings.Replace(string(good), change[0], change[1], 1)
		if damaged == string(good) {
			t.Fatalf("nothing to change in %s", good)
		}
		if err := os.WriteFile(last, []byte(damaged), 0o600); err != nil {
			t.Fatal(err)
		}
		dir, err := mergeInto(t, db, out)
		wantUsage(t, what, err, what)
		wantUsage(t, what, err, strings.TrimSuffix(filepath.Base(last), ".json"))
		if err := dir.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestRanksOfUnits(t *testing.T) {
	units := make([]unit, 10)
	for i := range units {
		units[i].number = i
	}
	seen := map[int]int{}
	for r := range 3 {
		for _, u := range (Ranks{r, 3}).assigned(units) {
			seen[u.number]++
		}
	}
	for i := range units {
		if seen[i] != 1 {
			t.Errorf("unit %d is made by %d ranks", i, seen[i])
		}
	}
	for _, bad := range []Ranks{{0, 0}, {-1, 2}, {2, 2}} {
		if bad.check() == nil {
			t.Errorf("rank %s is taken", strconv.Itoa(bad.Rank)+"/"+strconv.Itoa(bad.World))
		}
	}
}
