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
	"s2g/schema/vocab"
)

func TestMain(m *testing.M) {
	tables.Supervise()
	os.Exit(m.Run())
}

func compute(t testing.TB, db *tables.DB, o oracle.Options) *oracle.Expected {
	t.Helper()
	v, err := oracle.Compute(t.Context(), db, o)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func languages(t testing.TB, value string) []schema.Language {
	t.Helper()
	table, err := schema.ParseLanguages(value)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// quads.py says as a program of another language what a dump's quads are. It
// shares nothing with the SQL, down to the reading of the dump.
func TestSQLAgreesWithPython(t *testing.T) {
	schematest.Tool(t, "python3")
	program := schematest.Judge(t, "quads.py")
	mini, err := filepath.Abs("testdata/mini")
	if err != nil {
		t.Fatal(err)
	}
	partial := t.TempDir()
	for _, name := range []string{"Posts.xml", "PostLinks.xml"} {
		text, err := os.ReadFile(filepath.Join(mini, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(partial, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	db := buildtest.Open(t)
	for _, c := range []struct {
		name, dump, languages string
		other                 bool
	}{
		{"mini", mini, "", false},
		{"mini with the remainder", mini, "", true},
		{"mini in one language", mini, "c#", true},
		{"two tables", partial, "", false},
		{"bioinformatics", "bioinformatics.stackexchange.com", "", false},
		{"bioinformatics with the remainder", "bioinformatics.stackexchange.com", "", true},
		{"bicycles", "bicycles.meta.stackexchange.com", "discussion,bug,support,feature-request,tags", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if !filepath.IsAbs(c.dump) {
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
			want := tallyPython(t, args, languages(t, c.languages), c.other)
			for lanes := 1; lanes <= 2; lanes++ {
				got := compute(t, db, oracle.Options{Languages: languages(t, c.languages), Other: c.other, Connections: lanes})
				if diff := cmp.Diff(named(want.Graphs), named(got.Graphs)); diff != "" {
					t.Errorf("graphs with %d lanes: %s", lanes, diff)
				}
				if diff := cmp.Diff(named([]oracle.Tallies{want.Distinct}), named([]oracle.Tallies{got.Distinct})); diff != "" {
					t.Errorf("distinct with %d lanes: %s", lanes, diff)
				}
				if got.Distinct.Quads() == 0 {
					t.Error("no quads: nothing was compared")
				}
			}
			counts := compute(t, db, oracle.Options{Languages: languages(t, c.languages), Other: c.other, CountsOnly: true})
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

// named makes differences readable: graph and term to tally, without zeros.
func named(graphs []oracle.Tallies) map[string]oracle.Tally {
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

var quad = regexp.MustCompile(`^<([^>]*)> <([^>]*)> (.*) <([^>]*)> \.$`)

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
		graphs[vocab.DefaultSite.Graph(l.Tag)] = i
	}
	if other {
		graphs[vocab.DefaultSite.OtherGraph()] = len(table)
	}
	v := oracle.Expected{Graphs: make([]oracle.Tallies, len(graphs))}
	seen := map[string]bool{}
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		m := quad.FindStringSubmatch(lines.Text())
		if m == nil {
			t.Fatalf("not a quad: %s", lines.Text())
		}
		g, ok := graphs[m[4]]
		if !ok {
			t.Fatalf("no such graph: %s", m[4])
		}
		term, text := textOf(t, m[1], m[2], m[3])
		crc := crc32.Checksum([]byte(text), crc32.MakeTable(crc32.Castagnoli))
		v.Graphs[g][term].Add(crc)
		if key := m[1] + m[2] + m[3]; !seen[key] {
			seen[key] = true
			v.Distinct[term].Add(crc)
		}
	}
	return v
}

// textOf is the text that the checksum is of, from the spelling of N-Quads.
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

func short(t *testing.T, iri string) string {
	t.Helper()
	s, inSite := strings.CutPrefix(iri, string(vocab.DefaultSite))
	if !inSite || !strings.HasPrefix(s, "/tags/") {
		return s
	}
	s, err := url.PathUnescape(s)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// The texts that name a difference are those that the sums are of.
func TestTextsAddUp(t *testing.T) {
	db := buildtest.Open(t)
	_, err := oracle.Compute(t.Context(), db, oracle.Options{})
	if fault, _ := schema.FaultOf(err); err == nil || fault != schema.FaultUsage {
		t.Errorf("without tables: error %v, want a usage fault", err)
	}
	buildtest.Load(t, db, "testdata/mini")
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if _, err := oracle.Compute(stopped, db, oracle.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: error %v", err)
	}
	v := compute(t, db, oracle.Options{Other: true, Connections: 2})
	for g := range v.Graphs {
		for term := range oracle.Terms {
			var got oracle.Tally
			err := v.Subjects(t.Context(), g, term, func(_ []byte, t oracle.Tally) { got.Merge(t) })
			if err != nil {
				t.Fatal(err)
			}
			if got != v.Graphs[g][term] {
				t.Errorf("graph %d, %s: texts %v, tally %v", g, term, got, v.Graphs[g][term])
			}
		}
	}
}

// A server that is lost is a service that failed (exit 4), whenever it is lost.
func TestLostServer(t *testing.T) {
	db := buildtest.Open(t)
	buildtest.Load(t, db, "testdata/mini")
	v := compute(t, db, oracle.Options{})
	conn, err := db.SQL().Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	// the scan of comments waits for the lock, and is under way when the server goes
	if _, err := conn.ExecContext(t.Context(), "LOCK TABLES Comments WRITE"); err != nil {
		t.Fatal(err)
	}
	during := make(chan error, 1)
	go func() {
		_, err := oracle.Compute(t.Context(), db, oracle.Options{Connections: 2})
		during <- err
	}()
	const waiting = "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE STATE LIKE 'Waiting for table%' AND INFO LIKE '%FROM Comments%'"
	for n, end := 0, time.Now().Add(20*time.Second); n == 0; {
		if err := conn.QueryRowContext(t.Context(), waiting).Scan(&n); err != nil || time.Now().After(end) {
			t.Fatalf("no scan waits: %v", err)
		}
	}
	_, _ = conn.ExecContext(t.Context(), "SHUTDOWN") // the answer may be lost with the server
	_, before := oracle.Compute(t.Context(), db, oracle.Options{})
	score, _ := oracle.LookupTerm("score")
	listing := v.Subjects(t.Context(), 0, score, func([]byte, oracle.Tally) {})
	for when, err := range map[string]error{"during a scan": <-during, "before": before, "of a listing": listing} {
		if fault, remedy := schema.FaultOf(err); err == nil || fault != schema.FaultService || remedy == "" {
			t.Errorf("%s: fault %v, remedy %q: %v", when, fault, remedy, err)
		}
	}
}
