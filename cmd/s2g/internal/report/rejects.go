package report

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"s2g/ingest"
)

// reject is a line of rejects.jsonl.
type reject struct {
	Table  string `json:"table"`
	Class  string `json:"class"`
	ID     string `json:"id"`
	Column string `json:"column"`
	Value  string `json:"value"`
	Kept   bool   `json:"kept"`
}

// readRejects reads the first bad rows of each class, which are a few; a build
// that has no such file has none.
func readRejects(out string) ([]reject, error) {
	f, err := os.Open(filepath.Join(out, ingest.RejectsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the bad rows: %w", err)
	}
	defer f.Close()
	var all []reject
	for lines := json.NewDecoder(bufio.NewReader(f)); lines.More(); {
		var r reject
		if err := lines.Decode(&r); err != nil {
			return nil, fmt.Errorf("reading %s: %w", f.Name(), err)
		}
		all = append(all, r)
	}
	return all, nil
}
