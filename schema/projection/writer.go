package projection

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Writer writes a file. It is not for concurrent use.
type Writer struct {
	tmp, key  string
	sequences []*sequence // one or two
}

// NewWriter begins the file of the dump of a key. Until Commit its content is in
// temporary files in the folder tmp.
func NewWriter(tmp, key string) (*Writer, error) {
	w := &Writer{tmp: tmp, key: key}
	if err := w.begin(); err != nil {
		return nil, err
	}
	return w, nil
}

func (w *Writer) begin() error {
	s, err := newSequence(w.tmp, w.key)
	if err != nil {
		return fmt.Errorf("creating the projection of Posts: %w", err)
	}
	w.sequences = append(w.sequences, s)
	return nil
}

// Add adds a post. Posts come in the order of their ids, or in two such sequences one
// after the other, as a load of an unsorted dump sends them. No id comes twice.
func (w *Writer) Add(p *Post) error {
	s := w.sequences[len(w.sequences)-1]
	if s.rows > 0 && p.ID <= s.last {
		if len(w.sequences) == 2 {
			return fmt.Errorf("writing the projection of Posts: post %d comes after post %d", p.ID, s.last)
		}
		if err := w.begin(); err != nil {
			return err
		}
		s = w.sequences[1]
	}
	if err := s.add(p); err != nil {
		return fmt.Errorf("writing the projection of Posts: %w", err)
	}
	return nil
}

// Commit completes the file and puts it in folder, on the file system of tmp. After a
// crash the folder has the whole file or none.
func (w *Writer) Commit(folder string) error {
	if err := w.commit(folder); err != nil {
		return fmt.Errorf("writing the projection of Posts: %w", err)
	}
	return nil
}

func (w *Writer) commit(folder string) error {
	if len(w.sequences) == 2 {
		merged, err := w.merge()
		if err != nil {
			return err
		}
		if err := w.Close(); err != nil {
			return errors.Join(err, merged.remove())
		}
		w.sequences = []*sequence{merged}
	}
	s := w.sequences[0]
	err := s.finish()
	if err = errors.Join(err, s.file.Sync()); err != nil {
		return err
	}
	if err := os.Rename(s.file.Name(), path(folder, w.key)); err != nil {
		return err
	}
	w.sequences = nil
	entry, err := os.Open(folder)
	return errors.Join(err, s.file.Close(), entry.Sync(), entry.Close())
}

// merge writes the posts of both sequences in the order of their ids.
func (w *Writer) merge() (*sequence, error) {
	var readers [2]*reader
	var heads [2]*Post
	for i, s := range w.sequences {
		if err := s.finish(); err != nil {
			return nil, err
		}
		r, err := newReader(s.file, w.key)
		if err != nil {
			return nil, err
		}
		if heads[i], err = r.next(); err != nil {
			return nil, err
		}
		readers[i] = r
	}
	to, err := newSequence(w.tmp, w.key)
	if err != nil {
		return nil, err
	}
	for heads[0] != nil || heads[1] != nil {
		i := 0
		if heads[0] == nil || heads[1] != nil && heads[1].ID < heads[0].ID {
			i = 1
		}
		if to.rows > 0 && heads[i].ID <= to.last {
			err = fmt.Errorf("post %d comes twice", heads[i].ID)
		} else {
			err = to.add(heads[i])
		}
		if err == nil {
			heads[i], err = readers[i].next()
		}
		if err != nil {
			return nil, errors.Join(err, to.remove())
		}
	}
	return to, nil
}

// Close removes what Commit has not put in place.
func (w *Writer) Close() error {
	var errs []error
	for _, s := range w.sequences {
		errs = append(errs, s.remove())
	}
	w.sequences = nil
	return errors.Join(errs...)
}

// RemoveOthers removes the files in folder but that of the dump of a key: those of
// earlier dumps, and what a killed process left. An empty key removes all.
func RemoveOthers(folder, key string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return fmt.Errorf("removing projections of Posts: %w", err)
	}
	for _, e := range entries {
		name := filepath.Join(folder, e.Name())
		if !strings.HasPrefix(e.Name(), "posts-") || key != "" && name == path(folder, key) {
			continue
		}
		if err := os.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("removing projections of Posts: %w", err)
		}
	}
	return nil
}
