package oracle_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"s2g/cmd/s2g/internal/buildtest"
	"s2g/cmd/s2g/internal/oracle"
	"s2g/schema"
	"s2g/schema/schematest"
	"s2g/schema/tables"
	"s2g/schema/tables/tablestest"
	"s2g/schema/vocab"
)

var server tablestest.Server

func TestMain(m *testing.M) { server.Main(m) }

// mini returns the server with the tables of the dump that has a row for each rule.
func mini(t testing.TB) *tables.DB {
	t.Helper()
	db := server.Open(t)
	buildtest.Load(t, db, "testdata/mini")
	return db
}

func compute(t testing.TB, db *tables.DB, o oracle.Options) *oracle.Expected {
	t.Helper()
	e, err := oracle.Compute(t.Context(), db, o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// quads.py computes a dump's quads in another language. It shares nothing with the
// SQL, not even the reading of the dump.
func TestTalliesAreThoseOfQuadsInPython(t *testing.T) {
	schematest.Long(t)
	schematest.Tool(t, "python3")
	program := schematest.Judge(t, "quads.py")
	folder, err := filepath.Abs("testdata/mini")
	if err != nil {
		t.Fatal(err)
	}
	partial := t.TempDir()
	for _, name := range []string{"Posts.xml", "PostLinks.xml"} {
		text, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(partial, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	db := server.Open(t)
	for _, c := range []struct {
		name, dump, languages string
		other                 bool
	}{
		{"mini", folder, "", false},
		{"mini with the remainder", folder, "", true},
		{"mini in one language", folder, "c#", true},
		{"two tables", partial, "", false},
		{"bioinformatics", "bioinformatics.stackexchange.com", "", false},
		{"bioinformatics with the remainder", "bioinformatics.stackexchange.com", "", true},
		{"bicycles", "bicycles.meta.stackexchange.com", "discussion,bug,support,feature-request,tags", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if !filepath.IsAbs(c.dump) {
				schematest.Long(t)
				c.dump = schematest.Dump(t, c.dump)
			}
			buildtest.Load(t, db, c.dump)
			args := []string{program, c.dump}
			if c.languages != "" {
				args = append(args, "--languages", c.languages)
			}
			if c.other {
				args = append(args, "--other")
			}
			want := tallyPython(t, args, buildtest.Languages(t, c.languages), c.other)
			for connections := 1; connections <= 2; connections++ {
				got := compute(t, db, oracle.Options{Languages: buildtest.Languages(t, c.languages), Other: c.other, Connections: connections})
				if diff := cmp.Diff(byName(want.Graphs), byName(got.Graphs)); diff != "" {
					t.Errorf("graphs with %d connections: %s", connections, diff)
				}
				if diff := cmp.Diff(byName([]oracle.Tallies{want.Distinct}), byName([]oracle.Tallies{got.Distinct})); diff != "" {
					t.Errorf("distinct with %d connections: %s", connections, diff)
				}
				if got.Distinct.Quads() == 0 {
					t.Error("no quads: nothing was compared")
				}
			}
			counts := compute(t, db, oracle.Options{Languages: buildtest.Languages(t, c.languages), Other: c.other, CountsOnly: true})
			for g := range want.Graphs {
				for i := range oracle.Terms {
					if counts.Graphs[g][i].Count != want.Graphs[g][i].Count {
						t.Errorf("counts alone: graph %d has %d %s, want %d", g, counts.Graphs[g][i].Count, i, want.Graphs[g][i].Count)
					}
				}
			}
		})
	}
}

// byName returns tallies that are not zero by graph and term, for readable
// differences.
func byName(graphs []oracle.Tallies) map[string]oracle.Tally {
	m := map[string]oracle.Tally{}
	for g := range graphs {
		for t, tally := range graphs[g] {
			if tally != (oracle.Tally{}) {
				m[fmt.Sprintf("%d %s", g, oracle.Term(t))] = tally
			}
		}
	}
	return m
}

var quadLine = regexp.MustCompile(`^<([^>]*)> <([^>]*)> (.*) <([^>]*)> \.$`)

// tallyPython runs quads.py and adds up its lines.
func tallyPython(t *testing.T, args []string, table []schema.Language, other bool) oracle.Expected {
	t.Helper()
	var stderr bytes.Buffer
	cmd := exec.Command("python3", args...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, stderr.String())
	}
	graphs := map[string]int{}
	for i, l := range table {
		graphs[vocab.StackOverflow.Graph(l.Tag)] = i
	}
	if other {
		graphs[vocab.StackOverflow.OtherGraph()] = len(table)
	}
	e := oracle.Expected{Graphs: make([]oracle.Tallies, len(graphs))}
	seen := map[string]bool{}
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		m := quadLine.FindStringSubmatch(lines.Text())
		if m == nil {
			t.Fatalf("not a quad: %s", lines.Text())
		}
		g, ok := graphs[m[4]]
		if !ok {
			t.Fatalf("no such graph: %s", m[4])
		}
		term, text := textOf(t, m[1], m[2], m[3])
		crc := crc32.Checksum([]byte(text), crc32.MakeTable(crc32.Castagnoli))
		e.Graphs[g][term].Add(crc)
		if key := m[1] + m[2] + m[3]; !seen[key] {
			seen[key] = true
			e.Distinct[term].Add(crc)
		}
	}
	return e
}

// textOf returns the term of a quad of N-Quads and the text of its checksum.
func textOf(t *testing.T, subject, predicate, object string) (oracle.Term, string) {
	t.Helper()
	local, mark, value := strings.TrimPrefix(predicate, vocab.NS), "", ""
	iri, isIRI := strings.CutPrefix(object, "<")
	switch {
	case predicate == vocab.RDF+"type":
		local, mark = strings.TrimSuffix(strings.TrimPrefix(iri, vocab.NS), ">"), "a"
	case isIRI:
		mark, value = "<", short(t, strings.TrimSuffix(iri, ">"))
	default:
		mark, value = `"`, object
		if cut, ok := strings.CutSuffix(object, "^^<"+vocab.XSD+"integer>"); ok {
			mark, value = "#", cut
		} else if cut, ok := strings.CutSuffix(object, "^^<"+vocab.XSD+"dateTime>"); ok {
			mark, value = "@", cut
		}
		unquoted, err := strconv.Unquote(value)
		if err != nil {
			t.Fatalf("%s: %v", value, err)
		}
		value = unquoted
	}
	term, ok := oracle.LookupTerm(local)
	if !ok {
		t.Fatalf("no term %s", local)
	}
	return term, short(t, subject) + " " + mark + value
}

// short returns an IRI as checksums have it.
func short(t *testing.T, iri string) string {
	t.Helper()
	s, inSite := strings.CutPrefix(iri, string(vocab.StackOverflow))
	if !inSite || !strings.HasPrefix(s, "/tags/") {
		return s
	}
	s, err := url.PathUnescape(s)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestNoPostsIsAUsageFault(t *testing.T) {
	db := server.Database(t)
	_, all := oracle.Compute(t.Context(), db, oracle.Options{})
	_, sample := oracle.ComputeSample(t.Context(), db, oracle.Options{}, nil)
	for _, err := range []error{all, sample} {
		if fault, _ := schema.FaultOf(err); err == nil || fault != schema.FaultUsage {
			t.Errorf("error %v, want a usage fault", err)
		}
	}
}

func TestComputeStopsWhenCancelled(t *testing.T) {
	db := mini(t)
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if _, err := oracle.Compute(stopped, db, oracle.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// The subjects that name a difference have the tallies that are compared.
func TestSubjectsAddUpToTallies(t *testing.T) {
	e := compute(t, mini(t), oracle.Options{Other: true, Connections: 2})
	for g := range e.Graphs {
		if testing.Short() && g%4 != 0 && g != len(e.Graphs)-1 {
			continue
		}
		for term := range oracle.Terms {
			var got oracle.Tally
			err := e.Subjects(t.Context(), g, term, func(_ []byte, t oracle.Tally) { got.Merge(t) })
			if err != nil {
				t.Fatal(err)
			}
			if got != e.Graphs[g][term] {
				t.Errorf("graph %d, %s: subjects %v, tally %v", g, term, got, e.Graphs[g][term])
			}
		}
	}
}

// The posts that name a difference have the tallies that are compared.
func TestFieldSubjectsAddUpToTallies(t *testing.T) {
	e := compute(t, mini(t), oracle.Options{Other: true, Fields: true, Answers: true, Connections: 2})
	last := len(e.Graphs) - 1
	for _, g := range []int{0, 1, last} {
		for f := range oracle.Fields {
			for answers, want := range map[bool]oracle.Tally{false: e.QuestionFields[g][f], true: e.AnswerFields[g][f]} {
				var got oracle.Tally
				if err := e.FieldSubjects(t.Context(), g, answers, f, func(_ []byte, t oracle.Tally) { got.Merge(t) }); err != nil {
					t.Fatal(err)
				}
				if got != want {
					t.Errorf("graph %d, %s, answers %v: posts %v, tally %v", g, f, answers, got, want)
				}
			}
		}
	}
	if e.QuestionFields[last][oracle.Title].Count == 0 {
		t.Error("no fields: nothing was compared")
	}
}

// A lost server is a service fault (exit 4), before a scan and during one.
func TestLostServerIsAServiceFault(t *testing.T) {
	schematest.Long(t)
	db := tablestest.Open(t)
	buildtest.Load(t, db, "testdata/mini")
	e := compute(t, db, oracle.Options{})
	conn, err := db.SQL().Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	// the scan of comments waits for the lock and has begun when the server ends
	if _, err := conn.ExecContext(t.Context(), "LOCK TABLES Comments WRITE"); err != nil {
		t.Fatal(err)
	}
	during := make(chan error, 1)
	go func() {
		_, err := oracle.Compute(t.Context(), db, oracle.Options{Connections: 2})
		during <- err
	}()
	const waiting = "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE STATE LIKE 'Waiting for table%' AND INFO LIKE '%FROM Comments%'"
	for n, end := 0, time.Now().Add(2*time.Minute); n == 0; {
		if err := conn.QueryRowContext(t.Context(), waiting).Scan(&n); err != nil || time.Now().After(end) {
			t.Fatalf("no scan waits: %v", err)
		}
	}
	_, _ = conn.ExecContext(t.Context(), "SHUTDOWN") // the answer may be lost with the server
	_, before := oracle.Compute(t.Context(), db, oracle.Options{})
	score, _ := oracle.LookupTerm("score")
	listing := e.Subjects(t.Context(), 0, score, func([]byte, oracle.Tally) {})
	for when, err := range map[string]error{"during a scan": <-during, "before": before, "of a listing": listing} {
		if fault, remedy := schema.FaultOf(err); err == nil || fault != schema.FaultService || remedy == "" {
			t.Errorf("%s: fault %v, remedy %q: %v", when, fault, remedy, err)
		}
	}
}
