package verify

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/parquet-go/parquet-go"
)

// rows gives each row of a Parquet file to use, up to the first that use finds
// fault with. Damage to the file is a difference.
func rows[T any](ctx context.Context, b *build, f file, use func(*T) string) (bad string, err error) {
	stored, err := os.Open(b.path(f))
	if err != nil {
		return "", fmt.Errorf("reading %s: %w", f.name, err)
	}
	defer stored.Close()
	// The library panics on some damaged files, out of reach of a check of ours.
	defer func() {
		if p := recover(); p != nil {
			bad = fmt.Sprintf("it cannot be read: %v", p)
		}
	}()
	in, err := parquet.OpenFile(stored, f.size)
	if err != nil {
		return err.Error(), nil
	}
	columns := in.Schema()
	for _, c := range parquet.SchemaOf(new(T)).Columns() {
		if _, ok := columns.Lookup(c...); !ok {
			return fmt.Sprintf("it has no column %s", strings.Join(c, ".")), nil
		}
	}
	r := parquet.NewGenericReader[T](in)
	defer r.Close()
	buffer := make([]T, 64)
	for {
		n, err := r.Read(buffer)
		for i := range n {
			if bad := use(&buffer[i]); bad != "" {
				return bad, nil
			}
		}
		if errors.Is(err, io.EOF) {
			return "", nil
		}
		if err != nil {
			return err.Error(), nil
		}
		if err := ctx.Err(); err != nil {
			return "", err
		}
	}
}
