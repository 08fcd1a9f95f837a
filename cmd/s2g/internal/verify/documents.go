package verify

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"s2g/cmd/s2g/internal/publish"
	"s2g/schema/manifest"
)

// judgeDocuments holds the documents of the build against the manifest, and
// SHA256SUMS against the files that were found.
func (b *build) judgeDocuments(found []finding) error {
	c := newCheck("documents", "documents and lines of SHA256SUMS")
	c.remedy = "run s2g publish with this --out, which writes the documents anew; rejects.jsonl comes from s2g ingest"
	sums := map[string]string{} // what SHA256SUMS is to say, by name
	for i, f := range b.files {
		sums[f.name] = found[i].sum
	}
	small := b.manifest.Published
	if ingest := b.manifest.Stages[manifest.Ingest]; ingest != nil {
		small = slices.Concat(ingest.Files, small)
	}
	for _, want := range small {
		c.Count++
		f := file{name: want.Name}
		info, err := os.Stat(b.path(f))
		if errors.Is(err, fs.ErrNotExist) {
			c.differ("%s is missing", f.name)
			continue
		}
		if err != nil {
			return fmt.Errorf("reading %s: %w", f.name, err)
		}
		f.size = info.Size()
		sum, err := b.digest(f)
		if err != nil {
			return err
		}
		b.compareFile(&c, want, f, finding{sum: sum})
		sums[f.name] = sum
	}
	delete(sums, publish.Sums)
	if err := b.compareSums(&c, sums); err != nil {
		return err
	}
	b.documents = c
	return nil
}

// compareSums holds the lines of SHA256SUMS against what they are to be.
func (b *build) compareSums(c *Check, want map[string]string) error {
	text, err := os.ReadFile(filepath.Join(b.out, publish.Sums))
	if errors.Is(err, fs.ErrNotExist) {
		return nil // it is missing by the manifest, too
	}
	if err != nil {
		return fmt.Errorf("reading %s: %w", publish.Sums, err)
	}
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		c.Count++
		sum, name, _ := strings.Cut(lines.Text(), "  ")
		is, there := want[name]
		delete(want, name)
		switch {
		case !there:
			c.differ("%s names %q, which is not there", publish.Sums, name)
		case is != sum:
			c.differ("%s has the SHA-256 %s, %s says %s", name, is, publish.Sums, sum)
		}
	}
	for _, f := range b.files {
		if _, left := want[f.name]; left {
			c.differ("%s has no line in %s", f.name, publish.Sums)
		}
	}
	return nil
}
