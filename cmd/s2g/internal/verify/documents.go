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

// checkDocuments compares the documents of the build with the manifest, and
// SHA256SUMS with the files.
func (v *verifier) checkDocuments(results []fileResult) error {
	c := newCheck("documents", "documents and lines of SHA256SUMS")
	c.remedy = "run s2g publish with the same option out, which overwrites the documents; rejects.jsonl comes from s2g ingest"
	sums := map[string]string{} // of the lines that SHA256SUMS must have, by file
	for i, f := range v.files {
		sums[f.name] = results[i].sha256
	}
	documents := v.manifest.Published
	if ingest := v.manifest.Stages[manifest.Ingest]; ingest != nil {
		documents = slices.Concat(ingest.Files, documents)
	}
	for _, want := range documents {
		c.Count++
		f := file{name: want.Name}
		info, err := os.Stat(v.path(f))
		if errors.Is(err, fs.ErrNotExist) {
			c.differ("%s is missing", f.name)
			continue
		}
		if err != nil {
			return fmt.Errorf("reading %s: %w", f.name, err)
		}
		f.size = info.Size()
		sum, err := v.hashFile(f)
		if err != nil {
			return err
		}
		compareFile(&c, want, f, sum)
		sums[f.name] = sum
	}
	delete(sums, publish.Sums)
	if err := v.compareSums(&c, sums); err != nil {
		return err
	}
	v.documents = c
	return nil
}

// compareSums compares the lines of SHA256SUMS with the hashes of the files, by
// name. It changes want.
func (v *verifier) compareSums(c *Check, want map[string]string) error {
	text, err := os.ReadFile(filepath.Join(v.out, publish.Sums))
	if errors.Is(err, fs.ErrNotExist) {
		return nil // checkDocuments has noted it
	}
	if err != nil {
		return fmt.Errorf("reading %s: %w", publish.Sums, err)
	}
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		c.Count++
		sum, name, _ := strings.Cut(lines.Text(), "  ")
		hash, exists := want[name]
		delete(want, name)
		switch {
		case !exists:
			c.differ("%s names %q, which is not there", publish.Sums, name)
		case hash != sum:
			c.differ("%s has the SHA-256 %s, %s lists %s", name, hash, publish.Sums, sum)
		}
	}
	for _, f := range v.files {
		if _, missing := want[f.name]; missing {
			c.differ("%s has no line in %s", f.name, publish.Sums)
		}
	}
	return nil
}
