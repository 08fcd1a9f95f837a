package engines

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"s2g/cmd/s2g/internal/buildtest"
	"s2g/graph"
	"s2g/schema/schematest"
)

// bicyclesTags are the eight largest tags of a dump without tags of languages.
const bicyclesTags = "discussion,support,feature-request,on-off-topic,site-promotion,tagging,election,moderation"

// Other parsers read each file alone, without a warning, and count 50,000 triples in
// every file but a build's last.
func TestEachFileParsesAlone(t *testing.T) {
	schematest.Long(t)
	serdi, rapper := schematest.Tool(t, "serdi"), schematest.Tool(t, "rapper")
	riot := schematest.Judge(t, "riot")
	schematest.Tool(t, "mvn")
	db := server.Open(t)
	sample := buildtest.Sample(t, 4000)
	tags, table := buildtest.TagDump(t)
	var all []string
	type build struct {
		name, dump string
		o          graph.Options
		full       int // the least number of full files
	}
	builds := []build{
		{"sample", sample, graph.Options{}, 2},
		{"sample with everything, as N-Quads", sample, graph.Options{Other: true, Materialize: true, Format: "nquads"}, 4},
		{"awkward tags", tags, graph.Options{Languages: buildtest.Languages(t, "@"+table)}, 0},
		{"awkward tags with everything", tags, graph.Options{Languages: buildtest.Languages(t, "c#,.net"), Other: true, Materialize: true}, 0},
	}
	if schematest.HasDumps(t) {
		builds = append(builds,
			build{"bioinformatics", schematest.Dump(t, "bioinformatics.stackexchange.com"), graph.Options{Other: true}, 0},
			build{"bicycles", schematest.Dump(t, "bicycles.meta.stackexchange.com"), graph.Options{Languages: buildtest.Languages(t, bicyclesTags)}, 0})
	}
	for _, c := range builds {
		buildtest.Load(t, db, c.dump)
		batches, ontology := buildtest.Graph(t, db, c.o)
		if len(batches) <= c.full {
			t.Errorf("%s: %d files", c.name, len(batches))
		}
		for i, file := range batches {
			format := "trig"
			if filepath.Ext(file) == ".nq" {
				format = "nquads"
			}
			for _, program := range [][]string{{serdi, "-i", format, "-o", "nquads", file}, {rapper, "-q", "-i", format, "-o", "nquads", file}} {
				n := parsed(t, program)
				if last := i == len(batches)-1; n != graph.BatchSize && !last || n == 0 || n > graph.BatchSize {
					t.Errorf("%s: %v: %d triples", c.name, program, n)
				}
			}
		}
		void := filepath.Join(filepath.Dir(ontology), "void.ttl")
		for _, file := range []string{ontology, void} {
			if parsed(t, []string{serdi, "-i", "turtle", "-o", "ntriples", file}) == 0 || parsed(t, []string{rapper, "-q", "-i", "turtle", "-o", "ntriples", file}) == 0 {
				t.Errorf("%s: %s is empty", c.name, file)
			}
		}
		all = append(all, slices.Concat(batches, []string{ontology, void})...)
	}
	output, err := exec.Command(riot, all...).CombinedOutput()
	if err != nil || complaint.Match(output) {
		t.Errorf("riot: %v\n%s", err, output)
	}
	for _, file := range all {
		if !bytes.Contains(output, []byte("File: "+file+"\n")) {
			t.Errorf("riot has not read %s", file)
		}
	}
}

var complaint = regexp.MustCompile(`\b(WARN|ERROR)\b`)

// parsed runs a parser, which must write nothing to stderr, and returns the number of
// lines that it writes.
func parsed(t *testing.T, args []string) int {
	t.Helper()
	var stderr bytes.Buffer
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stderr = &stderr
	lines, err := cmd.Output()
	if err != nil || stderr.Len() > 0 {
		t.Errorf("%v: %v %s", args, err, stderr.Bytes())
	}
	return bytes.Count(lines, []byte("\n"))
}

// riot reports each bad file among good ones.
func TestRiotReportsBadFiles(t *testing.T) {
	schematest.Long(t)
	riot := schematest.Judge(t, "riot")
	schematest.Tool(t, "mvn")
	write := func(name, text string) string {
		file := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	const head = "@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .\n<http://g/> { <http://s/> <http://p/> "
	good := write("good.trig", head+"\"2020-01-01T00:00:00.000Z\"^^xsd:dateTime . }\n")
	bad := []string{
		write("date.trig", head+"\"2020-13-01T00:00:00.000Z\"^^xsd:dateTime . }\n"),
		write("integer.trig", head+"\"1.5\"^^xsd:integer . }\n"),
		write("iri.trig", head+"<http://h/a b> . }\n"),
		write("open.trig", head+"1 .\n"),
	}
	output, err := exec.Command(riot, append([]string{good}, bad...)...).CombinedOutput()
	if n := len(complaint.FindAll(output, -1)); err == nil || n < len(bad) {
		t.Errorf("%v, %d complaints:\n%s", err, n, output)
	}
	if strings.Count(string(output), "File: ") != 1+len(bad) {
		t.Errorf("riot stops at the first bad file:\n%s", output)
	}
}
