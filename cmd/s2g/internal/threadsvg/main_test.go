package main

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
	"s2g/ingest/sample"
	"s2g/schema/tables"
	"s2g/schema/vocab"
)

func TestMain(m *testing.M) {
	tables.Supervise()
	os.Exit(m.Run())
}

var update = flag.Bool("update", false, "draw docs/thread.svg anew")

// The picture of the documentation is what the sample's graph gives today.
func TestDocumented(t *testing.T) {
	const picture, page = "../../../../docs/thread.svg", "../../../../docs/graph.md"
	dump := t.TempDir()
	if _, err := sample.Write(t.Context(), sample.Options{Out: dump, Posts: 2000, Seed: 1}); err != nil {
		t.Fatal(err)
	}
	db := buildtest.Open(t)
	buildtest.Load(t, db, dump)
	batches, _ := buildtest.Graph(t, db, graph.Options{})
	var got bytes.Buffer
	if err := run(&got, batches, string(vocab.DefaultSite), "c#", 2164); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(picture, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(picture)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("go test ./cmd/s2g/internal/threadsvg -update draws it anew: %s", diff)
	}
	wellFormed(t, got.String())
	for _, edge := range []string{vocab.HasAcceptedAnswer, vocab.HasPossibleBetterAnswer, vocab.HasComment, vocab.TaggedWith, vocab.DuplicateOf} {
		if !strings.Contains(got.String(), ">so:"+edge+"<") && !strings.Contains(got.String(), ", so:"+edge+"<") {
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
	err = run(io.Discard, batches, string(vocab.DefaultSite), "python", 2164)
	if err == nil || !strings.Contains(err.Error(), "questions/2164 is not in graph http://stackoverflow.com/python") {
		t.Errorf("of another graph: %v", err)
	}
}

func wellFormed(t *testing.T, text string) {
	t.Helper()
	for in := xml.NewDecoder(strings.NewReader(text)); ; {
		_, err := in.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
