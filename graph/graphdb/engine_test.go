package graphdb

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"s2g/graph/rdf4j"
	"s2g/graph/rdf4j/rdf4jtest"
	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/schema/schematest"
	"s2g/schema/vocab"
)

// asLoader is the environment variable that makes the test binary a loader: URL,
// repository and folder, separated by spaces.
const asLoader = "S2G_TEST_LOADER"

// batches is the number of batches of the loads that are killed.
const batches = 40

func TestMain(m *testing.M) {
	if job := strings.Fields(os.Getenv(asLoader)); len(job) == 3 {
		os.Exit(loadAs(job[0], job[1], job[2]))
	}
	os.Exit(m.Run())
}

func loadAs(url, name, dir string) int {
	m, err := manifest.Read(dir)
	if err == nil {
		var b *Build
		if b, err = NewBuild(dir, m, vocab.StackOverflow); err == nil {
			var c *rdf4j.Client
			if c, err = rdf4j.New(rdf4j.Config{URL: url}); err == nil {
				_, err = Load(context.Background(), c.Repository(name), b, Options{Transaction: 2})
			}
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// A load on GraphDB's engine ends with the build in the repository, whatever goes
// wrong on the way.
func TestLoadOnEngine(t *testing.T) {
	schematest.Long(t)
	server := rdf4jtest.Open(t)
	load := func(t *testing.T, r *rdf4j.Repository, b *Build, o Options) LoadResult {
		t.Helper()
		o.Log = logger(t)
		loaded, err := Load(t.Context(), r, b, o)
		check(t, err)
		return loaded
	}
	for _, compress := range []string{"gzip", "zstd", "none"} {
		t.Run(compress, func(t *testing.T) {
			b, r := build(t, 7, compress), repository(t, server.URL, server.Name(t))
			var told int64
			got := load(t, r, b, Options{Transaction: 3, Progress: func(_ string, done, total int64) {
				if told = done; total != 7*perFile {
					t.Errorf("%d in all", total)
				}
			}})
			if !got.Created || got.Sent != 7 || got.Loaded != 7*perFile || told != got.Loaded || got.Statements != b.Statements() {
				t.Errorf("%+v, told %d", got, told)
			}
			holds(t, r, b)
			if got := load(t, r, b, Options{}); got.Created || got.Sent != 0 || got.Statements != b.Statements() {
				t.Errorf("again: %+v", got)
			}
		})
	}
	t.Run("rdf4j", func(t *testing.T) {
		b, r := build(t, 5, "gzip"), repository(t, server.URL, server.Name(t))
		load(t, r, b, Options{CreateOptions: CreateOptions{Server: ServerRDF4J}, Transaction: 1, InFlight: 4})
		holds(t, r, b)
	})
	t.Run("a configuration of one's own", func(t *testing.T) {
		b, name := build(t, 1, "gzip"), server.Name(t)
		file := filepath.Join(t.TempDir(), "c.ttl")
		check(t, os.WriteFile(file, []byte(rdf4j.Configuration(rdf4j.GraphDB, rdf4j.Settings{ID: name, Ruleset: "rdfs"})), 0o644))
		text, read, err := ReadConfiguration(file)
		check(t, err)
		if read != name {
			t.Errorf("the name is %q", read)
		}
		r := repository(t, server.URL, name)
		load(t, r, b, Options{CreateOptions: CreateOptions{Configuration: text}})
		if n := len(statements(t, r)); n < int(b.Statements()) {
			t.Errorf("%d statements", n)
		}
	})
	t.Run("refused configuration", func(t *testing.T) {
		for name, c := range map[string]CreateOptions{
			"ruleset": {Ruleset: "nonsense"},
			"text":    {Configuration: []byte("nonsense")},
			"id":      {Configuration: []byte(rdf4j.Configuration(rdf4j.GraphDB, rdf4j.Settings{ID: "another"}))},
		} {
			_, err := Load(t.Context(), repository(t, server.URL, server.Name(t)), build(t, 1, "gzip"), Options{CreateOptions: c})
			if fault, _ := schema.FaultOf(err); fault != schema.FaultUsage {
				t.Errorf("%s: fault %v: %v", name, fault, err)
			}
		}
	})
	t.Run("offline", func(t *testing.T) { offline(t, server) })
	t.Run("other content", func(t *testing.T) { otherContent(t, server) })
	t.Run("damaged files", func(t *testing.T) { damagedFiles(t, server) })
	t.Run("faults", func(t *testing.T) { faults(t, server.URL, server.Name) })
	t.Run("left at the end", func(t *testing.T) { leftAtTheEnd(t, server) })
	t.Run("killed clients", func(t *testing.T) { killedClients(t, server) })
}

// offline does what importrdf does with the files of WriteOffline. A load that follows
// has nothing to send.
func offline(t *testing.T, server *rdf4jtest.Server) {
	b, name := build(t, 3, "gzip"), server.Name(t)
	dir := filepath.Join(t.TempDir(), "with space")
	command, err := WriteOffline(b, name, dir, CreateOptions{})
	check(t, err)
	want := fmt.Sprintf("importrdf preload -s -c '%s/repository.ttl' '%[1]s/described.nq' %s/graph/batch-*.trig.gz", dir, b.Out)
	if got := strings.Join(command, " "); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	read := func(path string) []byte {
		text, err := os.ReadFile(path)
		check(t, err)
		return text
	}
	r := repository(t, server.URL, name)
	check(t, r.Create(t.Context(), string(read(filepath.Join(dir, "repository.ttl")))))
	tx, err := r.Begin(t.Context())
	check(t, err)
	check(t, tx.Add(t.Context(), rdf4j.Data{Media: rdf4j.NQuads, Body: read(filepath.Join(dir, "described.nq"))}))
	batches, err := filepath.Glob(filepath.Join(b.Out, "graph", "batch-*.trig.gz"))
	check(t, err)
	for _, path := range batches {
		check(t, tx.Add(t.Context(), rdf4j.Data{Media: rdf4j.TriG, Encoding: "gzip", Body: read(path)}))
	}
	check(t, tx.Commit(t.Context()))
	loaded, err := Load(t.Context(), r, b, Options{})
	check(t, err)
	if loaded.Sent != 0 || loaded.Statements != b.Statements() {
		t.Errorf("%+v", loaded)
	}
	holds(t, r, b)
	if _, err := WriteOffline(build(t, 1, "zstd"), name, dir, CreateOptions{}); err == nil {
		t.Error("a build with zstd, which importrdf does not read, is no error")
	}
}

// otherContent loads into repositories that hold something else.
func otherContent(t *testing.T, server *rdf4jtest.Server) {
	b, other := build(t, 3, "gzip"), build(t, 4, "gzip")
	refused := func(r *rdf4j.Repository, word string) {
		t.Helper()
		before := statements(t, r)
		_, err := Load(t.Context(), r, b, Options{})
		if fault, _ := schema.FaultOf(err); fault != schema.FaultUsage || !strings.Contains(err.Error(), word) {
			t.Errorf("%v: %v", fault, err)
		}
		if after := statements(t, r); len(after) != len(before) {
			t.Errorf("%d statements, %d before", len(after), len(before))
		}
		if s, files, err := Plan(t.Context(), r, b); s.State != Foreign || files != nil || err == nil {
			t.Errorf("the plan: %s, %v", s.State, err)
		}
	}
	r := repository(t, server.URL, server.Name(t))
	_, err := Load(t.Context(), r, other, Options{})
	check(t, err)
	refused(r, "other statements")

	r = repository(t, server.URL, server.Name(t))
	begun(t, r, other, 2)
	refused(r, other.Edition)

	// of the build itself, but with a statement more
	r = repository(t, server.URL, server.Name(t))
	_, err = Load(t.Context(), r, b, Options{})
	check(t, err)
	add(t, r, "<http://a> <http://a> <http://a> .")
	_, err = Load(t.Context(), r, b, Options{})
	if fault, _ := schema.FaultOf(err); fault != schema.FaultVerification || !strings.Contains(err.Error(), fmt.Sprint(b.Statements()+1)) {
		t.Errorf("%v: %v", fault, err)
	}
}

// begun creates a repository with the ontology and n files of a build.
func begun(t *testing.T, r *rdf4j.Repository, b *Build, n int) {
	t.Helper()
	l, err := newLoader(r, b, Options{})
	check(t, err)
	_, err = l.prepare(t.Context())
	check(t, err)
	check(t, l.loadFiles(t.Context(), []manifest.File{b.Ontology}))
	check(t, l.loadFiles(t.Context(), b.Batches[:n]))
}

func add(t *testing.T, r *rdf4j.Repository, turtle string) {
	t.Helper()
	tx, err := r.Begin(t.Context())
	check(t, err)
	check(t, tx.Add(t.Context(), rdf4j.Data{Media: rdf4j.Turtle, Body: []byte(turtle)}))
	check(t, tx.Commit(t.Context()))
}

// damagedFiles loads builds with a file that differs from the manifest, or that no
// server can read. The error names the file, and nothing of it is stored.
func damagedFiles(t *testing.T, server *rdf4jtest.Server) {
	half := append(batch(77), `<http://stackoverflow.com/r> { <http://stackoverflow.com/questions/1> <http://a/p> "unterminated`...)
	for name, c := range map[string]struct {
		text   []byte
		sealed bool // the manifest has its SHA-256
		want   string
	}{
		"another file": {batch(77), false, "another SHA-256"},
		"cut":          {half, true, "line "},
		"a bad IRI":    {append(batch(77), "<http://a/g> { <http://a/s> <http://a/p> <http://a/with space> . }"...), true, "line "},
		"no gzip":      {nil, true, "cannot be read"},
	} {
		b, r := build(t, 4, "gzip"), repository(t, server.URL, server.Name(t))
		text := []byte("this is no gzip")
		if c.text != nil {
			text = compressed(t, c.text, "gzip")
		}
		f := put(t, b.Out, b.Batches[2].Name, text, perFile)
		if c.sealed {
			b.Batches[2] = f
		}
		_, err := Load(t.Context(), r, b, Options{Transaction: 2, InFlight: 1, RetryFor: 2 * time.Second, Log: logger(t)})
		if fault, _ := schema.FaultOf(err); fault != schema.FaultVerification || !strings.Contains(err.Error(), "batch-000003") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: fault %v: %v", name, fault, err)
		}
		// the ontology with two marks, two files with theirs, and of the damaged one's transaction nothing
		if n := len(statements(t, r)); n != 3+2*perFile+2 {
			t.Errorf("%s: %d statements are stored", name, n)
		}
	}
}

// leftAtTheEnd leaves last transactions open, as killed loaders do. The next load does
// not wait until the server ends them.
func leftAtTheEnd(t *testing.T, server *rdf4jtest.Server) {
	b, r := build(t, 3, "gzip"), repository(t, server.URL, server.Name(t))
	l, err := newLoader(r, b, Options{Log: logger(t)})
	check(t, err)
	_, err = l.prepare(t.Context())
	check(t, err)
	check(t, l.loadFiles(t.Context(), []manifest.File{b.Ontology}))
	d, err := b.data(b.Void)
	check(t, err)
	for range 3 {
		tx, err := r.Begin(t.Context())
		check(t, err)
		check(t, l.replaceMarks(t.Context(), tx, d))
		defer func() { check(t, tx.Rollback(t.Context())) }()
	}
	within, cancel := context.WithTimeout(t.Context(), 50*time.Second) // the server ends what is left after a minute
	defer cancel()
	_, err = Load(within, r, b, Options{Log: logger(t)})
	check(t, err)
	holds(t, r, b)
}

// killedClients kills loaders at random moments. A load that follows ends with the
// whole build.
func killedClients(t *testing.T, server *rdf4jtest.Server) {
	dir, m := out(t, batches, "gzip")
	writeManifest(t, dir, m)
	b, err := NewBuild(dir, m, vocab.StackOverflow)
	check(t, err)
	name := server.Name(t)
	r := repository(t, server.URL, name)
	states := map[LoadState]int{}
	for range 8 {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), asLoader+"="+server.URL+" "+name+" "+dir)
		check(t, cmd.Start())
		time.Sleep(50*time.Millisecond + rand.N(700*time.Millisecond))
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()
		s, err := inspect(t.Context(), r, b)
		check(t, err)
		states[s.State]++
		t.Log(s.State, len(s.Loaded), "files")
		if s.State == Foreign {
			t.Fatalf("%d statements of %q", s.Statements, s.Edition)
		}
	}
	loaded, err := Load(t.Context(), r, b, Options{Log: logger(t)})
	check(t, err)
	t.Logf("%v, then %d of %d files", states, loaded.Sent, loaded.Files)
	holds(t, r, b)
}

func writeManifest(t *testing.T, dir string, m *manifest.Manifest) {
	t.Helper()
	d, err := manifest.Open(dir)
	check(t, err)
	defer d.Close()
	check(t, d.Update(func(to *manifest.Manifest) { to.Dump, to.Stages = m.Dump, m.Stages }))
}

// A server that is killed during a load keeps whole transactions. The load returns a
// service fault, and the next one resumes it.
func TestLoadResumesAfterKilledServer(t *testing.T) {
	schematest.Long(t)
	server := rdf4jtest.Start(t)
	b, r := build(t, batches, "gzip"), repository(t, server.URL, server.Name(t))
	for round := range 2 {
		seen := make(chan struct{}, 1)
		ended := make(chan error, 1)
		o := Options{Transaction: 2, RetryFor: time.Second, Log: logger(t), Progress: func(_ string, done, _ int64) {
			if done >= int64(2*perFile*(round+1)) {
				select {
				case seen <- struct{}{}:
				default:
				}
			}
		}}
		go func() { _, err := Load(t.Context(), r, b, o); ended <- err }()
		select {
		case <-seen:
		case err := <-ended:
			t.Fatalf("ended before it was killed: %v", err)
		}
		time.Sleep(rand.N(100 * time.Millisecond))
		server.Kill()
		if err := <-ended; err == nil {
			t.Log("had ended")
		} else if fault, _ := schema.FaultOf(err); fault != schema.FaultService {
			t.Errorf("fault %v: %v", fault, err)
		}
		server.Restart()
		s, err := inspect(t.Context(), r, b)
		check(t, err)
		t.Log(s.State, len(s.Loaded), "files")
	}
	_, err := Load(t.Context(), r, b, Options{Log: logger(t)})
	check(t, err)
	holds(t, r, b)
}
