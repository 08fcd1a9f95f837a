package tables

import (
	"context"
	"database/sql/driver"
	"errors"
	"net"
	"regexp"

	"github.com/go-sql-driver/mysql"

	"s2g/schema"
)

// Numbers of MariaDB's errors (https://mariadb.com/kb/en/mariadb-error-codes/).
const (
	noSuchTable    = 1146
	noSuchDatabase = 1049
	optionPrevents = 1290 // an option of the server, as read_only, prevents the statement
)

// classify returns an error of the server with its class. An error that has a
// class keeps it.
func classify(err error) error {
	var fault *schema.Error
	if err == nil || errors.As(err, &fault) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	var server *mysql.MySQLError
	if errors.As(err, &server) {
		switch {
		case deniesAccess(server.Number), server.Number == noSuchDatabase:
			return schema.Faultf(schema.FaultUsage, "check the DSN: the user, the password, the database, and the user's rights on it", "%w", err)
		case lacksResources(server):
			return schema.Faultf(schema.FaultResources, "free disk space or memory and run again", "%w", err)
		case server.Number == optionPrevents:
			return schema.Faultf(schema.FaultUsage, "change the server's option", "%w", err)
		}
		switch server.Number {
		case 1040, 1053, 1205, 1213, 1317, 1927: // too many connections, shutdown, lock timeout, deadlock, interrupted, killed
			return schema.Faultf(schema.FaultService, "run again", "%w", err)
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

// deniesAccess reports whether the server refuses the user: a database, the
// login, a table, a column, an operation or a routine.
func deniesAccess(number uint16) bool {
	switch number {
	case 1044, 1045, 1142, 1143, 1227, 1370:
		return true
	}
	return false
}

// lacksResources reports whether the server is out of disk or memory. Errors of
// files have many numbers; their messages hold that of the system.
func lacksResources(err *mysql.MySQLError) bool {
	switch err.Number {
	case 1021, 1037, 1038, 1041, 1114, 1878: // disk full, out of memory (three kinds), table full, temporary file not written
		return true
	}
	return mentionsFullDisk(err.Message)
}

// fullDiskSign matches ENOSPC in the forms of the server's errors and log.
var fullDiskSign = regexp.MustCompile(`(?i)No space left on device|\berr(?:no|code|or)(?:: | number | )"?28\b`)

// mentionsFullDisk reports whether a message of the server mentions ENOSPC.
func mentionsFullDisk(message string) bool { return fullDiskSign.MatchString(message) }
