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
func (s *connPool) take(ctx context.Context) (queryConn, bool) {
	for {
		s.mu.Lock()
		n := len(s.idle)
		if n == 0 {
			s.mu.Unlock()
			return queryConn{}, false
		}
		c := s.idle[n-1]
		s.idle = s.idle[:n-1]
		s.mu.Unlock()
		if r, ok := c.conn.(driver.SessionResetter); !ok || r.ResetSession(ctx) == nil {
			return c, true
		}
		_ = c.conn.Close() // it is broken
	}
}

// put keeps a connection whose last result was read to its end.
func (s *connPool) put(c queryConn) {
	s.mu.Lock()
	keep := !s.closed && len(s.idle) < maxIdle
	if keep {
		s.idle = append(s.idle, c)
	}
	s.mu.Unlock()
	if !keep {
		_ = c.conn.Close() // no query uses it
	}
}

// close closes the idle connections. Connections in use are closed with their
// queries.
func (s *connPool) close() {
	s.mu.Lock()
	idle := s.idle
	s.idle, s.closed = nil, true
	s.mu.Unlock()
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
	id, err := connectionID(ctx, conn)
	if err != nil {
		return queryConn{}, errors.Join(db.explain(fmt.Errorf("connecting for a query: %w", err)), conn.Close())
	}
	return queryConn{conn, id}, nil
}

func connectionID(ctx context.Context, conn driver.Conn) (int64, error) {
	q, ok := conn.(driver.QueryerContext)
	if !ok {
		return 0, errors.New("the driver runs no queries")
	}
	rows, err := q.QueryContext(ctx, "SELECT CONNECTION_ID()", nil)
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
