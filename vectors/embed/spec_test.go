package embed

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"s2g/schema"
)

func TestParseSpec(t *testing.T) {
	text := func(s string) *string { return &s }
	tests := []struct {
		spec string
		want Spec
	}{
		{"builtin", Spec{Kind: KindBuiltin}},
		{"bm25", Spec{Kind: KindBM25}},
		{"openai+http://h:8000/v1?model=nomic-ai/nomic-embed-code",
			Spec{Kind: KindOpenAI, Endpoints: []string{"http://h:8000/v1"}, Model: "nomic-ai/nomic-embed-code"}},
		{"openai+http://a/v1/,https://b/v1?model=m", Spec{Kind: KindOpenAI, Endpoints: []string{"http://a/v1", "https://b/v1"}, Model: "m"}},
		{"openai+http://a/v1?model=m,openai+http://b/v1?model=m", Spec{Kind: KindOpenAI, Endpoints: []string{"http://a/v1", "http://b/v1"}, Model: "m"}},
		{"openai+http://a?model=m&query_prefix=find+this,+please:+&document_prefix=&dimensions=256&max_tokens=512&batch=8&batch_tokens=4000",
			Spec{Kind: KindOpenAI, Endpoints: []string{"http://a"}, Model: "m", QueryPrefix: text("find this, please: "), DocumentPrefix: text(""),
				Dimensions: 256, MaxTokens: 512, Batch: 8, BatchTokens: 4000}},
		{" bgem3+http://[::1]:8000?model=BAAI/bge-m3 ", Spec{Kind: KindBGEM3, Endpoints: []string{"http://[::1]:8000"}, Model: "BAAI/bge-m3"}},
	}
	for _, tt := range tests {
		got, err := ParseSpec(tt.spec)
		if err != nil {
			t.Errorf("%s: %v", tt.spec, err)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: %s", tt.spec, diff)
		}
	}
}

func TestParseSpecRefuses(t *testing.T) {
	for spec, reason := range map[string]string{
		"":                           "no such embedder",
		"lsa":                        "no such embedder",
		"http://h/v1?model=m":        "no such embedder",
		"openai+ftp://h/v1?model=m":  "neither http:// nor https://",
		"openai+http:///v1?model=m":  "no host",
		"openai+http://h/v1":         "names no model",
		"openai+http://h/v1?modle=m": `no parameter "modle"`,
		"openai+http://a?model=m,http://a?model=m":     "twice",
		"openai+http://a?model=m,http://b?model=n":     "model has two values",
		"openai+http://a?model=m&batch=0":              "batch=0 is out of range",
		"openai+http://a?model=m&dimensions=65536":     "out of range",
		"openai+http://a?model=m&max_tokens=x":         "out of range",
		"openai+http://user:secret@a/v1?model=m":       "keys come from the environment",
		"openai+http://a?model=m#f":                    "fragment",
		"bgem3+http://a?model=m&dimensions=3":          "neither dimensions nor prefixes",
		"openai+http://user:secret@a:b:c/v1?model=m%%": "no URL",
	} {
		_, err := ParseSpec(spec)
		if err == nil || !strings.Contains(err.Error(), reason) {
			t.Errorf("%s: %v, want %q in it", spec, err, reason)
			continue
		}
		if fault, _ := schema.FaultOf(err); fault != schema.FaultUsage || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: fault %d, %v", spec, fault, err)
		}
	}
}

func TestIdentity(t *testing.T) {
	identity := func(spec string) string {
		t.Helper()
		s, err := ParseSpec(spec)
		if err != nil {
			t.Fatal(err)
		}
		return s.Identity()
	}
	base := identity("openai+http://a/v1?model=x/nomic-embed-code")
	for _, same := range []string{"openai+http://b:1/v1,http://c/v1?model=x/nomic-embed-code", "openai+http://a/v1?model=x/nomic-embed-code&batch=7&batch_tokens=9",
		"openai+http://a/v1?document_prefix=&model=x/nomic-embed-code"} {
		if got := identity(same); got != base {
			t.Errorf("%s: %s, want %s", same, got, base)
		}
	}
	for _, other := range []string{"openai+http://a/v1?model=y", "openai+http://a/v1?model=x/nomic-embed-code&dimensions=64",
		"openai+http://a/v1?model=x/nomic-embed-code&query_prefix=q", "bgem3+http://a/v1?model=x/nomic-embed-code", "builtin"} {
		if got := identity(other); got == base {
			t.Errorf("%s: %s, too", other, got)
		}
	}
}

func TestLookup(t *testing.T) {
	code := modelCard{QueryPrefix: "Represent this query for searching relevant code: ", Dim: 3584}
	nomic := modelCard{DocumentPrefix: "search_document: ", QueryPrefix: "search_query: ", MaxTokens: 8192, Dim: 768}
	for name, want := range map[string]modelCard{
		"nomic-ai/nomic-embed-code":               code,
		"nomic-embed-code":                        code,
		"nomic-ai/nomic-embed-code-GGUF":          code,
		"/models/nomic-embed-code.Q4_K_M.gguf":    code,
		"nomic-embed-text:v1.5":                   nomic,
		"nomic-embed-text:latest":                 nomic,
		"nomic-embed-text-v1.5.f16.gguf":          nomic,
		"sentence-transformers/all-MiniLM-L6-v2":  {MaxTokens: 256, Dim: 384},
		"qwen3-embedding:4b":                      {QueryPrefix: webSearch, MaxTokens: 32768, Dim: 2560},
		"qwen3-embedding:4b-q4_K_M":               {QueryPrefix: webSearch, MaxTokens: 32768, Dim: 2560},
		"snowflake-arctic-embed:335m":             {QueryPrefix: forPassages},
		"Snowflake/snowflake-arctic-embed-m-v1.5": {QueryPrefix: forPassages, MaxTokens: 512, Dim: 768},
		"intfloat/e5-mistral-7b-instruct":         {QueryPrefix: webSearch + " ", MaxTokens: 4096, Dim: 4096},
		"BAAI/bge-m3":                             {MaxTokens: 8192, Dim: 1024},
		"my-nomic-embed-code-finetune":            {},
		"":                                        {},
	} {
		if diff := cmp.Diff(want, cardOf(name)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
