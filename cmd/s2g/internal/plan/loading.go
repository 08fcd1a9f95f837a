package plan

import (
	"fmt"
	"time"

	"s2g/ingest"
)

// Loading is how ingest divides the largest table, and the time that this takes at least.
type Loading struct {
	Connections int   `json:"connections"`
	Posts       int64 `json:"posts"` // bytes of the XML of Posts
}

// loadRate is the XML of Posts in bytes that a connection of MariaDB reads in a second: some 45 MB of TSV on common machines.
const loadRate = 62e6

// manyCores are the cores of the machine that String compares with.
const manyCores = 8

// least returns the time that n connections take at least.
func (l Loading) least(n int) time.Duration {
	return time.Duration(float64(l.Posts) / loadRate / float64(n) * float64(time.Second)).Round(time.Second)
}

// String returns the time, and that of a machine with more cores, as a line.
func (l Loading) String() string {
	text := fmt.Sprintf("ingest loads Posts over %d of MariaDB's connections, in about %s at least", l.Connections, l.least(l.Connections))
	if many := ingest.Connections(manyCores); many > l.Connections {
		text += fmt.Sprintf("; with %d cores over %d, in %s", manyCores, many, l.least(many))
	}
	return text
}
