package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"s2g/schema"
)

// journal is a file of JSON lines: a header, {"key":"…"}, and then a File a line.
// Each line is synced when it is written. The next line overwrites a last line
// that a crash has cut.
type journal struct {
	f   *os.File
	key string
}

// header is a journal's first line.
type header struct {
	Key string `json:"key"`
}

func journalPath(out, stage string) string { return filepath.Join(out, ".s2g", stage+".journal") }

// openJournal opens a journal and returns its entries, or creates it with the
// given key. An existing journal keeps its own key.
func openJournal(path, key string) (*journal, []File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, nil, err
	}
	j := &journal{f: f}
	entries, err := j.read(key)
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return j, entries, nil
}

// read returns the entries, and removes what follows the last complete one. It
// restarts a journal without a readable header with the given key.
func (j *journal) read(key string) (entries []File, err error) {
	content, err := io.ReadAll(j.f)
	if err != nil {
		return nil, err
	}
	var h header
	line, ok := firstLine(content)
	if !ok || json.Unmarshal(line, &h) != nil {
		return nil, j.restart(key)
	}
	j.key = h.Key
	end := len(line)
	for {
		line, ok := firstLine(content[end:])
		var e File
		if !ok || json.Unmarshal(line, &e) != nil {
			break
		}
		entries = append(entries, e)
		end += len(line)
	}
	return entries, j.cut(int64(end))
}

// firstLine returns the first line of content with its line feed; ok is false
// where there is none.
func firstLine(content []byte) (line []byte, ok bool) {
	i := bytes.IndexByte(content, '\n')
	return content[:i+1], i >= 0
}

// cut removes what follows the first end bytes; the next write begins there.
func (j *journal) cut(end int64) error {
	if err := beforeChange(); err != nil {
		return err
	}
	if err := j.f.Truncate(end); err != nil {
		return err
	}
	_, err := j.f.Seek(end, io.SeekStart)
	return err
}

// restart removes all entries and writes a header with another key.
func (j *journal) restart(key string) error {
	if err := j.cut(0); err != nil {
		return err
	}
	j.key = key
	return j.write(header{key})
}

// write appends a header or a File as a line.
func (j *journal) write(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return j.append(append(line, '\n'))
}

// writeAll appends several Files, and syncs once.
func (j *journal) writeAll(files []File) error {
	var lines bytes.Buffer
	out := json.NewEncoder(&lines)
	for _, f := range files {
		if err := out.Encode(f); err != nil {
			return err
		}
	}
	return j.append(lines.Bytes())
}

func (j *journal) append(lines []byte) error {
	if err := beforeChange(); err != nil {
		return err
	}
	if _, err := j.f.Write(lines); err != nil {
		return err
	}
	return j.f.Sync()
}

// readJournal returns the key and the entries of a journal without changing it. A
// missing one has no key.
func readJournal(path string) (key string, entries []File, err error) {
	content, err := schema.ReadRegular(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil, nil
	}
	if err != nil {
		return "", nil, err
	}
	var h header
	line, ok := firstLine(content)
	if !ok || json.Unmarshal(line, &h) != nil {
		return "", nil, nil
	}
	for end := len(line); ; end += len(line) {
		var e File
		if line, ok = firstLine(content[end:]); !ok || json.Unmarshal(line, &e) != nil {
			return h.Key, entries, nil
		}
		entries = append(entries, e)
	}
}

// removeFinishedJournals removes the journals of finished runs: a kill came after their
// entries in the manifest.
func (d *Dir) removeFinishedJournals() error {
	for stage := range entities {
		path := journalPath(d.root, stage)
		key, _, err := readJournal(path)
		if err == nil && key != "" && d.Manifest().Fresh(stage, key) {
			err = removeFile(path)
		}
		if err != nil {
			return fmt.Errorf("reading the journal of %s: %w", stage, err)
		}
	}
	return nil
}

func (j *journal) removeFile() error {
	return errors.Join(removeFile(j.f.Name()), j.close())
}

// close may follow removeFile, and then does nothing.
func (j *journal) close() error {
	err := j.f.Close()
	if errors.Is(err, os.ErrClosed) {
		return nil
	}
	return err
}
