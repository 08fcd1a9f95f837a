package vectors

import (
	"cmp"
	"log/slog"
	"runtime"
	"strings"

	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/schema/postscan"
	"s2g/schema/threads"
	"s2g/schema/vocab"
	"s2g/vectors/embed"
	"s2g/vectors/shard"
	"s2g/vectors/text"
)

// The values of Options.Units.
const (
	UnitsQuestion       = "question"
	UnitsQuestionAnswer = "question,answer"
)

// The defaults of Options.Window and Options.Overlap.
const (
	DefaultWindow  = 512
	DefaultOverlap = 64
)

// maxDefaultWorkers bounds the default of Options.Workers. A worker keeps the points of a
// unit in memory, some 60 MiB, and the stage stays below 512 MiB on a machine of many cores,
// too.
const maxDefaultWorkers = 6

// workersOr returns the number of workers for Options.Workers.
func workersOr(workers int) int {
	if workers > 0 {
		return workers
	}
	return min(runtime.GOMAXPROCS(0), maxDefaultWorkers)
}

// MemoryLimit returns the garbage collector's limit, in bytes, for Options.Workers, beside
// the index of threads. The stage is as fast under it as without a limit.
func MemoryLimit(workers int) int64 {
	const model = 64 << 20 // of a large dump
	return min(model+64<<20+80<<20*int64(workersOr(workers)), 512<<20)
}

// Options select the posts to embed, the embedders and the size of chunks. With a site
// alone they embed the questions of the default languages with the builtin embedders.
type Options struct {
	Site         vocab.Site        // base of IRIs
	Languages    []schema.Language // nil: schema.DefaultLanguages
	Other        bool              // also the posts that have no selected language
	Units        string            // the posts to embed: UnitsQuestion (default) or UnitsQuestionAnswer
	Window       int               // tokens of a chunk; 0: DefaultWindow
	Overlap      *int              // tokens that neighbouring chunks share; nil: DefaultOverlap
	Dense        string            // spec of the dense embedder, see [embed.OpenDense]; empty: embed.KindBuiltin
	TextLanguage string            // of the texts, see [embed.ParseLanguage]; empty: English
	Sparse       string            // spec of the sparse embedder, see [embed.OpenSparse]; empty: embed.KindBM25
	Links        bool              // the texts keep the addresses of links
	Reuse        string            // folder of an earlier build; its vectors of equal texts and models are copied, and its builtin model; empty: none
	Adopted      string            // key of shards of which AdoptIntact has entered some, for this run; empty: none
	Sources      []Source          // folders in OUT; vectors that an endpoint has made are copied from them
	Remote       embed.RemoteOptions

	Posts   postscan.Source // of the tables, as Selection selects them; nil: the stage's own queries
	Threads *threads.Index  // of the tables and the languages; nil: the stage's own

	Workers  int                                  // units built side by side; 0: GOMAXPROCS, at most 6
	Log      *slog.Logger                         // nil: nothing is logged
	Progress func(what string, done, total int64) // called as posts are done, from one goroutine at a time; nil: no calls
}

// Key hashes the inputs of the stage: the dump in the tables, and the options that shape the
// shards. [manifest.Manifest.Fresh] compares it. The build to reuse shapes the shards by its
// builtin model alone; the key then ends with a hyphen and the key of that build.
func Key(dumpKey string, o Options) (string, error) {
	o, err := o.complete()
	if err != nil {
		return "", err
	}
	dense, err := embed.ParseSpec(o.Dense)
	if err != nil {
		return "", err
	}
	sparse, err := embed.ParseSpec(o.Sparse)
	if err != nil {
		return "", err
	}
	parts := []any{manifest.Vectors, shard.Format, dumpKey, o.Site, o.Languages, o.Other, o.Units, o.Window, *o.Overlap, o.Links, dense.Identity(), sparse.Identity()}
	builtin := dense.Kind == embed.KindBuiltin || sparse.Kind == embed.KindBM25
	if builtin && o.TextLanguage != string(embed.English) { // the keys of English builds are older than the option
		parts = append(parts, o.TextLanguage)
	}
	key, err := manifest.Key(parts...)
	if err != nil || o.Reuse == "" {
		return key, err
	}
	reused, err := reusedKey(o.Reuse, o.Site)
	if err == nil && dense.Kind == embed.KindBuiltin {
		key += "-" + reused
	}
	return key, err
}

// MadeWithReuse reports whether the key of a stage is that of a run with a build to reuse, and
// otherwise of the same inputs as a run without, which has the other key.
func MadeWithReuse(key, without string) bool { return strings.HasPrefix(key, without+"-") }

// complete fills in defaults and checks the options.
func (o Options) complete() (Options, error) {
	if err := o.Site.Check(); err != nil {
		return o, err
	}
	if o.Languages == nil {
		o.Languages = schema.DefaultLanguages()
	}
	o.Window = cmp.Or(o.Window, DefaultWindow)
	if o.Overlap == nil {
		o.Overlap = new(DefaultOverlap)
	}
	o.Units = cmp.Or(o.Units, UnitsQuestion)
	o.Dense = cmp.Or(o.Dense, embed.KindBuiltin)
	o.Sparse = cmp.Or(o.Sparse, embed.KindBM25)
	language, err := embed.ParseLanguage(o.TextLanguage)
	if err != nil {
		return o, err
	}
	o.TextLanguage = string(language)
	o.Workers = workersOr(o.Workers)
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Progress == nil {
		o.Progress = func(string, int64, int64) {}
	}
	return o, o.check()
}

func (o Options) check() error {
	if o.Units != UnitsQuestion && o.Units != UnitsQuestionAnswer {
		return schema.Faultf(schema.FaultUsage, "give "+UnitsQuestion+" or "+UnitsQuestionAnswer, "there are no units %q to embed", o.Units)
	}
	if *o.Overlap < 0 || *o.Overlap >= o.Window {
		return schema.Faultf(schema.FaultUsage, "make the overlap smaller than the window", "windows of %d tokens cannot overlap by %d", o.Window, *o.Overlap)
	}
	dense, err := embed.ParseSpec(o.Dense)
	if err != nil {
		return err
	}
	if dense.Kind != embed.KindBuiltin && dense.Kind != embed.KindOpenAI {
		return schema.Faultf(schema.FaultUsage, "give "+embed.KindBuiltin+" or openai+http://HOST/v1?model=NAME", "%s makes no dense vectors", dense.Kind)
	}
	sparse, err := embed.ParseSpec(o.Sparse)
	if err != nil {
		return err
	}
	if sparse.Kind != embed.KindBM25 && sparse.Kind != embed.KindBGEM3 {
		return schema.Faultf(schema.FaultUsage, "give "+embed.KindBM25+" or bgem3+http://HOST?model=NAME", "%s makes no sparse vectors", sparse.Kind)
	}
	return nil
}

func (o Options) newCleaner() *text.Cleaner {
	return &text.Cleaner{Languages: o.Languages, Links: o.Links}
}

// answers reports whether answers are embedded, beside questions.
func (o Options) answers() bool { return o.Units == UnitsQuestionAnswer }

// Selection returns the posts that a run reads.
func (o Options) Selection() postscan.Selection { return selection(o.answers()) }
