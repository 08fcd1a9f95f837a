package rdf4j

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Repository is a repository of a server, whether it exists or not.
type Repository struct {
	client *Client
	id     string
}

// Repository returns the repository with an id. It sends nothing.
func (c *Client) Repository(id string) *Repository { return &Repository{c, id} }

// Client returns the client of the repository's server.
func (r *Repository) Client() *Client { return r.client }

// ID returns the repository's id.
func (r *Repository) ID() string { return r.id }

// URL returns the repository's address, which is also its SPARQL endpoint.
func (r *Repository) URL() string { return r.client.base.JoinPath(escaped(r.path())...).String() }

func (r *Repository) path(more ...string) []string {
	return append([]string{"repositories", r.id}, more...)
}

// Create creates the repository from its configuration, a Turtle document with the same
// id (see [Configuration]). Its error has status 409 where the repository exists, and 400
// where the server cannot use the configuration.
func (r *Repository) Create(ctx context.Context, turtle string) error {
	_, err := r.client.call(ctx, request{method: http.MethodPut, path: r.path(), body: []byte(turtle), media: Turtle})
	return err
}

// Delete deletes the repository and everything in it.
func (r *Repository) Delete(ctx context.Context) error {
	_, err := r.client.call(ctx, request{method: http.MethodDelete, path: r.path()})
	return err
}

// Size returns the number of statements in all graphs.
func (r *Repository) Size(ctx context.Context) (int64, error) {
	get := request{method: http.MethodGet, path: r.path("size"), accept: "text/plain"}
	text, err := r.client.call(ctx, get)
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	if err != nil || n < 0 {
		return 0, r.client.answerError(get, fmt.Errorf("%q is no number of statements", r.client.secrets.Text(string(text), 40)))
	}
	return n, nil
}

// Graphs returns the named graphs that hold statements, unordered.
func (r *Repository) Graphs(ctx context.Context) ([]string, error) {
	rows, err := r.client.rows(ctx, request{method: http.MethodGet, path: r.path("contexts"), accept: resultsJSON})
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var graphs []string
	for rows.Scan() {
		if g := rows.Record()["contextID"]; g.Kind == IRI {
			graphs = append(graphs, g.Value)
		}
	}
	return graphs, rows.Err()
}

// Query sends a SELECT. The caller must close the rows. ctx must last until then.
func (r *Repository) Query(ctx context.Context, sparql string) (*Rows, error) {
	form := url.Values{"query": {sparql}}.Encode()
	return r.client.rows(ctx, request{
		method: http.MethodPost, path: r.path(), body: []byte(form), media: "application/x-www-form-urlencoded", accept: resultsJSON,
	})
}

// Begin opens a transaction. The server rolls it back after some time without requests,
// a minute on most servers.
func (r *Repository) Begin(ctx context.Context) (*Transaction, error) {
	post := request{method: http.MethodPost, path: r.path("transactions"), limit: 2 * time.Minute}
	a, err := r.client.send(ctx, post)
	if err != nil {
		return nil, err
	}
	defer a.Close()
	// Location ends in the id. Only that is used: its host is the server's own name, which
	// behind a proxy is not the host that may receive the password.
	at := strings.TrimRight(a.header.Get("Location"), "/")
	id := at[strings.LastIndexByte(at, '/')+1:]
	if id, err = url.PathUnescape(id); err != nil || id == "" || id == "." || id == ".." || id == "transactions" || strings.ContainsAny(id, "/?#") {
		return nil, r.client.answerError(post, fmt.Errorf("no address of a transaction (Location: %q)", r.client.secrets.Text(at, 80)))
	}
	return &Transaction{client: r.client, id: id, path: r.path("transactions", id)}, nil
}

// The states of a ServerFile after an import.
const (
	ImportDone  = "DONE"
	ImportError = "ERROR"
	ImportNone  = "NONE" // never imported, or forgotten
)

// ServerFile is a file in the folder that GraphDB imports from
// (graphdb.workbench.importDirectory).
type ServerFile struct {
	Name    string `json:"name"`   // relative to that folder
	Status  string `json:"status"` // PENDING, IMPORTING, INTERRUPTING or one of the constants
	Message string `json:"message"`
}

// importRequest follows GraphDB's documentation, "Loading via HTTP with curl". With
// stopOnError GraphDB stores either all of a file or nothing of it.
type importRequest struct {
	FileNames []string `json:"fileNames"`
	Settings  struct {
		Parser map[string]bool `json:"parserSettings"`
	} `json:"importSettings"`
}

// Import queues files of GraphDB's import folder for import and does not wait;
// [Repository.ServerFiles] reports their states. RDF4J Server answers 404.
func (r *Repository) Import(ctx context.Context, names []string) error {
	order := importRequest{FileNames: names}
	order.Settings.Parser = map[string]bool{"stopOnError": true}
	body, err := json.Marshal(order)
	if err != nil {
		return err
	}
	_, err = r.client.call(ctx, request{method: http.MethodPost, path: r.importPath(), body: body, media: "application/json"})
	return err
}

// ServerFiles returns the files of GraphDB's import folder and its subfolders.
func (r *Repository) ServerFiles(ctx context.Context) ([]ServerFile, error) {
	list := request{method: http.MethodGet, path: r.importPath(), accept: "application/json"}
	text, err := r.client.call(ctx, list)
	if err != nil {
		return nil, err
	}
	var files []ServerFile
	if err := json.Unmarshal(text, &files); err != nil {
		return nil, r.client.answerError(list, err)
	}
	for i := range files {
		files[i].Message = r.client.secrets.Text(files[i].Message, maxMessage)
	}
	return files, nil
}

func (r *Repository) importPath() []string {
	return []string{"rest", "repositories", r.id, "import", "server"}
}
