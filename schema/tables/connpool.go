package tables

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"sync"
)

// maxIdle is the limit of idle connections: about as many as a stage has workers.
const maxIdle = 32

// queryConn is a connection that serves one query at a time.
type queryConn struct {
	conn driver.Conn
	id   int64 // the server's number of the connection, for KILL
}

// connPool keeps idle connections for later queries. The pool of database/sql
// copies every value of a row; this one gives access to the driver's rows.
type connPool struct {
	mu     sync.Mutex
	idle   []queryConn
	closed bool
}

// take returns an idle connection that is still open, if there is one.
func (p *connPool) take(ctx context.Context) (queryConn, bool) {
	for {
		p.mu.Lock()
		n := len(p.idle)
		if n == 0 {
			p.mu.Unlock()
			return queryConn{}, false
		}
		c := p.idle[n-1]
		p.idle = p.idle[:n-1]
		p.mu.Unlock()
		if r, ok := c.conn.(driver.SessionResetter); !ok || r.ResetSession(ctx) == nil {
			return c, true
		}
		_ = c.conn.Close() // it is broken
	}
}

// put keeps a connection whose last result was read to its end.
func (p *connPool) put(c queryConn) {
	p.mu.Lock()
	keep := !p.closed && len(p.idle) < maxIdle
	if keep {
		p.idle = append(p.idle, c)
	}
	p.mu.Unlock()
	if !keep {
		_ = c.conn.Close() // no query uses it
	}
}

// close closes the idle connections. Connections in use are closed with their
// queries.
func (p *connPool) close() {
	p.mu.Lock()
	idle := p.idle
	p.idle, p.closed = nil, true
	p.mu.Unlock()
	for _, c := range idle {
		_ = c.conn.Close()
	}
}

// openConn opens a connection for queries and reads its id.
func (db *DB) openConn(ctx context.Context) (queryConn, error) {
	conn, err := db.conns.Connect(ctx)
	if err != nil {
		return queryConn{}, db.explain(fmt.Errorf("connecting for a query: %w", err))
	}
	c := queryConn{conn: conn}
	if c.id, err = c.readID(ctx); err != nil {
		return queryConn{}, errors.Join(db.explain(fmt.Errorf("connecting for a query: %w", err)), conn.Close())
	}
	return c, nil
}

func (c queryConn) readID(ctx context.Context) (int64, error) {
	rows, err := c.query(ctx, "SELECT CONNECTION_ID()", nil)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	value := make([]driver.Value, 1)
	if err := rows.Next(value); err != nil {
		return 0, err
	}
	switch id := value[0].(type) {
	case int64:
		return id, nil
	case uint64:
		return int64(id), nil
	}
	return 0, fmt.Errorf("the connection's id is a %T", value[0])
}

// query starts a query.
func (c queryConn) query(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	q, ok := c.conn.(driver.QueryerContext)
	if !ok {
		return nil, errors.New("the driver runs no queries")
	}
	return q.QueryContext(ctx, query, args)
}
