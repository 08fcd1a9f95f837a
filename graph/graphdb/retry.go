package graphdb

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"s2g/graph/rdf4j"
	"s2g/schema"
	"s2g/schema/remote"
	"s2g/schema/retry"
)

// errImportLost reports that GraphDB was restarted and has forgotten an import.
var errImportLost = errors.New("the server has lost the import")

// retryPolicy retries temporary errors for up to retryFor.
func retryPolicy(retryFor time.Duration, log *slog.Logger) retry.Policy {
	return retry.Policy{RetryFor: retryFor, Log: log, RetryAfter: rdf4j.RetryAfter, Temporary: func(err error) bool {
		return rdf4j.Temporary(err) || errors.Is(err, errImportLost)
	}}
}

// Retry calls request, and retries its temporary errors for up to retryFor. An error of
// the server has the fault class of its remedy. what names the request in log and error.
func Retry(ctx context.Context, retryFor time.Duration, log *slog.Logger, what string, request func() error) error {
	return withFault(retryPolicy(retryFor, log).Do(ctx, what, func(context.Context) error { return request() }))
}

// withFault gives an error of the server the class of its remedy. Other errors
// stay as they are.
func withFault(err error) error {
	if fault, _ := schema.FaultOf(err); err == nil || fault != schema.FaultOurs {
		return err
	}
	if wrong, ok := errors.AsType[*remote.WrongServerError](err); ok {
		if wrong.Later {
			return schema.Faultf(schema.FaultService, wrong.Remedy, "%w", err)
		}
		return schema.Faultf(schema.FaultUsage, wrong.Remedy, "%w", err)
	}
	if _, ok := errors.AsType[*rdf4j.AnswerError](err); ok {
		return schema.Faultf(schema.FaultService, "check that the URL is that of GraphDB or RDF4J Server, and what stands before it", "%w", err)
	}
	if _, ok := errors.AsType[*retry.Error](err); ok {
		return schema.Faultf(schema.FaultService, "check the server and its log, then run the same command again: it resumes", "%w", err)
	}
	if _, ok := errors.AsType[*rdf4j.NoResponseError](err); ok {
		return schema.Faultf(schema.FaultUsage, "check the URL, and that its certificate is trusted", "%w", err)
	}
	e, ok := errors.AsType[*rdf4j.StatusError](err)
	switch {
	case !ok:
		return err
	case e.Status == http.StatusUnauthorized, e.Status == http.StatusForbidden:
		return schema.Faultf(schema.FaultUsage,
			"set S2G_GRAPHDB_USER and S2G_GRAPHDB_PASSWORD, or S2G_GRAPHDB_TOKEN, of a user who may create and write repositories", "%w", err)
	case e.Status < 500:
		return schema.Faultf(schema.FaultUsage, "check that the URL is that of GraphDB or RDF4J Server, as http://localhost:7200 or http://localhost:8080/rdf4j-server", "%w", err)
	}
	return schema.Faultf(schema.FaultService, "check the server and its log", "%w", err)
}
