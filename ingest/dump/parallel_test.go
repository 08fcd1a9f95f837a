package dump

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParallel(t *testing.T) {
	const rows = 3000
	var doc bytes.Buffer
	doc.WriteString("<posts>\n")
	for i := range rows {
		fmt.Fprintf(&doc, "  <row Id=\"%d\" Body=\"%s\" />\n", i, strings.Repeat("x", i%97))
	}
	doc.WriteString("</posts>")
	c := testConfig()
	want, err := scan(t, c, doc.String())
	if err != nil || len(want) != rows {
		t.Fatalf("%d rows, error %v", len(want), err)
	}
	for _, workers := range []int{1, 2, 7} {
		for _, size := range []int{100, 3000, 1 << 20} {
			c.Block = size
			var got []string
			err := Parallel(t.Context(), bytes.NewReader(doc.Bytes()), c, workers, func(s *Scanner) ([]string, error) {
				var part []string
				for s.Scan() {
					part = append(part, describe(c, s.Record()))
				}
				return part, s.Err()
			}, func(part []string) error {
				got = append(got, part...)
				return nil
			})
			if err != nil {
				t.Error(err)
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("%d workers, blocks of %d bytes (-want +got):\n%s", workers, size, d)
			}
		}
	}
}

func TestParallelErrors(t *testing.T) {
	doc := "<posts>" + strings.Repeat(`<row Id="1" />`, 1000) + "</posts>"
	c := testConfig()
	c.Block = 100
	broken := errors.New("broken")
	count := func(s *Scanner) (int, error) { return 1, nil }
	fine := func(int) error { return nil }

	if err := Parallel(t.Context(), strings.NewReader(doc), c, 3, func(s *Scanner) (int, error) { return 0, broken }, fine); !errors.Is(err, broken) {
		t.Errorf("work fails: %v", err)
	}
	if err := Parallel(t.Context(), strings.NewReader(doc), c, 3, count, func(int) error { return broken }); !errors.Is(err, broken) {
		t.Errorf("emit fails: %v", err)
	}
	if err := Parallel(t.Context(), strings.NewReader(doc[:5000]), c, 3, count, fine); err == nil {
		t.Error("no error of a cut document")
	}
	ctx, cancel := context.WithCancel(t.Context())
	n := 0
	err := Parallel(ctx, strings.NewReader(doc), c, 3, count, func(int) error {
		if n++; n == 3 {
			cancel()
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) || n > 20 {
		t.Errorf("cancelled: error %v after %d blocks", err, n)
	}
}
