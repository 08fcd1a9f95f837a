package plan

import "fmt"

// Pool is the buffer pool of the private MariaDB, and what else may hold its tables while a build runs, in bytes. The server
// reads through the page cache, so a table is read from the disk again only where neither holds it.
type Pool struct {
	Bytes  int64 `json:"bytes"`
	Tables int64 `json:"tables"`
	Cache  int64 `json:"cache"` // memory that pool and stages leave to the page cache
}

// exceedsMemory reports whether neither the pool nor the page cache holds the tables. A scan of all then finds little of what
// the one before has left.
func (p Pool) exceedsMemory() bool { return p.Tables > max(p.Bytes, p.Cache) }

// String returns the pool, and what a larger one would save, as a line.
func (p Pool) String() string {
	text := fmt.Sprintf("the buffer pool of MariaDB is %s, its tables take about %s: ", size(p.Bytes), size(p.Tables))
	switch {
	case p.Tables <= p.Bytes:
		return text + "it holds them"
	case !p.exceedsMemory():
		return text + fmt.Sprintf("the page cache (%s) holds them, a larger pool saves nothing", size(p.Cache))
	}
	return text + fmt.Sprintf("each scan of all reads up to %s from the disk; only memory for all of them saves that",
		size(p.Tables))
}
