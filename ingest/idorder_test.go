package ingest

import (
	"cmp"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
)

// feedRows passes rows to an idOrderer in batches, and returns the lines that it
// sends and the Ids of the rows that it drops.
func feedRows(t *testing.T, limit int, rows []string, batchSize int) (lines []string, duplicates []int64) {
	t.Helper()
	tmp := t.TempDir()
	to := newBatchQueue(t.Context().Done(), 4)
	o := newIDOrderer(tmp, to, func(id int64) { duplicates = append(duplicates, id) })
	o.late.limit = limit
	defer o.close()
	read := make(chan string)
	go func() {
		text, err := io.ReadAll(&loadDataReader{queue: to})
		if err != nil {
			t.Error(err)
		}
		read <- string(text)
	}()
	for part := range slices.Chunk(rows, batchSize) {
		b := to.newBatch()
		for _, line := range part {
			var id int64
			fmt.Sscan(line, &id)
			if n := len(b.rows); n > 0 && b.rows[n-1].id >= id {
				b.ascending = false
			}
			b.tsv = append(b.tsv, line+"\n"...)
			b.rows = append(b.rows, batchRow{id, len(b.tsv)})
		}
		if err := o.write(b); err != nil {
			t.Fatal(err)
		}
	}
	if err := o.flush(); err != nil {
		t.Fatal(err)
	}
	to.close()
	text := <-read
	lines = slices.Collect(strings.Lines(text))
	if o.fingerprint.Rows != int64(len(lines)) || o.bytes != int64(len(text)) {
		t.Errorf("counts %d rows of %d bytes, sent %d of %d", o.fingerprint.Rows, o.bytes, len(lines), len(text))
	}
	if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 {
		t.Errorf("left in the folder for temporary files: %v, %v", left, err)
	}
	return lines, duplicates
}

func TestRowsAreSentInIDOrderOnce(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	ascending := make([]string, 5000)
	for i := range ascending {
		ascending[i] = fmt.Sprintf("%d\ttext %d", 3*i, i)
	}
	shuffled := slices.Clone(ascending)
	r.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	nearly := slices.Clone(ascending)
	for range 20 {
		i, j := r.IntN(len(nearly)), r.IntN(len(nearly))
		nearly[i], nearly[j] = nearly[j], nearly[i]
	}
	descending := slices.Clone(ascending)
	slices.Reverse(descending)
	var repeated []string // every Id two or three times, distinguished by its text
	for i, line := range append(slices.Clone(shuffled), append(slices.Clone(shuffled), ascending[:100]...)...) {
		repeated = append(repeated, fmt.Sprintf("%s, at %d", line, i))
	}

	for name, rows := range map[string][]string{
		"none": nil, "ascending": ascending, "shuffled": shuffled, "nearly": nearly, "descending": descending, "repeated": repeated,
		"one": {"7\ta"}, "one twice": {"7\ta", "7\tb"}, "twice, late": {"9\t", "7\ta", "8\t", "7\tb", "9\tb"},
	} {
		t.Run(name, func(t *testing.T) {
			first := make(map[int64]string)
			twice := 0
			for _, line := range rows {
				var id int64
				fmt.Sscan(line, &id)
				if _, ok := first[id]; ok {
					twice++
				} else {
					first[id] = line + "\n"
				}
			}
			for _, limit := range []int{0, 2000} {
				for _, size := range []int{1, 7, 1000} {
					lines, duplicates := feedRows(t, limit, rows, size)
					seen := make(map[int64]bool)
					for _, line := range lines {
						var id int64
						fmt.Sscan(line, &id)
						if seen[id] || first[id] != line {
							t.Fatalf("%q sent, of Id %d the first is %q", line, id, first[id])
						}
						seen[id] = true
					}
					if len(seen) != len(first) || len(duplicates) != twice {
						t.Errorf("%d rows and %d duplicates, want %d and %d", len(seen), len(duplicates), len(first), twice)
					}
					if turns := turns(lines); turns > 1 {
						t.Errorf("Ids go down %d times, want at most once", turns)
					}
				}
			}
		})
	}
}

// turns returns how often a line's Id is below that of the line before it.
func turns(lines []string) int {
	n, last := 0, int64(-1)
	for _, line := range lines {
		var id int64
		fmt.Sscan(line, &id)
		n += max(0, cmp.Compare(last, id))
		last = id
	}
	return n
}
