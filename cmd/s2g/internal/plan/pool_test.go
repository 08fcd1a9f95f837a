package plan

import (
	"strings"
	"testing"

	"s2g/schema/tables"
)

func TestPool(t *testing.T) {
	const gib = 1 << 30
	for _, c := range []struct {
		pool    Pool
		exceeds bool
		text    string
	}{
		{Pool{gib, gib / 2, 0}, false, "it holds them"},
		{Pool{gib, 4 * gib, 5 * gib}, false, "the page cache (5.0 GiB) holds them, a larger pool saves nothing"},
		{Pool{gib, 4 * gib, 3 * gib}, true, "reads up to 4.0 GiB from the disk"},
	} {
		if got := c.pool.exceedsMemory(); got != c.exceeds || !strings.Contains(c.pool.String(), c.text) {
			t.Errorf("exceeds memory %t, want %t: %s", got, c.exceeds, c.pool)
		}
	}
}

// The default pool is no larger than the tables, one that is given stays.
func TestPoolOfSmallTables(t *testing.T) {
	in := estimateInput{Dump: findDump(t, 300<<20), Stale: all(true), Pool: 16 << 30, Dimensions: builtinDimensions}
	given := planOf(t, in)
	in.DefaultPool = true
	byDefault := planOf(t, in)
	if given.Pool.Bytes != 16<<30 || byDefault.Pool.Bytes > byDefault.Pool.Tables || byDefault.Pool.Bytes < tables.DefaultMemory(1) {
		t.Errorf("given %+v, by default %+v", given.Pool, byDefault.Pool)
	}
	if saved := given.Memory.Needs - byDefault.Memory.Needs; saved != given.Pool.Bytes-byDefault.Pool.Bytes {
		t.Errorf("the need of memory differs by %d", saved)
	}
	in.Pool = 0
	if p := planOf(t, in); p.Pool != nil {
		t.Errorf("a pool of the user's server: %+v", p.Pool)
	}
}
