package embed

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"s2g/schema"
)

// The kinds of embedders that a spec names. [FitLSA] fits the embedder of KindBuiltin.
const (
	KindBuiltin = "builtin"
	KindBM25    = "bm25"
	KindOpenAI  = "openai" // dense, by OpenAI's route /embeddings
	KindBGEM3   = "bgem3"  // sparse, by vLLM's routes /pooling and /tokenize
)

// Spec names an embedder, as the options dense and sparse do:
//
//	builtin
//	bm25
//	openai+http://host:8000/v1?model=nomic-ai/nomic-embed-code
//	openai+http://a:8000/v1,http://b:8000/v1?model=nomic-ai/nomic-embed-code
//	bgem3+http://host:8001?model=BAAI/bge-m3
//
// Commas separate endpoints that serve the same model. The query of one applies to all. It names the model, and may name
//
//	document_prefix, query_prefix   text before each text; known models have their own
//	dimensions                      requested length of the vectors, of models that can shorten them
//	max_tokens                      the longest text that the model accepts
//	batch, batch_tokens             limits of the texts and tokens of a request
type Spec struct {
	Kind      string
	Endpoints []string // base URLs, without a slash at the end
	Model     string

	DocumentPrefix, QueryPrefix *string // nil: that of the model
	Dimensions                  int     // 0: the model's
	MaxTokens                   int     // 0: the model's
	Batch, BatchTokens          int     // 0: the defaults
}

// ParseSpec parses a spec. Its errors are of [schema.FaultUsage].
func ParseSpec(spec string) (Spec, error) {
	s, err := parseSpec(strings.TrimSpace(spec))
	if err != nil {
		return Spec{}, schema.Faultf(schema.FaultUsage, "write it as openai+http://host:8000/v1?model=NAME", "embedder %q: %w", redactPassword(spec), err)
	}
	return s, nil
}

func parseSpec(spec string) (Spec, error) {
	if spec == KindBuiltin || spec == KindBM25 {
		return Spec{Kind: spec}, nil
	}
	kind, rest, ok := strings.Cut(spec, "+")
	if !ok || kind != KindOpenAI && kind != KindBGEM3 {
		return Spec{}, errors.New("there is no such embedder")
	}
	s := Spec{Kind: kind}
	query := url.Values{}
	for _, part := range splitEndpoints(rest) {
		u, err := url.Parse(strings.TrimPrefix(part, kind+"+"))
		if err != nil {
			return Spec{}, errors.New("an endpoint is no URL")
		}
		values, err := url.ParseQuery(u.RawQuery)
		if err != nil {
			return Spec{}, errors.New("the query of an endpoint is malformed")
		}
		for name, v := range values {
			if len(v) != 1 || query.Has(name) && query.Get(name) != v[0] {
				return Spec{}, fmt.Errorf("%s has two values", name)
			}
			query.Set(name, v[0])
		}
		base, err := baseURL(u)
		if err != nil {
			return Spec{}, err
		}
		if slices.Contains(s.Endpoints, base) {
			return Spec{}, fmt.Errorf("endpoint %s is named twice", base)
		}
		s.Endpoints = append(s.Endpoints, base)
	}
	if err := s.setParameters(query); err != nil {
		return Spec{}, err
	}
	return s, nil
}

// splitEndpoints cuts at the commas before a URL: a prefix in a query may contain other commas.
func splitEndpoints(s string) []string {
	var parts []string
	from := 0
	for i := range len(s) {
		if s[i] != ',' {
			continue
		}
		next := s[i+1:]
		for _, kind := range []string{KindOpenAI + "+", KindBGEM3 + "+"} {
			next = strings.TrimPrefix(next, kind)
		}
		if strings.HasPrefix(next, "http://") || strings.HasPrefix(next, "https://") {
			parts = append(parts, s[from:i])
			from = i + 1
		}
	}
	return append(parts, s[from:])
}

func baseURL(u *url.URL) (string, error) {
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return "", errors.New("an endpoint is neither http:// nor https://")
	case u.Hostname() == "":
		return "", errors.New("an endpoint has no host")
	case u.User != nil:
		return "", errors.New("an endpoint holds a user or password: keys come from the environment")
	case u.Fragment != "":
		return "", errors.New("an endpoint has a fragment")
	}
	return u.Scheme + "://" + u.Host + strings.TrimRight(u.EscapedPath(), "/"), nil
}

func (s *Spec) setParameters(query url.Values) error {
	for name := range query {
		value := query.Get(name)
		number, err := strconv.Atoi(value)
		positive := err == nil && number > 0
		switch name {
		case "model":
			s.Model = value
			continue
		case "document_prefix":
			s.DocumentPrefix = &value
			continue
		case "query_prefix":
			s.QueryPrefix = &value
			continue
		case "dimensions":
			s.Dimensions = number
			positive = positive && number <= maxDims
		case "max_tokens":
			s.MaxTokens = number
		case "batch":
			s.Batch = number
		case "batch_tokens":
			s.BatchTokens = number
		default:
			return fmt.Errorf("there is no parameter %q", name)
		}
		if !positive {
			return fmt.Errorf("%s=%s is out of range", name, value)
		}
	}
	if s.Model == "" {
		return errors.New("it names no model: add ?model=NAME")
	}
	if s.Kind == KindBGEM3 && (s.Dimensions != 0 || s.DocumentPrefix != nil || s.QueryPrefix != nil) {
		return errors.New("sparse vectors have neither dimensions nor prefixes")
	}
	return nil
}

// Identity returns the part of a spec that shapes the vectors: neither the endpoints nor the sizes of batches.
func (s Spec) Identity() string {
	if len(s.Endpoints) == 0 {
		return s.Kind
	}
	query := url.Values{}
	if s.Kind == KindOpenAI {
		card := s.card()
		query.Set("document_prefix", card.DocumentPrefix)
		query.Set("query_prefix", card.QueryPrefix)
	}
	for name, n := range map[string]int{"dimensions": s.Dimensions, "max_tokens": s.MaxTokens} {
		if n != 0 {
			query.Set(name, strconv.Itoa(n))
		}
	}
	return s.Kind + ":" + s.Model + "?" + query.Encode()
}

// DocumentModel returns the name that an endpoint's embedder has by its method Model: the model, with all else that shapes
// the vectors of documents. It is the kind of a spec without endpoints.
func (s Spec) DocumentModel() string {
	if len(s.Endpoints) == 0 {
		return s.Kind
	}
	name := s.Model
	if s.Dimensions != 0 {
		name += fmt.Sprintf(" dimensions=%d", s.Dimensions)
	}
	if s.DocumentPrefix != nil {
		name += fmt.Sprintf(" document_prefix=%q", *s.DocumentPrefix)
	}
	if s.MaxTokens != 0 {
		name += fmt.Sprintf(" max_tokens=%d", s.MaxTokens)
	}
	return name
}

// IsLocal reports whether a model, by its name, is built in: its vectors cost little to make again.
func IsLocal(model string) bool {
	return strings.HasPrefix(model, KindBuiltin+"/") || strings.HasPrefix(model, "qdrant/bm25")
}

// card returns the model's card, with the values of the spec in place of its own.
func (s Spec) card() modelCard {
	c := cardOf(s.Model)
	if s.DocumentPrefix != nil {
		c.DocumentPrefix = *s.DocumentPrefix
	}
	if s.QueryPrefix != nil {
		c.QueryPrefix = *s.QueryPrefix
	}
	if s.MaxTokens != 0 {
		c.MaxTokens = s.MaxTokens
	}
	if s.Dimensions != 0 {
		c.Dim = s.Dimensions
	}
	return c
}

// redactPassword replaces a possible password in a spec that is part of an error.
func redactPassword(spec string) string {
	at := strings.LastIndexByte(spec, '@')
	scheme := strings.Index(spec, "://")
	if scheme < 0 || at < scheme || strings.ContainsAny(spec[scheme+3:at], "/?") {
		return spec
	}
	return spec[:scheme+3] + "***" + spec[at:]
}
