package embed

import "strings"

// modelCard holds facts of a dense model's card, which differ from model to model and which servers do not report.
type modelCard struct {
	DocumentPrefix string // before each document
	QueryPrefix    string // before each query
	MaxTokens      int    // of a text, special tokens included; 0: unknown
	Dim            int    // of the vectors; 0: unknown, or several models of different lengths share the name
}

// The prefixes that several models were trained with.
const (
	forCode     = "Represent this query for searching relevant code: "
	forPassages = "Represent this sentence for searching relevant passages: "
	webSearch   = "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:"
)

// cardOf returns the card of a model by its name, without the organisation's, in any case of letters, and in the
// spellings of Ollama and of file names: "nomic-ai/nomic-embed-code", "nomic-embed-text:v1.5", "bge-m3.Q8_0.gguf". The
// card of an unknown model is zero.
func cardOf(name string) modelCard {
	name = strings.ToLower(name)
	name = name[strings.LastIndexByte(name, '/')+1:]
	name = strings.TrimSuffix(strings.TrimSuffix(name, ".gguf"), "-gguf")
	if i := strings.LastIndexAny(name, ".-"); i > 0 && isQuantisation(name[i+1:]) {
		name = name[:i]
	}
	if c, ok := modelCards[strings.Replace(name, ":", "-", 1)]; ok {
		return c
	}
	name, _, _ = strings.Cut(name, ":")
	return modelCards[name]
}

// isQuantisation reports whether a part of a file's name is the format of its numbers: q8_0, iq4_xs, f16, bf16.
func isQuantisation(s string) bool {
	digits := strings.TrimLeft(s, "bfiq")
	return digits != "" && len(digits) < len(s) && strings.Trim(digits, "0123456789_kmslx") == "" && digits[0] <= '9'
}

// modelCards holds the cards by the last part of the model's name.
var modelCards = map[string]modelCard{
	"nomic-embed-code":             {QueryPrefix: forCode, Dim: 3584},
	"coderankembed":                {QueryPrefix: forCode, MaxTokens: 8192, Dim: 768},
	"nomic-embed-text":             nomicText(8192),
	"nomic-embed-text-v1":          nomicText(8192),
	"nomic-embed-text-v1.5":        nomicText(8192),
	"nomic-embed-text-v2-moe":      nomicText(512),
	"jina-code-embeddings-0.5b":    jinaCode(896),
	"jina-code-embeddings-1.5b":    jinaCode(1536),
	"jina-embeddings-v2-base-code": {MaxTokens: 8192, Dim: 768},
	"jina-embeddings-v2-base-en":   {MaxTokens: 8192, Dim: 768},
	"jina-embeddings-v2-small-en":  {MaxTokens: 8192, Dim: 512},

	"e5-small": e5(384), "e5-base": e5(768), "e5-large": e5(1024),
	"e5-small-v2": e5(384), "e5-base-v2": e5(768), "e5-large-v2": e5(1024),
	"multilingual-e5-small": e5(384), "multilingual-e5-base": e5(768), "multilingual-e5-large": e5(1024),
	"multilingual-e5-large-instruct": {QueryPrefix: webSearch + " ", MaxTokens: 512, Dim: 1024},
	"e5-mistral-7b-instruct":         {QueryPrefix: webSearch + " ", MaxTokens: 4096, Dim: 4096},

	"bge-small-en": bge(384), "bge-base-en": bge(768), "bge-large-en": bge(1024),
	"bge-small-en-v1.5": bge(384), "bge-base-en-v1.5": bge(768), "bge-large-en-v1.5": bge(1024),
	"bge-large": bge(1024), // Ollama's name
	"bge-m3":    {MaxTokens: 8192, Dim: 1024},

	"gte-small": {MaxTokens: 512, Dim: 384}, "gte-base": {MaxTokens: 512, Dim: 768}, "gte-large": {MaxTokens: 512, Dim: 1024},
	"gte-base-en-v1.5": {MaxTokens: 8192, Dim: 768}, "gte-large-en-v1.5": {MaxTokens: 8192, Dim: 1024},
	"gte-modernbert-base":     {MaxTokens: 8192, Dim: 768},
	"gte-qwen2-1.5b-instruct": {QueryPrefix: webSearch + " ", MaxTokens: 32768, Dim: 1536},
	"gte-qwen2-7b-instruct":   {QueryPrefix: webSearch + " ", MaxTokens: 32768, Dim: 3584},

	"qwen3-embedding":      {QueryPrefix: webSearch, MaxTokens: 32768}, // Ollama's name, for all sizes
	"qwen3-embedding-0.6b": {QueryPrefix: webSearch, MaxTokens: 32768, Dim: 1024},
	"qwen3-embedding-4b":   {QueryPrefix: webSearch, MaxTokens: 32768, Dim: 2560},
	"qwen3-embedding-8b":   {QueryPrefix: webSearch, MaxTokens: 32768, Dim: 4096},

	"mxbai-embed-large-v1":          {QueryPrefix: forPassages, MaxTokens: 512, Dim: 1024},
	"mxbai-embed-large":             {QueryPrefix: forPassages, MaxTokens: 512, Dim: 1024}, // Ollama's name
	"snowflake-arctic-embed-xs":     {QueryPrefix: forPassages, MaxTokens: 512, Dim: 384},
	"snowflake-arctic-embed-s":      {QueryPrefix: forPassages, MaxTokens: 512, Dim: 384},
	"snowflake-arctic-embed-m":      {QueryPrefix: forPassages, MaxTokens: 512, Dim: 768},
	"snowflake-arctic-embed-l":      {QueryPrefix: forPassages, MaxTokens: 512, Dim: 1024},
	"snowflake-arctic-embed":        {QueryPrefix: forPassages}, // Ollama's name, for all sizes
	"snowflake-arctic-embed-m-v1.5": {QueryPrefix: forPassages, MaxTokens: 512, Dim: 768},
	"snowflake-arctic-embed-m-long": {QueryPrefix: forPassages, MaxTokens: 2048, Dim: 768},
	"snowflake-arctic-embed-m-v2.0": {QueryPrefix: "query: ", MaxTokens: 8192, Dim: 768},
	"snowflake-arctic-embed-l-v2.0": {QueryPrefix: "query: ", MaxTokens: 8192, Dim: 1024},
	"snowflake-arctic-embed2":       {QueryPrefix: "query: ", MaxTokens: 8192, Dim: 1024}, // Ollama's name
	"embeddinggemma":                {DocumentPrefix: "title: none | text: ", QueryPrefix: "task: search result | query: ", MaxTokens: 2048, Dim: 768},
	"embeddinggemma-300m":           {DocumentPrefix: "title: none | text: ", QueryPrefix: "task: search result | query: ", MaxTokens: 2048, Dim: 768},

	"all-minilm":                 {MaxTokens: 256, Dim: 384}, // Ollama's name
	"all-minilm-l6-v2":           {MaxTokens: 256, Dim: 384},
	"all-minilm-l12-v2":          {MaxTokens: 128, Dim: 384},
	"all-mpnet-base-v2":          {MaxTokens: 384, Dim: 768},
	"multi-qa-minilm-l6-cos-v1":  {MaxTokens: 512, Dim: 384},
	"multi-qa-mpnet-base-dot-v1": {MaxTokens: 512, Dim: 768},

	"text-embedding-3-small": {MaxTokens: 8192, Dim: 1536},
	"text-embedding-3-large": {MaxTokens: 8192, Dim: 3072},
	"text-embedding-ada-002": {MaxTokens: 8192, Dim: 1536},
}

func nomicText(tokens int) modelCard {
	return modelCard{DocumentPrefix: "search_document: ", QueryPrefix: "search_query: ", MaxTokens: tokens, Dim: 768}
}

func e5(dim int) modelCard {
	return modelCard{DocumentPrefix: "passage: ", QueryPrefix: "query: ", MaxTokens: 512, Dim: dim}
}

func bge(dim int) modelCard {
	return modelCard{QueryPrefix: forPassages, MaxTokens: 512, Dim: dim}
}

// jinaCode returns a card with the prefixes for technical questions and answers.
func jinaCode(dim int) modelCard {
	return modelCard{DocumentPrefix: "Candidate answer:\n", QueryPrefix: "Find the most relevant answer given the following question:\n", MaxTokens: 32768, Dim: dim}
}
