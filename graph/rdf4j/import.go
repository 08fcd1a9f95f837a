package rdf4j

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
)

// The states of a ServerFile that say how an import ended.
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

// importRequest is what GraphDB's documentation calls for, at "Loading via HTTP
// with curl". Files are read to their end or not at all.
type importRequest struct {
	FileNames []string `json:"fileNames"`
	Settings  struct {
		Parser map[string]bool `json:"parserSettings"`
	} `json:"importSettings"`
}

// Import has GraphDB read files of its import folder. It returns when they are
// queued; [Repository.ServerFiles] says how far they are. RDF4J Server does not
// have this: 404.
func (r *Repository) Import(ctx context.Context, names []string) error {
	asked := importRequest{FileNames: names}
	asked.Settings.Parser = map[string]bool{"stopOnError": true}
	body, err := json.Marshal(asked)
	if err != nil {
		return err
	}
	_, err = r.client.small(ctx, request{method: http.MethodPost, path: r.importPath(), body: body, media: "application/json"})
	return err
}

// ServerFiles lists the files of GraphDB's import folder, with those in its
// folders.
func (r *Repository) ServerFiles(ctx context.Context) ([]ServerFile, error) {
	asked := request{method: http.MethodGet, path: r.importPath(), accept: "application/json"}
	text, err := r.client.small(ctx, asked)
	if err != nil {
		return nil, err
	}
	var files []ServerFile
	if err := json.Unmarshal(text, &files); err != nil {
		return nil, fmt.Errorf("%s: reading the answer: %w", r.client.name(asked), err)
	}
	return files, nil
}

func (r *Repository) importPath() []string {
	return []string{"rest", "repositories", r.id, "import", "server"}
}
