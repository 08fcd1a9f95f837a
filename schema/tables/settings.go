package tables

import (
	"strconv"

	"s2g/schema/memory"
)

// The bounds of DefaultMemory.
const (
	minPool = 256 << 20
	maxPool = 16 << 30
)

// DefaultMemory returns the default buffer pool of a private server for tables of
// the given bytes (0: unknown): no more than they take, than a quarter of the memory
// that the process may use, and than half of what is available now; from 256 MiB to
// 16 GiB. The page cache holds tables that exceed the pool, so the rest of the
// memory, which s2g needs for its stages, is of the same use.
func DefaultMemory(tables int64) int64 {
	pool := min(memory.Machine()/4, memory.Available()/2)
	if tables > 0 {
		pool = min(pool, tables)
	}
	return min(max(pool, minPool), maxPool)
}

// setting is an option of the private mariadbd, with the reason of its value.
type setting struct{ name, value, reason string }

// argument returns the setting as an argument of mariadbd.
func (s setting) argument() string {
	if s.value == "" {
		return "--" + s.name
	}
	return "--" + s.name + "=" + s.value
}

// The bounds of LogSize. A log of 1 GiB loads no faster than one of 256 MiB.
const (
	minLog = 8 << 20
	maxLog = 256 << 20
)

// LogSize returns the size in bytes of the redo log of a private server that loads
// a dump of the given bytes of XML; 0 is an unknown number.
func LogSize(xml int64) int64 {
	if xml <= 0 {
		return maxLog
	}
	return min(max(xml, minLog), maxLog)
}

// SystemSize is the disk in bytes that a private server takes without tables and
// redo log: its system tablespace, system tables and other logs.
const SystemSize = 16 << 20

// systemSettings returns the options of a datadir's system tablespace, for
// mariadb-install-db, too.
func systemSettings() []setting {
	return []setting{
		{"innodb-data-file-path", "ibdata1:5M:autoextend", "the default begins with 12M"},
		{"innodb-autoextend-increment", "4", "the default adds 64M at once"},
	}
}

// settings returns the options of a server for one user on one machine, whose
// data can be loaded again from the dump.
func settings(o order) []setting {
	common := []setting{
		{"skip-networking", "", "clients use the socket"},
		{"skip-grant-tables", "", "the mode of the folder is the access control"},
		{"skip-name-resolve", "", "no DNS where there is no network"},
		{"skip-log-bin", "", "nothing replicates from it"},
		{"skip-slave-start", "", "it replicates from nothing"},
		{"performance-schema", "0", "costs memory without use"},
		{"character-set-server", "utf8mb4", "all of Unicode"},
		{"collation-server", "utf8mb4_nopad_bin", "equal means the same bytes, with trailing spaces"},
		{"local-infile", "1", "rows come from the client"},
		{"max-allowed-packet", "1G", "the longest row of a dump, escaped"},
		{"net-buffer-length", "1M", "fewer and larger writes to the reader of a scan"},
		{"max-connections", "64", "a few per stage and command"},

		{"innodb-buffer-pool-size", strconv.FormatInt(o.Memory, 10), "option db-memory"},
		{"innodb-buffer-pool-dump-at-shutdown", "0", "the next command reads other pages"},
		{"innodb-buffer-pool-load-at-startup", "0", "likewise"},
		{"innodb-flush-log-at-trx-commit", "0", "a load is repeated after a crash"},
		{"innodb-doublewrite", "0", "likewise"},
		{"innodb-flush-method", "fsync", "the page cache serves later scans of tables that exceed the pool"},
		{"innodb-log-file-size", strconv.FormatInt(o.log, 10), "see LogSize"},
		{"innodb-log-buffer-size", "64M", "a bulk load does not wait for writes of the log"},
		{"loose-innodb-change-buffering", "none", "a read-only start requires an empty buffer; MariaDB 11 has none"},
		{"innodb-stats-persistent", "0", "a table is loaded once and scanned"},
		{"innodb-flush-neighbors", "0", "pages of a bulk load are neighbours"},
		{"innodb-io-capacity", "2000", "the default is for one spinning disk"},
		{"innodb-sort-buffer-size", "16M", "of adding indexes: three buffers for each"},
		{"sort-buffer-size", "16M", "of sorts without an index"},
		{"tmp-table-size", "64M", "groups of a report stay in memory"},
		{"max-heap-table-size", "64M", "likewise"},
		{"aria-pagecache-buffer-size", "16M", "temporary tables on disk are rare"},
		{"key-buffer-size", "8M", "no MyISAM tables"},
		{"thread-cache-size", "16", "queries open connections"},
	}
	common = append(common, systemSettings()...)
	if o.Access != Read {
		return common
	}
	return append(common,
		setting{"innodb-read-only", "1", "no program changes the tables of a dump"},
		setting{"transaction-read-only", "1", "nor views; a session of a person may change it"},
		setting{"default-tmp-storage-engine", "Aria", "InnoDB creates no temporary table when it is read-only"},
	)
}
