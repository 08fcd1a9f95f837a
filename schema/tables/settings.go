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

// DefaultMemory returns the default buffer pool of a private server in bytes: a
// quarter of the memory that the process may use, from 256 MiB to 16 GiB.
func DefaultMemory() int64 { return min(max(memory.Machine()/4, minPool), maxPool) }

// setting is an option of the private mariadbd, with the reason of its value.
type setting struct{ name, value, reason string }

// logFileSize is the size of the redo log, also for mariadb-install-db: a server
// that finds a log of another size creates a second one before it removes the
// first.
const logFileSize = "256M"

// settings returns the options of a server for one user on one machine, whose
// data can be loaded again from the dump. pool is its buffer pool in bytes.
func settings(pool int64) []setting {
	return []setting{
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

		{"innodb-buffer-pool-size", strconv.FormatInt(pool, 10), "option db-memory"},
		{"innodb-buffer-pool-dump-at-shutdown", "0", "the next command reads other pages"},
		{"innodb-buffer-pool-load-at-startup", "0", "likewise"},
		{"innodb-flush-log-at-trx-commit", "0", "a load is repeated after a crash"},
		{"innodb-doublewrite", "0", "likewise"},
		{"innodb-flush-method", "O_DIRECT_NO_FSYNC", "the server alone caches pages, and does not sync each write"},
		{"innodb-log-file-size", logFileSize, "1G loads no faster, and takes disk in every OUT"},
		{"innodb-log-buffer-size", "64M", "a bulk load does not wait for writes of the log"},
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
}

// arguments returns the settings as arguments of mariadbd.
func arguments(pool int64) []string {
	var args []string
	for _, s := range settings(pool) {
		arg := "--" + s.name
		if s.value != "" {
			arg += "=" + s.value
		}
		args = append(args, arg)
	}
	return args
}
