package vectors

import (
	"context"
	"fmt"
	"iter"

	"golang.org/x/sync/errgroup"

	"s2g/schema/manifest"
	"s2g/vectors/shard"
)

// unitFiles are those of a unit while they are written. A worker encodes one, or a spare one does; then it waits for the
// disk on its own, which takes some milliseconds a file, while the worker encodes the next.
type unitFiles struct {
	*stage
	ctx   context.Context
	group *errgroup.Group
	made  []manifest.File
}

func (s *stage) newFiles(ctx context.Context, n int) *unitFiles {
	group, within := errgroup.WithContext(ctx)
	return &unitFiles{s, within, group, make([]manifest.File, n)}
}

// begin writes a file of n rows, the one at a place in the order that wait returns them in. A file that an interrupted
// run has committed already stays: it has the same bytes. Once one has failed no more are begun.
func begin[T shard.Point | shard.Parent](f *unitFiles, at int, name string, rows iter.Seq[T], n int) {
	if committed, ok := f.stage.files[name]; ok {
		f.made[at] = committed
		return
	}
	if err := f.ctx.Err(); err != nil {
		f.group.Go(func() error { return err })
		return
	}
	err := f.spare.run(f.group, func() error {
		out, err := f.outputs.Create(name)
		if err != nil {
			return err
		}
		if err := shard.Write(out, f.encoding, rows); err != nil {
			_ = out.Abort()
			return fmt.Errorf("writing %s: %w", name, err)
		}
		f.group.Go(func() (err error) {
			defer out.Abort()
			f.made[at], err = out.Commit(int64(n), "")
			return err
		})
		return nil
	})
	if err != nil {
		f.group.Go(func() error { return err })
	}
}

// wait returns the files when all are committed, or the first error.
func (f *unitFiles) wait() ([]manifest.File, error) {
	if err := f.group.Wait(); err != nil {
		return nil, err
	}
	var made []manifest.File
	for _, file := range f.made {
		if file.Name != "" {
			made = append(made, file)
		}
	}
	return made, nil
}
