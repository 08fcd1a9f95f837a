package manifest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"syscall"

	"golang.org/x/sync/errgroup"

	"s2g/schema"
)

// Look is the state of a stage's files on disk, compared with its entry.
type Look struct {
	Files   int    // compared
	Hashed  int    // of them: another time, equal size
	Damaged []File // missing, of another size, or of another content; by name
	Whole   bool   // a verification has found the stage different, its files being those of its entry
	renewed []File // of another time, equal content: with the new time
}

// Look compares the files of a finished stage in the folder of the manifest with
// their entries, by size and time. It hashes a file of equal size and another time,
// because copies change times. hashing, if not nil, receives the number of files to
// hash. A stage that has not finished has no files.
func (m *Manifest) Look(ctx context.Context, stage string, hashing func(files int)) (*Look, error) {
	finished := m.Stages[stage]
	look := &Look{}
	if finished == nil || m.root == "" {
		return look, nil
	}
	suspected := m.suspectedIn(stage)
	look.Whole = suspected.Whole
	var differ []File
	for _, f := range finished.Files {
		look.Files++
		info, err := os.Stat(m.path(f))
		switch {
		case errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR):
			look.Damaged = append(look.Damaged, f)
		case err != nil:
			return nil, fmt.Errorf("looking at the files of the build: %w", err)
		case !info.Mode().IsRegular() || info.Size() != f.Size:
			look.Damaged = append(look.Damaged, f)
		case !info.ModTime().Equal(f.Time) || slices.Contains(suspected.Files, f.Name):
			f.Time = info.ModTime().UTC()
			differ = append(differ, f)
		}
	}
	if look.Hashed = len(differ); look.Hashed == 0 {
		return look, nil
	}
	if hashing != nil {
		hashing(look.Hashed)
	}
	var mu sync.Mutex
	work, ctx := errgroup.WithContext(ctx)
	work.SetLimit(runtime.GOMAXPROCS(0))
	for _, f := range differ {
		work.Go(func() error {
			sum, err := hashFile(ctx, m.path(f))
			if err != nil {
				return fmt.Errorf("hashing %s: %w", f.Name, err)
			}
			mu.Lock()
			defer mu.Unlock()
			if sum == f.SHA256 {
				look.renewed = append(look.renewed, f)
			} else {
				look.Damaged = append(look.Damaged, f)
			}
			return nil
		})
	}
	if err := work.Wait(); err != nil {
		return nil, err
	}
	slices.SortFunc(look.Damaged, func(a, b File) int { return ByNumber(a.Name, b.Name) })
	return look, nil
}

func (m *Manifest) path(f File) string { return filepath.Join(m.root, filepath.FromSlash(f.Name)) }

// hashFile returns the SHA-256 of a file in hexadecimal.
func hashFile(ctx context.Context, path string) (string, error) {
	f, err := schema.OpenRegular(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	for {
		if _, err := io.CopyN(sum, f, 8<<20); errors.Is(err, io.EOF) {
			return hex.EncodeToString(sum.Sum(nil)), nil
		} else if err != nil {
			return "", err
		}
		if err := ctx.Err(); err != nil {
			return "", err
		}
	}
}

// Record writes the new times of the files whose content a look has found equal, so
// that the next look does not hash them.
func (d *Dir) Record(stage string, look *Look) error {
	if len(look.renewed) == 0 {
		return nil
	}
	by := map[string]File{}
	for _, f := range look.renewed {
		by[f.Name] = f
	}
	return d.Update(func(m *Manifest) {
		s := m.Stages[stage]
		if s == nil {
			return
		}
		files := slices.Clone(s.Files) // manifests that were handed out share the array
		for i, f := range files {
			if renewed, ok := by[f.Name]; ok && renewed.SHA256 == f.SHA256 {
				files[i] = renewed
			}
		}
		s.Files = files
	})
}
