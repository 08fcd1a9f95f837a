package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"s2g/cmd/s2g/internal/buildtest"
	"s2g/graph"
	"s2g/graph/trig"
	"s2g/schema/vocab"
)

var update = flag.Bool("update", false, "write docs/thread.svg anew")

// TestDocumentedThread holds docs/thread.svg to the graph of the synthetic sample.
func TestDocumentedThread(t *testing.T) {
	const file, page = "../../../../docs/thread.svg", "../../../../docs/graph.md"
	db := server.Open(t)
	buildtest.Load(t, db, writeSample(t, 2000))
	batches, _ := buildtest.Graph(t, db, graph.Options{})
	scan := func(use func(*trig.Quad)) error { return scanFiles(batches, use) }
	thread, err := readThread(scan, vocab.DefaultSite, "c#", 2164)
	if err != nil {
		t.Fatal(err)
	}
	got := thread.file()
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("go test ./cmd/s2g/internal/report -run Documented -update writes %s anew: %s", file, diff)
	}
	wellFormed(t, got)
	for _, edge := range []string{vocab.HasAcceptedAnswer, vocab.HasPossibleBetterAnswer, vocab.HasComment, vocab.TaggedWith, vocab.DuplicateOf} {
		if !strings.Contains(string(got), ">so:"+edge+"<") && !strings.Contains(string(got), ", so:"+edge+"<") {
			t.Errorf("the picture has no edge %s", edge)
		}
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(text, []byte("(thread.svg)")) {
		t.Errorf("%s does not show it", page)
	}
	_, err = readThread(scan, vocab.DefaultSite, "python", 2164)
	if err == nil || !strings.Contains(err.Error(), "questions/2164 is not in graph http://stackoverflow.com/python") {
		t.Errorf("of another graph: %v", err)
	}
}

func wellFormed(t *testing.T, text []byte) {
	t.Helper()
	for in := xml.NewDecoder(bytes.NewReader(text)); ; {
		_, err := in.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
