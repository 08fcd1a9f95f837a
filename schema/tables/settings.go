package tables

import "strconv"

// setting is one option of the private mariadbd.
type setting struct{ name, value, why string }

// logFileSize is known to the program that makes the datadir too: a server that
// finds a log of another size makes a second one before it removes the first.
const logFileSize = "256M"

// settings are those of a server that serves one user on one machine, and whose
// data can be made again from the dump. pool is its buffer pool in bytes.
func settings(pool int64) []setting {
	return []setting{
		{"skip-networking", "", "reached by its socket alone"},
		{"skip-grant-tables", "", "the directory, open to its owner only, is the access control"},
		{"skip-name-resolve", "", "no DNS where there is no network"},
		{"skip-log-bin", "", "nothing replicates from it"},
		{"skip-slave-start", "", "and it replicates from nothing"},
		{"performance-schema", "0", "costs memory, and nobody looks"},
		{"character-set-server", "utf8mb4", "all of Unicode"},
		{"collation-server", "utf8mb4_nopad_bin", "equal means the same bytes, trailing spaces included"},
		{"local-infile", "1", "rows come from the client"},
		{"max-allowed-packet", "1G", "the longest row a dump may have, escaped"},
		{"net-buffer-length", "1M", "fewer and larger writes to a scan's reader"},
		{"max-connections", "64", "a few per stage and command"},

		{"innodb-buffer-pool-size", strconv.FormatInt(pool, 10), "--db-memory"},
		{"innodb-buffer-pool-dump-at-shutdown", "0", "the next command reads other pages"},
		{"innodb-buffer-pool-load-at-startup", "0", "likewise"},
		{"innodb-flush-log-at-trx-commit", "0", "a load that a crash cuts short is done again"},
		{"innodb-doublewrite", "0", "likewise; saves writing every page twice"},
		{"innodb-flush-method", "O_DIRECT_NO_FSYNC", "pages are cached once, and not awaited one by one"},
		{"innodb-log-file-size", logFileSize, "larger ones load no faster (1G was tried), and take disk in every OUT"},
		{"innodb-log-buffer-size", "64M", "a bulk load is not held up by writes of the log"},
		{"innodb-stats-persistent", "0", "a table is loaded once and scanned: no statistics to keep"},
		{"innodb-flush-neighbors", "0", "pages of a bulk load are already neighbours"},
		{"innodb-io-capacity", "2000", "the default is that of one spinning disk"},
		{"innodb-sort-buffer-size", "16M", "adding indexes: three of these for each"},
		{"sort-buffer-size", "16M", "sorts that an index does not spare"},
		{"tmp-table-size", "64M", "groups of a report in memory"},
		{"max-heap-table-size", "64M", "likewise"},
		{"aria-pagecache-buffer-size", "16M", "temporary tables on disk are rare"},
		{"key-buffer-size", "8M", "no MyISAM tables"},
		{"thread-cache-size", "16", "a query opens a connection"},
	}
}

// arguments returns the settings as mariadbd takes them.
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
