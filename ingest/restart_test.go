package ingest

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"s2g/ingest/sample"
	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/schema/schematest"
	"s2g/schema/tables"
)

// ingestEnv is an environment variable, DUMP:OUT, that makes the test binary ingest
// a dump, so that a test can kill it.
const ingestEnv = "S2G_TEST_INGEST"

func ingestInstead() {
	value, asked := os.LookupEnv(ingestEnv)
	if !asked {
		return
	}
	path, out, _ := strings.Cut(value, ":")
	if err := ingestOnce(path, out); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func ingestOnce(path, out string) error {
	dir, err := manifest.Open(out)
	if err != nil {
		return err
	}
	defer dir.Close()
	db, err := tables.Open(context.Background(), tables.ServerOptions{Dir: dir.Private(), Memory: serverMemory, Access: tables.Load})
	if err != nil {
		return err
	}
	defer db.Close()
	return Run(context.Background(), dir, db, Options{Dump: path})
}

// An ingest that is killed at any moment, with its server or without, produces the
// same tables when it is run again, and no server remains. S2G_TEST_KILLS and
// BENCH_POSTS set the numbers of kills and posts.
func TestKilledIngestIsResumed(t *testing.T) {
	schematest.Long(t)
	schematest.Tool(t, "mariadbd")
	kills, posts := schematest.EnvInt(t, "S2G_TEST_KILLS", 3), schematest.EnvInt(t, benchPosts, 2000)
	path := t.TempDir()
	if _, err := sample.Write(t.Context(), sample.Options{Posts: posts, Out: path, Shuffle: true}); err != nil {
		t.Fatal(err)
	}
	want, took := ingested(t, path, t.TempDir(), nil)
	r := rand.New(rand.NewPCG(3, uint64(posts)))
	for n := range kills {
		out := t.TempDir()
		after := time.Duration(r.Int64N(int64(took)))
		withServer := n%2 == 1
		kill := func(cmd *exec.Cmd) {
			time.Sleep(after)
			servers := schematest.ServerPIDs(out)
			cmd.Process.Kill()
			for _, pid := range servers {
				if withServer {
					syscall.Kill(pid, syscall.SIGKILL)
				}
			}
		}
		got, _ := ingested(t, path, out, kill)
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("killed after %v, server killed %v: tables differ (-want +got):\n%s", after, withServer, d)
		}
		for end := time.Now().Add(2 * time.Minute); len(schematest.ServerPIDs(out)) > 0 && time.Now().Before(end); {
			time.Sleep(20 * time.Millisecond)
		}
		if left := schematest.ServerPIDs(out); len(left) > 0 {
			t.Errorf("killed after %v: mariadbd %v is left behind", after, left)
		}
		os.RemoveAll(out)
	}
}

// ingested runs an ingest in another process and returns the state of its tables and
// its duration. If kill is not nil, it is called with an earlier run.
func ingested(t *testing.T, path, out string, kill func(*exec.Cmd)) (map[string]string, time.Duration) {
	t.Helper()
	start := func() (*exec.Cmd, *bytes.Buffer) {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), ingestEnv+"="+path+":"+out)
		stderr := &bytes.Buffer{}
		cmd.Stderr = stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd, stderr
	}
	if kill != nil {
		cmd, _ := start()
		kill(cmd)
		cmd.Wait() // an error if it was killed
	}
	begun := time.Now()
	cmd, stderr := start()
	if err := cmd.Wait(); err != nil {
		t.Fatalf("run again: %v\n%s", err, stderr)
	}
	took := time.Since(begun)
	g := privateTarget(t, out)
	defer g.close()
	plan, err := NewPlan(Options{Dump: path})
	if err != nil {
		t.Fatal(err)
	}
	g.inStep(plan.Key)
	g.tidy()
	return g.state(), took
}

// inStep checks that the manifest and the tables belong to one dump.
func (g target) inStep(key string) {
	g.t.Helper()
	held, err := g.db.DumpKey(g.t.Context())
	if err != nil {
		g.t.Fatal(err)
	}
	if held != key || !g.dir.Manifest().Fresh(manifest.Ingest, key) {
		g.t.Errorf("tables of dump %q in service, fresh %v; want %q", held, g.dir.Manifest().Fresh(manifest.Ingest, key), key)
	}
}

// tidy checks that there are no tables but those in service.
func (g target) tidy() {
	g.t.Helper()
	if left := g.value("SELECT GROUP_CONCAT(table_name) FROM information_schema.tables WHERE table_schema = DATABASE()" +
		" AND (table_name LIKE '%\\_new' OR table_name LIKE '%\\_old')"); left != "NULL" {
		g.t.Errorf("tables %s are left beside those in service", left)
	}
}

// begin is Run up to the loading of tables.
func (g target) begin(o Options) *ingestRun {
	g.t.Helper()
	o = o.withDefaults()
	plan, err := NewPlan(o)
	if err != nil {
		g.t.Fatal(err)
	}
	journal, err := g.dir.Begin(manifest.Ingest, plan.Key)
	if err != nil {
		g.t.Fatal(err)
	}
	g.t.Cleanup(func() { journal.Close() })
	return &ingestRun{o: o, db: g.db, dir: g.dir, journal: journal, plan: plan, loaded: make(map[string]*loadedTable)}
}

// other is a dump that differs from small in each table.
func other() map[string]string {
	rows := small()
	for table, r := range rows {
		rows[table] = strings.Replace(r, `Id="1"`, `Id="77"`, 1)
	}
	return rows
}

// A crash between any two steps of putting tables in service is repaired by the
// next run, of the same dump or of the one before.
func TestCrashAroundTheSwapIsRepaired(t *testing.T) {
	t.Parallel()
	g := newTarget(t)
	before, after := write(t, small()), write(t, other())
	want := make(map[string]map[string]string)
	for _, path := range []string{after, before} {
		if err := g.run(Options{Dump: path}); err != nil {
			t.Fatal(err)
		}
		want[path] = g.state()
	}
	steps := []struct {
		name string
		do   func(*ingestRun) error
	}{
		{"all tables are loaded", func(in *ingestRun) error { return in.loadMissing(t.Context()) }},
		{"the old dump's key is out of the manifest", func(in *ingestRun) error { return in.setManifestKey("") }},
		{"the tables are swapped", func(in *ingestRun) error { return in.db.Swap(t.Context(), in.plan.Key, schema.Tables()) }},
		{"rejects are written", func(in *ingestRun) error { return in.writeRejects() }},
		{"the dump is described", func(in *ingestRun) error {
			return in.dir.Update(func(m *manifest.Manifest) { m.Dump = in.dumpEntry() })
		}},
	}
	for last := range steps {
		for _, next := range []string{after, before} {
			t.Run(steps[last].name+", then "+map[string]string{after: "the same", before: "the old one"}[next], func(t *testing.T) {
				t.Parallel()
				g := newTarget(t)
				if err := g.run(Options{Dump: before}); err != nil {
					t.Fatal(err)
				}
				in := g.begin(Options{Dump: after})
				for _, s := range steps[:last+1] {
					if err := s.do(in); err != nil {
						t.Fatal(err)
					}
				}
				in.journal.Close() // killed here
				plan, err := NewPlan(Options{Dump: next})
				if err != nil {
					t.Fatal(err)
				}
				var log bytes.Buffer
				if !g.dir.Manifest().Fresh(manifest.Ingest, plan.Key) { // as the command checks
					if err := g.run(Options{Dump: next, Log: slog.New(slog.NewTextHandler(&log, nil))}); err != nil {
						t.Fatal(err)
					}
					g.tidy()
				}
				g.inStep(plan.Key)
				if d := cmp.Diff(want[next], g.state()); d != "" {
					t.Errorf("tables (-want +got):\n%s", d)
				}
				if n := strings.Count(log.String(), "loaded by the interrupted run"); next == after && n != len(schema.Tables()) {
					t.Errorf("%d tables were not loaded again, want all:\n%s", n, log.String())
				}
				if files := g.dir.Manifest().Stages[manifest.Ingest].Files; len(files) != 1 {
					t.Errorf("files of the stage: %v", files)
				}
			})
		}
	}
}

// A swap that fails leaves the tables and the manifest of the dump before.
func TestFailedSwapChangesNothing(t *testing.T) {
	t.Parallel()
	g := newTarget(t)
	before := write(t, small())
	if err := g.run(Options{Dump: before}); err != nil {
		t.Fatal(err)
	}
	want, key := g.state(), g.dir.Manifest().Stages[manifest.Ingest].Key
	in := g.begin(Options{Dump: write(t, other())})
	if err := in.loadMissing(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := g.db.SQL().Exec("DROP TABLE Tags_new"); err != nil {
		t.Fatal(err)
	}
	if err := in.finish(t.Context()); err == nil {
		t.Fatal("tables are in service though one is missing")
	}
	if d := cmp.Diff(want, g.state()); d != "" {
		t.Errorf("tables (-want +got):\n%s", d)
	}
	held, err := g.db.DumpKey(t.Context())
	if err != nil || held != key || !g.dir.Manifest().Fresh(manifest.Ingest, key) {
		t.Errorf("dump %q in service, %v; manifest is fresh: %v", held, err, g.dir.Manifest().Fresh(manifest.Ingest, key))
	}
	if _, err := os.Stat(filepath.Join(g.dir.Out(), RejectsFile)); err != nil {
		t.Error(err)
	}
}

// Loaded tables stay, except those that MariaDB has lost in part.
func TestLoadedTablesStay(t *testing.T) {
	t.Parallel()
	g := newTarget(t)
	path := write(t, small())
	if err := g.run(Options{Dump: path}); err != nil {
		t.Fatal(err)
	}
	want := g.state()
	for name, damage := range map[string]string{
		"Votes":     "DELETE FROM Votes_new",
		"Comments":  "UPDATE Comments_new SET Id = Id + 5",
		"PostLinks": "ALTER TABLE PostLinks_new DROP KEY PostId",
		"Tags":      "DROP TABLE Tags_new",
	} {
		t.Run(name, func(t *testing.T) {
			// a fresh stage is not run: remove it from the manifest
			if err := g.dir.Update(func(m *manifest.Manifest) { delete(m.Stages, manifest.Ingest) }); err != nil {
				t.Fatal(err)
			}
			in := g.begin(Options{Dump: path})
			group, ctx := errgroup.WithContext(t.Context())
			for _, s := range in.plan.Dump.Streams {
				if s.Members[0].Table != "Posts" { // the run is killed while it loads posts
					if err := in.loadStream(ctx, s, group); err != nil {
						t.Fatal(err)
					}
				}
			}
			if err := group.Wait(); err != nil {
				t.Fatal(err)
			}
			in.journal.Close()
			if _, err := g.db.SQL().Exec(damage); err != nil {
				t.Fatal(err)
			}
			var log bytes.Buffer
			if err := g.run(Options{Dump: path, Log: slog.New(slog.NewTextHandler(&log, nil))}); err != nil {
				t.Fatal(err)
			}
			if n := strings.Count(log.String(), "loaded by the interrupted run"); n != 3 || !strings.Contains(log.String(), "msg=loading table="+name) {
				t.Errorf("%d tables stayed, want 3, and %s loaded again:\n%s", n, name, log.String())
			}
			if d := cmp.Diff(want, g.state()); d != "" {
				t.Errorf("tables (-want +got):\n%s", d)
			}
			g.inStep(in.plan.Key)
			g.tidy()
		})
	}
}

// The limits of bad rows apply to tables that an interrupted run has loaded.
func TestLimitsHoldForLoadedTables(t *testing.T) {
	t.Parallel()
	g := newTarget(t)
	rows := small()
	rows["Tags"] += `<row Id="3" TagName="x" Count="few" />`
	path := write(t, rows)
	in := g.begin(Options{Dump: path, MaxRejects: new(1.0)})
	if err := in.loadMissing(t.Context()); err != nil {
		t.Fatal(err)
	}
	in.journal.Close()
	for _, o := range []Options{{Dump: path, Strict: true, MaxRejects: new(1.0)}, {Dump: path}} {
		if f, _ := schema.FaultOf(g.run(o)); f != schema.FaultInput {
			t.Errorf("%+v: fault %v", o, f)
		}
	}
	if err := g.run(Options{Dump: path, MaxRejects: new(1.0)}); err != nil {
		t.Error(err)
	}
}

// The error of a server that dies during a load names it and quotes the end of its
// log, and the next run resumes.
func TestServerCrashIsAServiceFault(t *testing.T) {
	schematest.Long(t)
	path := t.TempDir()
	if _, err := sample.Write(t.Context(), sample.Options{Posts: 2000, Out: path}); err != nil {
		t.Fatal(err)
	}
	g := privateTarget(t, t.TempDir())
	defer g.close()
	if err := g.run(Options{Dump: path}); err != nil {
		t.Fatal(err)
	}
	want := g.state()
	var once sync.Once
	kill := func(string, int64, int64) {
		once.Do(func() {
			for _, pid := range schematest.ServerPIDs(g.dir.Out()) {
				syscall.Kill(pid, syscall.SIGKILL)
			}
		})
	}
	err := g.run(Options{Dump: path, Progress: kill})
	if f, _ := schema.FaultOf(err); f != schema.FaultService || !strings.Contains(err.Error(), "mariadbd has ended") ||
		!strings.Contains(err.Error(), "ready for connections") {
		t.Errorf("fault %v: %v", f, err)
	}
	db, err := tables.Open(t.Context(), tables.ServerOptions{Dir: g.dir.Private(), Memory: serverMemory, Access: tables.Load})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	again := target{t, g.dir, db}
	if err := again.run(Options{Dump: path}); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, again.state()); d != "" {
		t.Errorf("tables (-want +got):\n%s", d)
	}
}

// A full disk is a fault of resources at every step, and the run is resumed when
// there is space.
func TestFullDiskIsAResourceFault(t *testing.T) {
	schematest.Long(t)
	path := t.TempDir()
	if _, err := sample.Write(t.Context(), sample.Options{Posts: 12_000, Out: path, Shuffle: true}); err != nil {
		t.Fatal(err)
	}
	disk := t.TempDir()
	resize := func(flags, size string) error {
		out, err := exec.Command("mount", "-t", "tmpfs", "-o", flags+"size="+size, "none", disk).CombinedOutput()
		if err != nil {
			t.Logf("mount: %v: %s", err, out)
		}
		return err
	}
	schematest.Need(t, os.Getuid() == 0 && resize("", "100m") == nil, "a file system of a test's own, which root may mount")
	defer exec.Command("umount", disk).Run()
	for _, size := range []string{"100m", "300m", "320m"} {
		if err := resize("remount,", size); err != nil {
			t.Fatal(err)
		}
		err := ingestOnce(path, disk)
		if f, _ := schema.FaultOf(err); f != schema.FaultResources {
			t.Errorf("%s: fault %v: %v", size, f, err)
		}
	}
	if err := resize("remount,", "800m"); err != nil {
		t.Fatal(err)
	}
	if err := ingestOnce(path, disk); err != nil {
		t.Error(err)
	}
}
