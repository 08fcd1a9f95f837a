package graphdb

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"

	"s2g/graph/rdf4j"
	"s2g/schema"
)

// workbench imitates GraphDB's import of files, which the engine of the other tests
// does not have. It answers as GraphDB's documentation describes and keeps the
// imported texts. Its repository holds nothing but the marks.
type workbench struct {
	t      *testing.T
	folder string
	fails  string // a file that cannot be read

	mu       sync.Mutex
	asked    [][]string
	states   map[string]string
	imported []string // texts of files
	edition  string
	marks    map[string]string
	size     int
	void     bool
	restart  bool // it forgets the imports that it has not begun, once
}

func (w *workbench) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	body, _ := io.ReadAll(r.Body)
	path := strings.TrimPrefix(r.URL.Path, "/repositories/x")
	switch {
	case r.URL.Path == "/protocol":
		io.WriteString(out, "12")
	case r.URL.Path == "/rest/info/version":
		io.WriteString(out, `{"productType": "free", "productVersion": "10.8.3"}`)
	case r.URL.Path == "/rest/repositories/x/import/server" && r.Method == http.MethodPost:
		w.queue(body)
		out.WriteHeader(http.StatusAccepted)
	case r.URL.Path == "/rest/repositories/x/import/server":
		w.list(out)
	case path == "/size":
		fmt.Fprint(out, w.size)
	case path == "" && r.Method == http.MethodPost:
		w.query(out, r, string(body))
	case path == "/transactions":
		out.Header().Set("Location", "http://x/repositories/x/transactions/1")
		out.WriteHeader(http.StatusCreated)
	case path == "/transactions/1" && r.URL.Query().Get("action") == "ADD":
		w.add(r.URL.Query().Get("context"), string(body))
	case path == "/transactions/1" && r.URL.Query().Get("action") == "UPDATE":
		w.size -= len(w.marks) + 1
		w.edition, w.marks = "", nil
	}
}

func (w *workbench) queue(body []byte) {
	var asked struct {
		FileNames      []string
		ImportSettings struct{ ParserSettings map[string]bool }
	}
	if err := json.Unmarshal(body, &asked); err != nil || !asked.ImportSettings.ParserSettings["stopOnError"] {
		w.t.Errorf("import of %s: %v", body, err)
	}
	w.asked = append(w.asked, asked.FileNames)
	for _, name := range asked.FileNames {
		w.states[name] = "PENDING"
	}
}

// list imports the next pending file, and lists all.
func (w *workbench) list(out http.ResponseWriter) {
	files := []rdf4j.ServerFile{{Name: "of-others.ttl", Status: "ERROR", Message: "old"}}
	done := 0
	for _, name := range slices.Sorted(maps.Keys(w.states)) {
		if w.states[name] == "PENDING" && done < 3 {
			if w.restart && len(w.imported) > 0 {
				w.restart = false
				for name := range w.states {
					w.states[name] = "NONE"
				}
				break
			}
			done++
			w.states[name] = w.load(name)
		}
	}
	for name, state := range w.states {
		files = append(files, rdf4j.ServerFile{Name: name, Status: state, Message: "of " + name})
	}
	_ = json.NewEncoder(out).Encode(files)
}

func (w *workbench) load(name string) string {
	if w.fails != "" && strings.HasSuffix(name, w.fails) {
		return "ERROR"
	}
	f, err := os.Open(filepath.Join(w.folder, name))
	if err != nil {
		w.t.Error(err)
		return "ERROR"
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		w.t.Error(err)
		return "ERROR"
	}
	var text bytes.Buffer
	_, err = text.ReadFrom(z)
	if err != nil {
		w.t.Error(err)
	}
	if !slices.Contains(w.imported, text.String()) { // a graph is a set
		w.imported = append(w.imported, text.String())
		w.size += perFile
	}
	return "DONE"
}

func (w *workbench) add(graph, body string) {
	w.size += strings.Count(body, " .\n")
	if !strings.HasSuffix(graph, "/s2g/load>") {
		w.void = w.void || strings.HasSuffix(graph, "/s2g/void>")
		w.size += strings.Count(body, " ; ")
		return
	}
	for line := range strings.Lines(body) {
		f := strings.Fields(line)
		value := strings.Trim(f[2], `"`)
		if f[1] == "<"+identifier+">" {
			w.edition = value
		} else {
			w.marks[strings.Trim(f[0], "<>")] = value
		}
	}
}

func (w *workbench) query(out io.Writer, r *http.Request, body string) {
	r.Body = io.NopCloser(strings.NewReader(body))
	query := r.PostFormValue("query")
	rows := []map[string]map[string]string{}
	literal := func(v string) map[string]string { return map[string]string{"type": "literal", "value": v} }
	switch {
	case strings.Contains(query, "?edition") && w.edition != "":
		rows = append(rows, map[string]map[string]string{"edition": literal(w.edition)})
	case strings.Contains(query, "/s2g/load>") && !strings.Contains(query, "?edition"):
		for iri, sum := range w.marks {
			rows = append(rows, map[string]map[string]string{"file": {"type": "uri", "value": iri}, "sum": literal(sum)})
		}
	}
	_ = json.NewEncoder(out).Encode(map[string]any{"results": map[string]any{"bindings": rows}})
}

func TestImportFolder(t *testing.T) {
	for name, c := range map[string]struct {
		compress string
		restart  bool
	}{"gzip": {"gzip", false}, "zstd is recoded": {"zstd", false}, "a server that is started anew": {"gzip", true}} {
		t.Run(name, func(t *testing.T) {
			w := &workbench{t: t, folder: t.TempDir(), states: map[string]string{}, marks: map[string]string{}, restart: c.restart}
			s := httptest.NewServer(w)
			defer s.Close()
			b := build(t, 20, c.compress)
			got, err := Load(t.Context(), repository(t, s.URL, "x"), b, Options{ImportDir: w.folder, RetryFor: time.Minute, Log: logger(t), firstPause: 1, pollEvery: 1})
			check(t, err)
			if got.Sent != 20 || len(w.imported) != 20 || !w.void || w.marks != nil || w.size != int(b.Statements()) {
				t.Errorf("%+v; %d files, description %v, %d statements", got, len(w.imported), w.void, w.size)
			}
			left, err := os.ReadDir(w.folder)
			check(t, err)
			if len(left) > 0 {
				t.Errorf("%s is left in the import folder", left[0].Name())
			}
			if want := map[bool]int{false: 2, true: 3}[c.restart]; len(w.asked) != want || len(w.asked[0]) != importChunk || filepath.Ext(w.asked[0][0]) != ".gz" {
				t.Errorf("asked for %v", w.asked)
			}
		})
	}
}

func TestImportFolderRefused(t *testing.T) {
	w := &workbench{t: t, folder: t.TempDir(), states: map[string]string{}, marks: map[string]string{}, fails: "batch-000002.trig.gz"}
	s := httptest.NewServer(w)
	defer s.Close()
	r := repository(t, s.URL, "x")
	_, err := Load(t.Context(), r, build(t, 3, "gzip"), Options{ImportDir: w.folder, pollEvery: 1})
	if fault, _ := schema.FaultOf(err); fault != schema.FaultVerification || !strings.Contains(err.Error(), "graph/batch-000002.trig.gz cannot be read: GraphDB reports: of s2g-x-") {
		t.Errorf("fault %v: %v", fault, err)
	}
	_, err = Load(t.Context(), r, build(t, 3, "gzip"), Options{ImportDir: filepath.Join(w.folder, "gone")})
	if fault, _ := schema.FaultOf(err); fault != schema.FaultUsage {
		t.Errorf("a folder that is not there: %v", err)
	}
	plain := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) { // RDF4J Server has no /rest
		if strings.HasPrefix(r.URL.Path, "/rest/") {
			http.NotFound(out, r)
			return
		}
		w.ServeHTTP(out, r)
	}))
	defer plain.Close()
	_, err = Load(t.Context(), repository(t, plain.URL, "x"), build(t, 3, "gzip"), Options{ImportDir: w.folder, pollEvery: 1})
	if fault, _ := schema.FaultOf(err); fault != schema.FaultUsage || !strings.Contains(err.Error(), "imports no files") {
		t.Errorf("without the import: fault %v: %v", fault, err)
	}
}
