package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
)

// journal is a file of JSON lines: the first {"key":"…"}, then a File a line.
// Each line is synced when it is written. A last line that a crash has cut is
// overwritten by the next.
type journal struct {
	f   *os.File
	key string
}

// header is a journal's first line.
type header struct {
	Key string `json:"key"`
}

func journalOf(out, stage string) string { return filepath.Join(out, ".s2g", stage+".journal") }

// openJournal opens or creates a journal and reads what it holds. A new one is
// begun with the given key; one that is there keeps its own.
func openJournal(path, key string) (*journal, []File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, nil, err
	}
	content, err := io.ReadAll(f)
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	j := &journal{f: f}
	var h header
	end := int64(0)
	if line, ok := wholeLine(content); ok && json.Unmarshal(line, &h) == nil {
		j.key = h.Key
		end = int64(len(line))
	} else {
		return j, nil, errors.Join(j.restart(key))
	}
	var entries []File
	for {
		line, ok := wholeLine(content[end:])
		var e File
		if !ok || json.Unmarshal(line, &e) != nil {
			break
		}
		entries = append(entries, e)
		end += int64(len(line))
	}
	if err := f.Truncate(end); err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	_, err = f.Seek(end, io.SeekStart)
	return j, entries, err
}

func wholeLine(content []byte) (line []byte, ok bool) {
	i := bytes.IndexByte(content, '\n')
	return content[:i+1], i >= 0
}

// restart empties the journal and begins it with another key.
func (j *journal) restart(key string) error {
	if err := j.f.Truncate(0); err != nil {
		return err
	}
	if _, err := j.f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	j.key = key
	return j.write(header{key})
}

func (j *journal) append(e File) error { return j.write(e) }

func (j *journal) write(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if _, err := j.f.Write(append(line, '\n')); err != nil {
		return err
	}
	return j.f.Sync()
}

func (j *journal) removeFile() error {
	return errors.Join(os.Remove(j.f.Name()), j.close())
}

func (j *journal) close() error {
	err := j.f.Close()
	if errors.Is(err, os.ErrClosed) {
		return nil
	}
	return err
}
