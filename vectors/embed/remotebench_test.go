package embed

import (
	"context"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
)

// Two endpoints that take 50 ms a batch, and two callers, as the stage has: how much of the time is each at work, and
// what does a text cost this process?  The servers are in it, too: their share, of answering from memory, counts as
// ours here.
func BenchmarkRemote(b *testing.B) {
	x, y := newFake(b), newFake(b)
	x.delay, y.delay = 50*time.Millisecond, 50*time.Millisecond
	d := open(b, options(b, nil), specOf("", x, y))
	texts := synthetic(256)
	const rounds = 16 // so that beginning and end count little, as in a build
	x.busy, y.busy = busyTime{}, busyTime{}
	cpu := cpuTime()
	var group errgroup.Group
	n := 0
	b.ReportAllocs()
	began := time.Now()
	for b.Loop() {
		for range 2 {
			n += rounds * len(texts)
			group.Go(func() error {
				for range rounds {
					time.Sleep(20 * time.Millisecond) // reads, cleans
					if _, err := d.Documents(context.Background(), texts); err != nil {
						return err
					}
				}
				return nil
			})
		}
		if err := group.Wait(); err != nil {
			b.Fatal(err)
		}
	}
	took := time.Since(began)
	b.ReportMetric(100*x.busy.total.Seconds()/took.Seconds(), "%busy-a")
	b.ReportMetric(100*y.busy.total.Seconds()/took.Seconds(), "%busy-b")
	b.ReportMetric(float64((cpuTime()-cpu).Microseconds())/float64(n), "cpu-µs/text")
}

// The cost of an answer alone: a batch of vectors as long as those of a large model.
func BenchmarkDecodeEmbeddings(b *testing.B) {
	v := make([]float32, 3584)
	for i := range v {
		v[i] = float32(i%97)/97 - .5
	}
	for _, form := range []string{"base64", "float"} {
		data := make([]map[string]any, 32)
		for i := range data {
			data[i] = map[string]any{"index": i, "embedding": v}
			if form == "base64" {
				data[i]["embedding"] = toBase64(v)
			}
		}
		answer := marshal(map[string]any{"model": "m", "data": data})
		b.Run(form, func(b *testing.B) {
			b.SetBytes(int64(len(answer)))
			b.ReportAllocs()
			for b.Loop() {
				if _, _, err := decodeEmbeddings(answer, 32); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(32*b.N), "µs/text")
		})
	}
}

func cpuTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
