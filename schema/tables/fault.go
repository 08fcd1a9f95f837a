package tables

import (
	"context"
	"database/sql/driver"
	"errors"
	"net"
	"regexp"
	"slices"
	"strings"

	"github.com/go-sql-driver/mysql"

	"s2g/schema"
)

// Numbers of MariaDB's errors (https://mariadb.com/kb/en/mariadb-error-codes/).
const (
	noSuchTable    = 1146
	noSuchDatabase = 1049
	optionPrevents = 1290 // an option of the server, as read_only, prevents the statement
	tableReadOnly  = 1036 // InnoDB is read-only
	sessionReads   = 1792 // the session's transactions are read-only
)

// Numbers of errors that have one class.
var (
	accessDenied  = []uint16{1044, 1045, 1142, 1143, 1227, 1370} // to a database, the login, a table, a column, an operation, a routine
	outOfResource = []uint16{1021, 1037, 1038, 1041, 1114, 1878} // disk full, out of memory (three kinds), table full, temporary file not written
	interruption  = []uint16{1040, 1053, 1205, 1213, 1317, 1927} // too many connections, shutdown, lock timeout, deadlock, interrupted, killed

	// damagedFiles are those of a table whose files are missing or altered: not found, refused by the engine, no definition,
	// corrupt index (three kinds), crashed, no tablespace, corrupt, unknown to the engine.
	damagedFiles = []uint16{1017, 1030, 1033, 1034, 1035, 1194, 1712, 1812, 1877, 1932}
)

// errDamaged is in the error of a private server that cannot start because of its files.
var errDamaged = errors.New("files of the database are damaged")

// IsDamage reports whether err is that of a server which cannot read a table, or which cannot start, because files are
// damaged.
func IsDamage(err error) bool {
	server, ok := errors.AsType[*mysql.MySQLError](err)
	return ok && slices.Contains(damagedFiles, server.Number) && !mentionsFullDisk(server.Message) || errors.Is(err, errDamaged)
}

// mentionsDamage reports whether the error log of a server that did not start has damaged files as the cause: a page or
// a log of InnoDB, or a system tablespace that is cut or missing.
func mentionsDamage(log string) bool {
	return slices.ContainsFunc([]string{
		"Data structure corruption", "is of a different size", "Creating system tablespace with existing redo log",
	}, func(cause string) bool { return strings.Contains(log, cause) })
}

// classify returns an error of the server with its class. An error that has a
// class keeps it.
func classify(err error) error {
	var fault *schema.Error
	if err == nil || errors.As(err, &fault) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	var server *mysql.MySQLError
	if errors.As(err, &server) {
		switch n := server.Number; {
		case slices.Contains(accessDenied, n), n == noSuchDatabase:
			return schema.Faultf(schema.FaultUsage, "check the DSN: the user, the password, the database, and the user's rights on it", "%w", err)
		case slices.Contains(outOfResource, n), mentionsFullDisk(server.Message): // errors of files have many numbers
			return schema.Faultf(schema.FaultResources, "free disk space or memory and run again", "%w", err)
		case n == tableReadOnly, n == sessionReads:
			return schema.Faultf(schema.FaultUsage, "s2g db with option write opens them for changes, which void the build", "the tables are open for reading: %w", err)
		case n == optionPrevents:
			return schema.Faultf(schema.FaultUsage, "change the server's option", "%w", err)
		case slices.Contains(interruption, n):
			return schema.Faultf(schema.FaultService, "run again", "%w", err)
		case IsDamage(err):
			return schema.Faultf(schema.FaultVerification, "run s2g build with option dump, which reads the dump again", "a table's files are damaged: %w", err)
		}
		return err
	}
	if errors.Is(err, mysql.ErrNoTLS) {
		return schema.Faultf(schema.FaultUsage, "set up TLS on the server, or leave tls= out of the DSN", "%w", err)
	}
	if isBroken(err) {
		return schema.Faultf(schema.FaultService, "check that the server runs, and run again", "%w", err)
	}
	return err
}

// isBroken reports whether err comes from a connection that has ended.
func isBroken(err error) bool {
	var network *net.OpError
	return errors.As(err, &network) || errors.Is(err, mysql.ErrInvalidConn) || errors.Is(err, driver.ErrBadConn)
}

// fullDiskSign matches ENOSPC in the forms of the server's errors and log.
var fullDiskSign = regexp.MustCompile(`(?i)No space left on device|\berr(?:no|code|or)(?:: | number | )"?28\b`)

// mentionsFullDisk reports whether a message of the server mentions ENOSPC.
func mentionsFullDisk(message string) bool { return fullDiskSign.MatchString(message) }
