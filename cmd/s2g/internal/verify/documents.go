package verify

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"s2g/cmd/s2g/internal/oracle"
	"s2g/cmd/s2g/internal/publish"
	"s2g/schema"
	"s2g/schema/manifest"
)

// maxDocument is the size of the largest document that is compared.
const maxDocument = 256 << 20

// compareDocuments compares the documents of the build with those that its proven contents require,
// byte by byte. rejects.jsonl is compared with the manifest alone.
func (v *verifier) compareDocuments(want *oracle.Expected) (Check, error) {
	c := newCheck("documents", "documents: content, and size and SHA-256 against the manifest")
	c.remedy = "run s2g publish with the same option out, which overwrites the documents; rejects.jsonl comes from s2g ingest"
	if want == nil && v.isOfEarlierVersion() {
		c.What = "documents: size and SHA-256 against the manifest; a build of an earlier version has other content"
		for _, f := range v.manifest.Published {
			c.Count++
			if err := v.compareListed(&c, f); err != nil {
				return c, err
			}
		}
		return c, v.compareSums(&c)
	}
	if ingest := v.manifest.Stages[manifest.Ingest]; ingest != nil {
		for _, f := range ingest.Files {
			if err := v.compareListed(&c, f); err != nil {
				return c, err
			}
		}
	}
	documents, err := publish.Documents(v.proven)
	if err != nil {
		return c, err
	}
	for _, d := range documents {
		if err := v.compareDocument(&c, d.Name, d.Content); err != nil {
			return c, err
		}
		at := slices.IndexFunc(v.manifest.Published, func(f manifest.File) bool { return f.Name == d.Name })
		if at < 0 {
			c.differ("%s is not in the manifest", d.Name)
		} else if err := v.compareListed(&c, v.manifest.Published[at]); err != nil {
			return c, err
		}
	}
	return c, nil
}

// compareSums requires a line of SHA256SUMS for each file of the stages.
func (v *verifier) compareSums(c *Check) error {
	sums, err := v.readDocument(publish.Sums)
	if err != nil {
		return err
	}
	for i, f := range v.files {
		if line := v.results[i].sha256 + "  " + f.name + "\n"; !bytes.Contains(sums, []byte(line)) {
			c.differ("%s has no line %q", publish.Sums, line)
		}
	}
	return nil
}

// isOfEarlierVersion is that of the manifest.
func (v *verifier) isOfEarlierVersion() bool { return v.manifest.IsOfEarlierVersion() }

// readDocument returns the content of a document, nil where it is missing. It reads no pipe and no device.
func (v *verifier) readDocument(name string) ([]byte, error) {
	path := filepath.Join(v.out, filepath.FromSlash(name))
	info, err := os.Stat(path)
	if err == nil && (info.Size() > maxDocument || !info.Mode().IsRegular()) {
		return []byte{}, nil
	}
	content, err := schema.ReadRegular(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", name, err)
	}
	return content, nil
}

// compareDocument compares a document with the content that it must have.
func (v *verifier) compareDocument(c *Check, name string, want []byte) error {
	c.Count++
	has, err := v.readDocument(name)
	switch {
	case err != nil:
		return err
	case has == nil:
		c.differ("%s is missing", name)
	case !bytes.Equal(has, want):
		c.differ("%s, %s", name, firstDifference(has, want))
	}
	return nil
}

// firstDifference describes the first line in which two texts differ.
func firstDifference(has, want []byte) string {
	const most = 100 // bytes of a line
	quoted := func(line []byte, ok bool) string {
		if !ok {
			return "no line"
		}
		return fmt.Sprintf("%q", line[:min(len(line), most)])
	}
	for n := 1; ; n++ {
		a, restA, moreA := bytes.Cut(has, []byte("\n"))
		b, restB, moreB := bytes.Cut(want, []byte("\n"))
		if !bytes.Equal(a, b) || moreA != moreB {
			at := 0
			for at < len(a) && at < len(b) && a[at] == b[at] {
				at++
			}
			at = max(0, at-most/2)
			return fmt.Sprintf("line %d: it has %s, it must have %s", n, quoted(a[at:], len(has) > 0), quoted(b[at:], len(want) > 0))
		}
		has, want = restA, restB
	}
}

// compareListed compares a document with its entry in the manifest.
func (v *verifier) compareListed(c *Check, want manifest.File) error {
	f := file{name: want.Name}
	info, err := os.Stat(v.path(f))
	if errors.Is(err, fs.ErrNotExist) {
		c.differ("%s is missing", f.name)
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading %s: %w", f.name, err)
	}
	if !info.Mode().IsRegular() {
		c.differ("%s is no regular file", f.name)
		return nil
	}
	f.size = info.Size()
	sum, err := v.hashFile(f)
	if err != nil {
		return err
	}
	compareFile(c, want, f, sum)
	return nil
}
