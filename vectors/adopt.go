package vectors

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"s2g/schema"
	"s2g/schema/manifest"
)

// adoptedNote is the name of the note that holds the summary of the shards in service.
const adoptedNote = "vectors/adopted"

// AdoptIntact enters those units of a build whose files are intact into the journal of a
// run, which [Run] then resumes: it makes only the others. damaged are the other files of
// the build, which is that in service, or in a folder to which the run has moved its shards.
// The files are hard links, or copies where the file system has none. The options must be
// those of the build.
func AdoptIntact(dir *manifest.Dir, from *manifest.Manifest, damaged []manifest.File) (err error) {
	stage := from.Stages[manifest.Vectors]
	run, err := dir.Begin(manifest.Vectors, stage.Key)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, run.Close()) }()
	if len(run.Committed()) > 0 {
		return nil // an interrupted run has adopted them
	}
	broken := map[string]bool{} // parts and other files
	for _, f := range damaged {
		broken[path.Base(f.Name)] = true
	}
	var entries []manifest.File
	parts := map[string]int{} // number of files
	for _, f := range stage.Files {
		base := path.Base(f.Name)
		if broken[base] {
			continue
		}
		if err := linkOrCopy(filepath.Join(from.Root(), filepath.FromSlash(f.Name)), filepath.Join(dir.Out(), filepath.FromSlash(f.Name))); err != nil {
			return fmt.Errorf("adopting %s: %w", f.Name, err)
		}
		entries = append(entries, f)
		if part, ok := strings.CutSuffix(base, ".parquet"); ok {
			parts[part]++
		}
	}
	// Their summary replaces that of the run, so notes need no counts.
	for part, files := range parts {
		at, err := json.Marshal(unitSummary{Files: files, Embedders: stage.Embedders})
		if err != nil {
			return err
		}
		entries = append(entries, manifest.File{Name: "vectors/" + part, At: string(at)})
	}
	at, err := json.Marshal(stage.Summary)
	if err != nil {
		return err
	}
	return run.AdoptAll(append(entries, manifest.File{Name: adoptedNote, At: string(at)}))
}

func linkOrCopy(from, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	if err := os.Remove(to); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if os.Link(from, to) == nil {
		return nil
	}
	in, err := schema.OpenRegular(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Sync(), out.Close())
}

// adoptedSummary returns the summary of adopted shards for the run that has made the
// missing ones: the bytes of a unit depend on tables and options alone, so the sums are
// those of before. ok is false where the run has adopted none.
func (r *run) adoptedSummary() (s manifest.Summary, ok bool) {
	note, ok := r.committed[adoptedNote]
	if !ok || json.Unmarshal([]byte(note.At), &s) != nil {
		return s, false
	}
	s.Seconds, s.PeakRSS = 0, 0 // of this run
	return s, true
}
