package vectors

import (
	"context"
	"fmt"
	"iter"

	"golang.org/x/sync/errgroup"

	"s2g/schema/manifest"
	"s2g/vectors/shard"
)

// unitFiles writes the files of a unit side by side. The worker of the unit or an idle
// worker encodes a file. A goroutine of its own then commits the file, which takes the disk
// some milliseconds, while the worker encodes the next one.
type unitFiles struct {
	run   *run
	group *errgroup.Group
	files []manifest.File // by place; a place without a file has an empty name
}

// newUnitFiles returns the writer of n files. The context ends when one of them fails.
func newUnitFiles(ctx context.Context, r *run, n int) (*unitFiles, context.Context) {
	group, ctx := errgroup.WithContext(ctx)
	return &unitFiles{r, group, make([]manifest.File, n)}, ctx
}

// writeFile writes a file of n rows at a place in the order of the files. It keeps a file
// that an interrupted run has committed, which has the same bytes. After a failure, or the
// end of ctx, it begins no file.
func writeFile[T shard.Point | shard.Parent](ctx context.Context, f *unitFiles, place int, name string, rows iter.Seq[T], n int) {
	if committed, ok := f.run.committed[name]; ok {
		f.files[place] = committed
		return
	}
	err := ctx.Err()
	if err == nil {
		err = f.run.idle.run(f.group, func() error {
			out, err := f.run.sink.Create(name)
			if err != nil {
				return err
			}
			if err := shard.Write(out, f.run.encoding, rows); err != nil {
				_ = out.Abort()
				return fmt.Errorf("writing %s: %w", name, err)
			}
			f.group.Go(func() (err error) {
				defer out.Abort()
				f.files[place], err = out.Commit(int64(n), "")
				return err
			})
			return nil
		})
	}
	if err != nil {
		f.group.Go(func() error { return err })
	}
}

// wait waits until all files are committed, and returns them or the first error.
func (f *unitFiles) wait() ([]manifest.File, error) {
	if err := f.group.Wait(); err != nil {
		return nil, err
	}
	var files []manifest.File
	for _, file := range f.files {
		if file.Name != "" {
			files = append(files, file)
		}
	}
	return files, nil
}
