package manifest

import "path/filepath"

// DiscardLinks removes NextFolder if an interrupted build has left only links in it.
// kept reports that it has outputs of its own, which a build with the same options
// continues.
func (d *Dir) DiscardLinks() (kept bool, err error) {
	next := NextFolder(d.base)
	if d.Beside() {
		return true, nil
	}
	for _, stage := range []string{Graph, Vectors} {
		for _, name := range entities[stage] {
			if path := filepath.Join(next, name); exists(path) && !isLink(path) {
				return true, nil
			}
		}
		if exists(journalPath(next, stage)) || exists(marksFolder(next, stage)) {
			return true, nil
		}
	}
	if exists(journalPath(next, Ingest)) {
		return true, nil
	}
	return false, d.Discard()
}
