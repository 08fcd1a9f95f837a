package graphdb

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"s2g/graph/rdf4j"
	"s2g/schema/manifest"
)

// rollbackTime bounds the effort to end a transaction that has failed. A server
// that does not hear of it ends it by itself.
const rollbackTime = 30 * time.Second

// transact loads files and their marks in one transaction. It tries again with
// those that the server does not have: an answer that was lost may have been a
// good one.
func (l *loader) transact(ctx context.Context, files []manifest.File) error {
	if len(files) == 0 {
		return nil
	}
	left := files
	err := l.patience.do(ctx, "loading "+described(files), func() (err error) {
		if left == nil { // the try before has failed
			if left, err = l.lacking(ctx, files); err != nil || len(left) == 0 {
				return err
			}
		}
		now := left
		left = nil
		return l.inTransaction(ctx, func(tx *rdf4j.Transaction) error { return l.add(ctx, tx, now) })
	})
	if err != nil {
		return err
	}
	if files[0].Name != l.build.Ontology.Name {
		l.report(rows(files))
	}
	return nil
}

func described(files []manifest.File) string {
	if len(files) == 1 {
		return files[0].Name
	}
	return fmt.Sprintf("%s to %s", files[0].Name, files[len(files)-1].Name)
}

// lacking asks the server which of the files it does not have. The answer is
// never nil without an error.
func (l *loader) lacking(ctx context.Context, files []manifest.File) ([]manifest.File, error) {
	loaded, err := marked(ctx, l.repository, l.build)
	if err != nil {
		return nil, err
	}
	s := Contents{Loaded: loaded}
	return append([]manifest.File{}, s.missing(files)...), nil
}

// add puts files with their marks into a transaction; the ontology, which is
// the first, with the mark that names the build.
func (l *loader) add(ctx context.Context, tx *rdf4j.Transaction, files []manifest.File) error {
	marks := l.build.marks(files)
	for _, f := range files {
		d, err := l.build.data(f)
		if err != nil {
			return err
		}
		if err := l.insist(ctx, func() error { return tx.Add(ctx, d) }); err != nil {
			return l.build.diagnose(f, d, err)
		}
		if f.Name == l.build.Ontology.Name {
			marks = append(marks, l.build.beginning()...)
		}
	}
	d := rdf4j.Data{Media: rdf4j.Turtle, Graph: LoadGraph(l.build.Site), Body: marks}
	return l.insist(ctx, func() error { return tx.Add(ctx, d) })
}

// conclude is the last transaction. After an answer that was lost the server is
// asked first.
func (l *loader) conclude(ctx context.Context) error {
	contents, err := Inspect(ctx, l.repository, l.build)
	if err != nil || contents.State == Whole {
		return err
	}
	d, err := l.build.data(l.build.Void)
	if err != nil {
		return err
	}
	return l.inTransaction(ctx, func(tx *rdf4j.Transaction) error { return l.end(ctx, tx, d) })
}

// end takes the marks away and adds the dataset's description, in this order: an update behind an Add has GraphDB
// write what was added, and from there on no other transaction's update is carried out until this one ends. That of a
// loader that was killed here would end a minute after, and those of several one after the other.
func (l *loader) end(ctx context.Context, tx *rdf4j.Transaction, description rdf4j.Data) error {
	if err := l.insist(ctx, func() error { return tx.Update(ctx, "CLEAR GRAPH <"+LoadGraph(l.build.Site)+">") }); err != nil {
		return err
	}
	return l.insist(ctx, func() error { return tx.Add(ctx, description) })
}

// inTransaction carries work out in a transaction of its own, and rolls it back
// after any error: the server keeps one open that has failed, and a commit
// would store half of it. A commit whose answer is lost is rolled back too, which
// a server that is still at work on it answers when that is done.
func (l *loader) inTransaction(ctx context.Context, work func(*rdf4j.Transaction) error) error {
	var tx *rdf4j.Transaction
	err := l.insist(ctx, func() (err error) {
		tx, err = l.repository.Begin(ctx)
		return err
	})
	if err != nil {
		return err
	}
	if err = work(tx); err == nil {
		err = l.insist(ctx, func() error { return tx.Commit(ctx) })
	}
	if err == nil {
		return nil
	}
	after, cancel := context.WithTimeout(context.WithoutCancel(ctx), rollbackTime)
	defer cancel()
	if undone := tx.Rollback(after); undone != nil {
		l.Log.Debug("rolling back", "transaction", tx.ID(), "error", undone)
	}
	return err
}

// insisting is how often a request of a transaction is made.
const insisting = 4

// insist makes a request of a transaction again that may not have reached the
// server, as through a proxy that is busy: a transaction is many requests, and
// one that falls need not take the others with it. That is safe for each of
// them: a second Begin leaves a transaction that the server forgets; a second Add
// of a file adds what the first has not; a second Commit fails where the first
// has done its work, and then the marks are there. What the server itself says has
// failed, or hangs, ends the transaction.
func (l *loader) insist(ctx context.Context, request func() error) error {
	for n := 1; ; n++ {
		err := request()
		if n == insisting || !unseen(err) {
			return err
		}
		select {
		case <-time.After(l.patience.wait(n)):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// unseen reports whether a request may not have reached the server.
func unseen(err error) bool {
	if lost, ok := errors.AsType[*rdf4j.NoResponseError](err); ok {
		return rdf4j.Temporary(err) && !lost.Timeout()
	}
	return rdf4j.IsStatus(err, http.StatusBadGateway) || rdf4j.IsStatus(err, http.StatusServiceUnavailable) ||
		rdf4j.IsStatus(err, http.StatusGatewayTimeout) || rdf4j.IsStatus(err, http.StatusTooManyRequests)
}
