package manifest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"s2g/schema"
)

// verifiedName is the name in .s2g of the mark of a verified build.
const verifiedName = "verified"

// verifiedKey identifies the outputs that a mark is about.
func (m *Manifest) verifiedKey() (string, error) {
	parts := []any{m.Published}
	for _, stage := range []string{Ingest, Graph, Vectors} {
		if s := m.Stages[stage]; s != nil {
			parts = append(parts, stage, s.Key, s.Finished)
		}
	}
	return Key(parts...)
}

// IsVerified reports whether the outputs of the root have been verified since they
// were made.
func (d *Dir) IsVerified() bool {
	key, err := d.Manifest().verifiedKey()
	if err != nil {
		return false
	}
	mark, err := schema.ReadRegular(filepath.Join(d.root, ".s2g", verifiedName))
	return err == nil && string(mark) == key
}

// MarkVerified records whether the outputs of the root are verified.
func (d *Dir) MarkVerified(ok bool) error {
	path := filepath.Join(d.root, ".s2g", verifiedName)
	if !ok {
		if err := removeAll(path); err != nil {
			return fmt.Errorf("removing the mark of a verified build: %w", err)
		}
		return nil
	}
	key, err := d.Manifest().verifiedKey()
	if err == nil {
		tmp := filepath.Join(d.Tmp(), verifiedName)
		err = os.WriteFile(tmp, []byte(key), 0o600)
		err = errors.Join(err, renameFile(tmp, path))
	}
	if err != nil {
		return fmt.Errorf("marking the build as verified: %w", err)
	}
	return nil
}
