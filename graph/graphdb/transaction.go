package graphdb

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"s2g/graph/rdf4j"
	"s2g/schema/manifest"
	"s2g/schema/retry"
)

// rollbackTimeout limits the rollback of a failed transaction. The server itself rolls
// back a transaction without requests.
const rollbackTimeout = 30 * time.Second

// loadFiles loads files and their marks in one transaction. A retry first queries the
// marks, because the commit may have succeeded and only its answer be lost. It loads the
// files without a mark.
func (l *loader) loadFiles(ctx context.Context, files []manifest.File) error {
	if len(files) == 0 {
		return nil
	}
	missing, failed := files, false
	err := l.withRetries(ctx, "loading "+nameRange(files), func(ctx context.Context) (err error) {
		if failed {
			if missing, err = l.unmarked(ctx, files); err != nil || len(missing) == 0 {
				return err
			}
		}
		failed = true
		return l.inTransaction(ctx, func(tx *rdf4j.Transaction) error { return l.addFiles(ctx, tx, missing) })
	})
	if err != nil {
		return err
	}
	if files[0].Name != l.build.Ontology.Name {
		l.reportLoaded(rows(files))
	}
	return nil
}

// nameRange returns the names of the first and the last file, for messages.
func nameRange(files []manifest.File) string {
	if len(files) == 1 {
		return files[0].Name
	}
	return fmt.Sprintf("%s to %s", files[0].Name, files[len(files)-1].Name)
}

// unmarked queries the marks and returns the files without one.
func (l *loader) unmarked(ctx context.Context, files []manifest.File) ([]manifest.File, error) {
	loaded, err := queryMarks(ctx, l.repository, l.build)
	if err != nil {
		return nil, err
	}
	c := Contents{Loaded: loaded}
	return c.missing(files), nil
}

// addFiles adds files and their marks to a transaction. The ontology is the first file
// of a load, so the mark that names the build goes with it.
func (l *loader) addFiles(ctx context.Context, tx *rdf4j.Transaction, files []manifest.File) error {
	marks := l.build.marks(files)
	for _, f := range files {
		d, err := l.build.data(f)
		if err != nil {
			return err
		}
		if err := l.request(ctx, func() error { return tx.Add(ctx, d) }); err != nil {
			return diagnose(f, d, err)
		}
		if f.Name == l.build.Ontology.Name {
			marks = append(marks, l.build.editionMark()...)
		}
	}
	d := rdf4j.Data{Media: rdf4j.Turtle, Graph: LoadGraph(l.build.Site), Body: marks}
	return l.request(ctx, func() error { return tx.Add(ctx, d) })
}

// finish makes the last transaction, unless the repository is whole already because an
// earlier try succeeded and only its answer was lost.
func (l *loader) finish(ctx context.Context) error {
	contents, err := inspect(ctx, l.repository, l.build)
	if err != nil || contents.State == Whole {
		return err
	}
	d, err := l.build.data(l.build.Void)
	if err != nil {
		return err
	}
	return l.inTransaction(ctx, func(tx *rdf4j.Transaction) error { return l.replaceMarks(ctx, tx, d) })
}

// replaceMarks removes the marks and adds the dataset's description. The order matters:
// an update after an Add makes GraphDB write the added statements, and from then until
// the transaction ends it carries out no update of other transactions. The transaction
// of a killed loader blocks them for a minute, those of several for a minute each.
func (l *loader) replaceMarks(ctx context.Context, tx *rdf4j.Transaction, description rdf4j.Data) error {
	err := l.request(ctx, func() error { return tx.Update(ctx, "CLEAR GRAPH <"+LoadGraph(l.build.Site)+">") })
	if err != nil {
		return err
	}
	return l.request(ctx, func() error { return tx.Add(ctx, description) })
}

// inTransaction runs work in a new transaction and commits it. After any error it rolls
// the transaction back, because the server keeps it open and a commit would store half
// of it. It does so after a commit without an answer, too: a server that is still
// committing answers the rollback afterwards.
func (l *loader) inTransaction(ctx context.Context, work func(*rdf4j.Transaction) error) error {
	var tx *rdf4j.Transaction
	err := l.request(ctx, func() (err error) {
		tx, err = l.repository.Begin(ctx)
		return err
	})
	if err != nil {
		return err
	}
	if err = work(tx); err == nil {
		err = l.request(ctx, func() error { return tx.Commit(ctx) })
	}
	if err == nil {
		return nil
	}
	after, cancel := context.WithTimeout(context.WithoutCancel(ctx), rollbackTimeout)
	defer cancel()
	if rollbackErr := tx.Rollback(after); rollbackErr != nil {
		l.Log.Debug("rolling back", "transaction", tx.ID(), "error", rollbackErr)
	}
	return err
}

// requestTries limits the tries of one request of a transaction.
const requestTries = 4

// request makes one request of a transaction, and retries it where it may not have
// reached the server, as through a busy proxy, so that one failure does not cost the
// other requests of the transaction. A retry is safe: a second Begin leaves a
// transaction that the server rolls back; a second Add of a file adds the statements
// that the first has not; a second Commit fails if the first has succeeded, and then the
// marks are stored. A timeout or an error of the server itself is not retried here.
func (l *loader) request(ctx context.Context, send func() error) error {
	policy := l.retries
	policy.MaxTries, policy.Temporary = requestTries, mayBeUnseen
	err := policy.Do(ctx, "a request of a transaction", func(context.Context) error { return send() })
	if e, ok := errors.AsType[*retry.Error](err); ok {
		return e.Err // withRetries reports the tries of the whole transaction
	}
	return err
}

// mayBeUnseen reports whether a request may not have reached the server.
func mayBeUnseen(err error) bool {
	if e, ok := errors.AsType[*rdf4j.NoResponseError](err); ok {
		return rdf4j.Temporary(err) && !e.Timeout()
	}
	return rdf4j.IsStatus(err, http.StatusBadGateway) || rdf4j.IsStatus(err, http.StatusServiceUnavailable) ||
		rdf4j.IsStatus(err, http.StatusGatewayTimeout) || rdf4j.IsStatus(err, http.StatusTooManyRequests)
}
