package embed

import "strings"

// Known is what is known of a dense model: facts of its own card, which differ from model to model and which no
// server tells.
type Known struct {
	Document  string // stands before each document
	Query     string // stands before each query
	MaxTokens int    // of a text, special tokens included; 0: unknown
	Dim       int    // of the vectors; 0: unknown
}

// Lookup returns what is known of a model by its name: the name itself, or with its organisation, or as Ollama and
// file names spell it. Of an unknown one it returns nothing: no prefixes.
func Lookup(name string) Known {
	name = strings.ToLower(name)
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		name = name[i+1:]
	}
	name, _, _ = strings.Cut(name, ":") // Ollama's tag
	name = strings.TrimSuffix(name, ".gguf")
	return models[name]
}

var models = map[string]Known{
	"nomic-embed-code": {Query: "Represent this query for searching relevant code: ", MaxTokens: 32768, Dim: 3584},
}
