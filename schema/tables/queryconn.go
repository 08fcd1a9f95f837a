package tables

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"sync"
)

// maxIdle is how many connections of queries are kept for the next ones: about
// as many as a stage has workers.
const maxIdle = 32

// queryConn is a connection that queries use one after the other.
type queryConn struct {
	conn driver.Conn
	id   int64 // of the connection, to kill it by
}

// queryConns keeps the connections of queries that were read to their end.
// database/sql's pool hands out rows that copy every value; these give those of
// the driver.
type queryConns struct {
	mu     sync.Mutex
	idle   []queryConn
	closed bool
}

// take returns a connection that was used before and is still alive, if there is
// one.
func (s *queryConns) take(ctx context.Context) (queryConn, bool) {
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
		_ = c.conn.Close() // it is broken, and nothing is lost with it
	}
}

// give keeps a connection whose result was read to its end.
func (s *queryConns) give(c queryConn) {
	s.mu.Lock()
	keep := !s.closed && len(s.idle) < maxIdle
	if keep {
		s.idle = append(s.idle, c)
	}
	s.mu.Unlock()
	if !keep {
		_ = c.conn.Close() // nothing is under way on it
	}
}

// close closes the connections that no query uses; the others are closed with
// their queries.
func (s *queryConns) close() {
	s.mu.Lock()
	idle := s.idle
	s.idle, s.closed = nil, true
	s.mu.Unlock()
	for _, c := range idle {
		_ = c.conn.Close()
	}
}

// connect opens a connection and asks for its id.
func (db *DB) connect(ctx context.Context) (queryConn, error) {
	conn, err := db.conns.Connect(ctx)
	if err != nil {
		return queryConn{}, db.explain(fmt.Errorf("connecting for a query: %w", err))
	}
	c := queryConn{conn: conn}
	if c.id, err = connectionID(ctx, conn); err != nil {
		return queryConn{}, errors.Join(db.explain(fmt.Errorf("connecting for a query: %w", err)), conn.Close())
	}
	return c, nil
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
