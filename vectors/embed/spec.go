package embed

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"s2g/schema"
)

// The kinds of embedders that a spec can name. KindBuiltin has no constructor here: it is fitted on the texts,
// see [FitLSA].
const (
	KindBuiltin = "builtin"
	KindBM25    = "bm25"
	KindOpenAI  = "openai" // dense, by OpenAI's route /embeddings
	KindBGEM3   = "bgem3"  // sparse, by vLLM's routes /pooling and /tokenize
)

// Spec says which embedder is meant, as the flags --dense and --sparse do:
//
//	builtin
//	bm25
//	openai+http://host:8000/v1?model=nomic-ai/nomic-embed-code
//	openai+http://a:8000/v1,http://b:8000/v1?model=nomic-ai/nomic-embed-code
//	bgem3+http://host:8001?model=BAAI/bge-m3
//
// Several endpoints that serve the same model stand one after the other with commas between them; the query is
// that of any of them, and holds for all. It may name, beside the model,
//
//	document_prefix, query_prefix   what stands before a text; known models have theirs
//	dimensions                      the length that is asked for, of models that can shorten their vectors
//	max_tokens                      the longest text that the model takes
//	batch, batch_tokens             texts and tokens of a request, at most
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
		return Spec{}, schema.Faultf(schema.FaultUsage, "write it as openai+http://host:8000/v1?model=NAME", "embedder %q: %w", redact(spec), err)
	}
	return s, nil
}

func parseSpec(spec string) (Spec, error) {
	if spec == KindBuiltin || spec == KindBM25 {
		return Spec{Kind: spec}, nil
	}
	kind, rest, ok := strings.Cut(spec, "+")
	if !ok || kind != KindOpenAI && kind != KindBGEM3 {
		return Spec{}, fmt.Errorf("there is no such embedder")
	}
	s := Spec{Kind: kind}
	query := url.Values{}
	for _, part := range splitEndpoints(rest) {
		u, err := url.Parse(strings.TrimPrefix(part, kind+"+"))
		if err != nil {
			return Spec{}, fmt.Errorf("an endpoint is no URL")
		}
		if err := mergeQuery(query, u); err != nil {
			return Spec{}, err
		}
		base, err := baseURL(u)
		if err != nil {
			return Spec{}, err
		}
		if slices.Contains(s.Endpoints, base) {
			return Spec{}, fmt.Errorf("endpoint %s stands there twice", base)
		}
		s.Endpoints = append(s.Endpoints, base)
	}
	if err := s.take(query); err != nil {
		return Spec{}, err
	}
	return s, nil
}

// splitEndpoints cuts at the commas that a URL follows: a prefix in a query may have others.
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

func mergeQuery(all url.Values, u *url.URL) error {
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return fmt.Errorf("the query of an endpoint cannot be read")
	}
	for name, values := range query {
		if len(values) != 1 || all.Has(name) && all.Get(name) != values[0] {
			return fmt.Errorf("%s has two values", name)
		}
		all.Set(name, values[0])
	}
	return nil
}

func baseURL(u *url.URL) (string, error) {
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return "", fmt.Errorf("an endpoint is neither http:// nor https://")
	case u.Hostname() == "":
		return "", fmt.Errorf("an endpoint has no host")
	case u.User != nil:
		return "", fmt.Errorf("an endpoint holds a user or password: keys come from the environment")
	case u.Fragment != "":
		return "", fmt.Errorf("an endpoint has a fragment")
	}
	return u.Scheme + "://" + u.Host + strings.TrimRight(u.EscapedPath(), "/"), nil
}

// take takes the parameters of the query.
func (s *Spec) take(query url.Values) error {
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
		return fmt.Errorf("it names no model: add ?model=NAME")
	}
	if s.Kind == KindBGEM3 && (s.Dimensions != 0 || s.DocumentPrefix != nil || s.QueryPrefix != nil) {
		return fmt.Errorf("sparse vectors have neither dimensions nor prefixes")
	}
	return nil
}

// Identity is what of a spec shapes the vectors: not where the endpoints are, nor the size of batches.
func (s Spec) Identity() string {
	if len(s.Endpoints) == 0 {
		return s.Kind
	}
	m := s.model()
	query := url.Values{}
	if s.Kind == KindOpenAI {
		query.Set("document_prefix", m.Document)
		query.Set("query_prefix", m.Query)
	}
	for name, n := range map[string]int{"dimensions": s.Dimensions, "max_tokens": s.MaxTokens} {
		if n != 0 {
			query.Set(name, strconv.Itoa(n))
		}
	}
	return s.Kind + ":" + s.Model + "?" + query.Encode()
}

// model is what is known of the model, with what the spec says otherwise.
func (s Spec) model() modelCard {
	m := cardOf(s.Model)
	if s.DocumentPrefix != nil {
		m.Document = *s.DocumentPrefix
	}
	if s.QueryPrefix != nil {
		m.Query = *s.QueryPrefix
	}
	if s.MaxTokens != 0 {
		m.MaxTokens = s.MaxTokens
	}
	if s.Dimensions != 0 {
		m.Dim = s.Dimensions
	}
	return m
}

// redact takes what may be a password out of a spec that goes into an error.
func redact(spec string) string {
	at := strings.LastIndexByte(spec, '@')
	scheme := strings.Index(spec, "://")
	if scheme < 0 || at < scheme || strings.ContainsAny(spec[scheme+3:at], "/?") {
		return spec
	}
	return spec[:scheme+3] + "***" + spec[at:]
}
