package tables

import (
	"bufio"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"regexp"
	"strconv"
	"strings"
	"syscall"

	"github.com/go-sql-driver/mysql"

	"s2g/schema"
)

// privateDatabase is the database of the private server.
const privateDatabase = "s2g"

// readBuffer is what one read system call may take from the server. The driver
// asks for 4 KiB at a time, which costs a scan of Posts a third more CPU here;
// the server is no faster for it, but has more of the machine.
const readBuffer = 64 << 10

// session holds the variables that every connection sets: results must not
// depend on how a server is configured.
func session() map[string]string {
	return map[string]string{
		// Backslashes escape, and a value that does not fit is an error wherever the statement allows it to be one.
		"sql_mode":  "'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION'",
		"time_zone": "'+00:00'",
		// A stage that waits for its disk or for a sorter must not lose its connection: the defaults are 60 and 30 s.
		"net_write_timeout":  "86400",
		"net_read_timeout":   "86400",
		"wait_timeout":       "86400",
		"max_statement_time": "0",
	}
}

// socketConfig is the configuration of the private server's connections.
func socketConfig(socket, database string) *mysql.Config {
	cfg := mysql.NewConfig()
	cfg.User, cfg.Net, cfg.Addr, cfg.DBName = "root", "unix", socket, database
	return cfg
}

// parseDSN reads the DSN of a user's server. Errors do not repeat it: it may hold a password.
func parseDSN(dsn string) (*mysql.Config, error) {
	const remedy = "write it as user:password@tcp(host:3306)/database, or user@unix(/path/to/socket)/database"
	cfg, err := mysql.ParseDSN(dsn)
	if err != nil {
		return nil, schema.Faultf(schema.FaultUsage, remedy, "the DSN of the database cannot be read: %w", err)
	}
	if cfg.DBName == "" {
		return nil, schema.Faultf(schema.FaultUsage, remedy, "the DSN names no database")
	}
	return cfg, nil
}

// publicDSN is cfg's DSN as it may be shown.
func publicDSN(cfg *mysql.Config) string {
	shown := mysql.NewConfig()
	shown.User, shown.Net, shown.Addr, shown.DBName, shown.TLSConfig = cfg.User, cfg.Net, cfg.Addr, cfg.DBName, cfg.TLSConfig
	return shown.FormatDSN()
}

// connector makes connections that are set up as session says.
type connector struct{ driver.Connector }

func newConnector(base *mysql.Config, log *slog.Logger) (connector, error) {
	cfg := base.Clone()
	if cfg.Params == nil {
		cfg.Params = make(map[string]string)
	}
	for name, value := range session() {
		cfg.Params[name] = value
	}
	cfg.ParseTime = false        // dates come as the server writes them
	cfg.InterpolateParams = true // parameters in the text protocol
	cfg.MultiStatements = false
	cfg.ClientFoundRows = false
	cfg.Logger = driverLog{log}
	cfg.DialFunc = dialBuffered
	if err := cfg.Apply(mysql.Charset("utf8mb4", "utf8mb4_bin")); err != nil {
		return connector{}, fmt.Errorf("setting the connection's character set: %w", err)
	}
	c, err := mysql.NewConnector(cfg)
	if err != nil {
		return connector{}, schema.Faultf(schema.FaultUsage, "check the DSN", "configuring the connection: %w", err)
	}
	return connector{c}, nil
}

// driverLog takes what the driver would print to stderr.
type driverLog struct{ log *slog.Logger }

func (l driverLog) Print(v ...any) { l.log.Debug("mysql driver", "message", fmt.Sprint(v...)) }

// bufferedConn reads from the server in large pieces.
type bufferedConn struct {
	net.Conn
	r *bufio.Reader
}

func dialBuffered(ctx context.Context, network, address string) (net.Conn, error) {
	var d net.Dialer
	c, err := d.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return &bufferedConn{Conn: c, r: bufio.NewReaderSize(c, readBuffer)}, nil
}

func (c *bufferedConn) Read(p []byte) (int, error) { return c.r.Read(p) }

// SyscallConn lets the driver see whether a pooled connection is still alive.
func (c *bufferedConn) SyscallConn() (syscall.RawConn, error) {
	sc, ok := c.Conn.(syscall.Conn)
	if !ok {
		return nil, errors.ErrUnsupported
	}
	return sc.SyscallConn()
}

func createDatabase(ctx context.Context, cfg *mysql.Config) error {
	conns, err := newConnector(cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	pool := sql.OpenDB(conns)
	defer pool.Close()
	_, err = pool.ExecContext(ctx, "CREATE DATABASE IF NOT EXISTS "+privateDatabase+
		" CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin")
	if err != nil {
		return fmt.Errorf("creating the database of the private server: %w", err)
	}
	return nil
}

// checkServer refuses what is not MariaDB 10.6 or newer.
func checkServer(ctx context.Context, pool *sql.DB) error {
	var version string
	if err := pool.QueryRowContext(ctx, "SELECT VERSION()").Scan(&version); err != nil {
		err = fmt.Errorf("connecting to the database: %w", classify(err))
		if fault, _ := schema.FaultOf(err); fault != schema.FaultOurs {
			return err
		}
		return schema.Faultf(schema.FaultService, "check that the server runs and that the DSN is right", "%w", err)
	}
	return checkVersion(version)
}

// Behind some proxies a MariaDB reports 5.5.5- before its own version.
var mariaVersion = regexp.MustCompile(`^(?:5\.5\.5-)?(\d+)\.(\d+)\.\d+.*MariaDB`)

// checkVersion judges what VERSION() or `mariadbd --version` says.
func checkVersion(version string) error {
	const remedy = "use MariaDB 10.6 or newer (Debian: apt install mariadb-server)"
	m := mariaVersion.FindStringSubmatch(version)
	if m == nil {
		return schema.Faultf(schema.FaultUsage, remedy, "the server is not MariaDB but %q", version)
	}
	major, _ := strconv.Atoi(m[1]) // the expression allows digits only; one too long for an int is no version below 10
	minor, _ := strconv.Atoi(m[2])
	if major < 10 || major == 10 && minor < 6 {
		return schema.Faultf(schema.FaultUsage, remedy, "MariaDB %d.%d is too old", major, minor)
	}
	return nil
}

// classify gives an error of the server the fault that tells the user whose it
// is. An error that has a fault keeps it.
func classify(err error) error {
	var fault *schema.Error
	if err == nil || errors.As(err, &fault) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	var server *mysql.MySQLError
	if errors.As(err, &server) {
		switch {
		case deniesAccess(server.Number), server.Number == 1049: // or there is no such database
			return schema.Faultf(schema.FaultUsage, "check the user, the password and the database of the DSN, and what the user may do there", "%w", err)
		case lacksResources(server):
			return schema.Faultf(schema.FaultResources, "free disk space or memory and run again", "%w", err)
		}
		switch server.Number {
		case 1290: // an option of the server, as read_only, is in the way
			return schema.Faultf(schema.FaultUsage, "change the server's option", "%w", err)
		case 1040, 1053, 1205, 1213, 1317, 1927: // too many connections, shutdown, lock timeout, deadlock, interrupted, killed
			return schema.Faultf(schema.FaultService, "run again", "%w", err)
		}
		return err
	}
	if errors.Is(err, mysql.ErrNoTLS) {
		return schema.Faultf(schema.FaultUsage, "set up TLS on the server, or leave tls= out of the DSN", "%w", err)
	}
	var network *net.OpError
	if errors.As(err, &network) || errors.Is(err, mysql.ErrInvalidConn) || errors.Is(err, driver.ErrBadConn) {
		return schema.Faultf(schema.FaultService, "check that the server runs, and run again", "%w", err)
	}
	return err
}

// lacksResources tells whether the server is out of disk or memory. Errors of
// files have many numbers, and the system's own in their text.
func lacksResources(err *mysql.MySQLError) bool {
	switch err.Number {
	case 1021, 1037, 1038, 1041, 1114, 1878: // disk full, out of memory (three kinds), table full, temporary file not written
		return true
	}
	return speaksOfFullDisk(err.Message)
}

// fullDiskSign is ENOSPC as the server's errors and its log write it.
var fullDiskSign = regexp.MustCompile(`(?i)No space left on device|\berr(?:no|code|or)(?:: | number | )"?28\b`)

// speaksOfFullDisk tells whether a message of the server repeats ENOSPC.
func speaksOfFullDisk(message string) bool { return fullDiskSign.MatchString(message) }

// quote returns name as an SQL identifier.
func quote(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }
