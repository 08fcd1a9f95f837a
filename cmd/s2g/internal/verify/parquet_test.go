package verify

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/parquet-go/parquet-go"

	"s2g/vectors/shard"
)

// A shard with a changed byte is read or refused, without a panic.
func TestDamagedShardDoesNotPanic(t *testing.T) {
	out := newFixture(t).write(t)
	v, err := newVerifier(out, true, Options{})
	if err != nil {
		t.Fatal(err)
	}
	const name = "vectors/python/part-00000.parquet"
	path := filepath.Join(out, name)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	step := 7
	if testing.Short() {
		step = 41
	}
	for i := 0; i < len(whole); i += step {
		damaged := bytes.Clone(whole)
		damaged[i] ^= 0x55
		if err := os.WriteFile(path, damaged, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, _, err := v.readShard(t.Context(), file{name, int64(len(damaged)), shardFile}, nil, nil); err != nil {
			t.Errorf("byte %d: %v", i, err)
		}
	}
}

// BenchmarkReadShard compares verify's reader with the library's.
func BenchmarkReadShard(b *testing.B) {
	f := newFixture(b)
	const name = "vectors/cpp/part-00000.parquet"
	f.shards[name] = nil
	for post := range int64(5000) {
		p := point(post+100, 0, "c++")
		p.Dense = make([]float32, 256)
		p.Dense[post%256] = 1
		f.shards[name] = append(f.shards[name], p)
	}
	out := f.write(b)
	v, err := newVerifier(out, true, Options{})
	if err != nil {
		b.Fatal(err)
	}
	at := v.files[slices.IndexFunc(v.files, func(f file) bool { return f.name == name })]
	b.Run("verify", func(b *testing.B) {
		for b.Loop() {
			_, difference, err := v.readShard(b.Context(), at, nil, nil)
			if difference != "" || err != nil {
				b.Fatal(difference, err)
			}
		}
		b.ReportMetric(float64(b.N*5000)/b.Elapsed().Seconds(), "rows/s")
	})
	b.Run("library", func(b *testing.B) {
		for b.Loop() {
			rows, err := parquet.ReadFile[shard.Point](v.path(at))
			if err != nil || len(rows) != 5000 {
				b.Fatal(len(rows), err)
			}
		}
		b.ReportMetric(float64(b.N*5000)/b.Elapsed().Seconds(), "rows/s")
	})
}
