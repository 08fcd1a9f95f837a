package tables

import (
	"bufio"
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"syscall"

	"github.com/go-sql-driver/mysql"

	"s2g/schema"
)

// privateDatabase is the name of the private server's database.
const privateDatabase = "s2g"

// readBuffer is the size of a connection's read buffer. The driver reads 4 KiB at
// a time, which costs a scan of Posts a third more CPU time of the client
// (BenchmarkQuery).
const readBuffer = 64 << 10

// session holds the variables that every connection sets, so that results do not
// depend on a server's configuration.
func session() map[string]string {
	return map[string]string{
		// A backslash escapes. A value that does not fit is an error, except in LOAD DATA LOCAL.
		"sql_mode":  "'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION'",
		"time_zone": "'+00:00'",
		// A stage that waits for its disk or a sort must keep its connection: the defaults are 60 and 30 s.
		"net_write_timeout":  "86400",
		"net_read_timeout":   "86400",
		"wait_timeout":       "86400",
		"max_statement_time": "0",
	}
}

// accessConnector makes the sessions of readers read-only, so that they change
// nothing by mistake. The variable for that has two names in MariaDB, the statement
// one.
type accessConnector struct {
	driver.Connector
	access Access
}

func (c accessConnector) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	statement := "SET SESSION TRANSACTION READ WRITE"
	if c.access == Read {
		statement = "SET SESSION TRANSACTION READ ONLY"
	}
	session, ok := conn.(driver.ExecerContext)
	if !ok {
		return nil, errors.Join(errors.New("the driver runs no statements"), conn.Close())
	}
	if _, err := session.ExecContext(ctx, statement, nil); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return conn, nil
}

// socketConfig returns the configuration of connections to the private server.
func socketConfig(socket, database string) *mysql.Config {
	cfg := mysql.NewConfig()
	cfg.User, cfg.Net, cfg.Addr, cfg.DBName = "root", "unix", socket, database
	return cfg
}

// parseDSN parses the DSN of a user's server. Its errors leave out the DSN, which
// may hold a password.
func parseDSN(dsn string) (*mysql.Config, error) {
	const remedy = "write it as user:password@tcp(host:3306)/database, or user@unix(/path/to/socket)/database"
	cfg, err := mysql.ParseDSN(dsn)
	if err != nil && strings.Contains(err.Error(), "default addr for network") { // it quotes what is before the slash
		err = errors.New("it has no network as tcp or unix")
	}
	if err != nil {
		return nil, schema.Faultf(schema.FaultUsage, remedy, "parsing the DSN of the database: %w", err)
	}
	if cfg.DBName == "" {
		return nil, schema.Faultf(schema.FaultUsage, remedy, "the DSN names no database")
	}
	return cfg, nil
}

// publicDSN returns cfg's DSN without secrets.
func publicDSN(cfg *mysql.Config) string {
	shown := mysql.NewConfig()
	shown.User, shown.Net, shown.Addr, shown.DBName, shown.TLSConfig = cfg.User, cfg.Net, cfg.Addr, cfg.DBName, cfg.TLSConfig
	return shown.FormatDSN()
}

// newConnector returns a connector whose connections have the variables of session.
func newConnector(base *mysql.Config, access Access, log *slog.Logger) (driver.Connector, error) {
	cfg := base.Clone()
	if cfg.Params == nil {
		cfg.Params = make(map[string]string)
	}
	for name, value := range session() {
		cfg.Params[name] = value
	}
	cfg.ParseTime = false        // dates in the server's form
	cfg.InterpolateParams = true // parameters in the text protocol
	cfg.MultiStatements = false
	cfg.ClientFoundRows = false
	cfg.Logger = driverLog{log}
	cfg.DialFunc = dialBuffered
	if err := cfg.Apply(mysql.Charset("utf8mb4", "utf8mb4_bin")); err != nil {
		return nil, fmt.Errorf("setting the connection's character set: %w", err)
	}
	c, err := mysql.NewConnector(cfg)
	if err != nil {
		return nil, schema.Faultf(schema.FaultUsage, "check the DSN", "configuring the connection: %w", err)
	}
	return accessConnector{c, access}, nil
}

// driverLog receives the messages that the driver prints to stderr by default.
type driverLog struct{ log *slog.Logger }

func (l driverLog) Print(v ...any) { l.log.Debug("mysql driver", "message", fmt.Sprint(v...)) }

// bufferedConn is a connection with a read buffer of readBuffer bytes.
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

// SyscallConn lets the driver check whether a pooled connection is still open.
func (c *bufferedConn) SyscallConn() (syscall.RawConn, error) {
	sc, ok := c.Conn.(syscall.Conn)
	if !ok {
		return nil, errors.ErrUnsupported
	}
	return sc.SyscallConn()
}
