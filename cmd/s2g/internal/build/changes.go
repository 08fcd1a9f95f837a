package build

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/schema/vocab"
	"s2g/vectors/embed"
)

// NotMade is the reason of a stage that the build does not have.
const NotMade = "not made yet"

// Change is a stage that a run makes, and why.
type Change struct {
	Stage   string   `json:"stage"`
	Reasons []string `json:"reasons"`
}

// Loss is work of an endpoint that a run deletes. The measures are of the run that made it, and upper bounds where a part
// of its texts stays.
type Loss struct {
	What    string  `json:"what"`
	Reason  string  `json:"reason"`
	Texts   int64   `json:"texts"`
	Bytes   int64   `json:"bytes"`
	Seconds float64 `json:"seconds,omitempty"` // 0: unknown
}

// shapingOption is an option that shapes the outputs of stages.
type shapingOption struct {
	name   string
	stages []string
	value  func(s manifest.Options) string // in words; equal values shape equal outputs
	differ func(before, now string) string // describes a change; nil: both values
}

var (
	ofGraph   = []string{manifest.Graph}
	ofVectors = []string{manifest.Vectors}
	ofBoth    = []string{manifest.Graph, manifest.Vectors}
)

var shapingOptions = []shapingOption{
	{"without", []string{manifest.Ingest}, func(s manifest.Options) string { return strings.Join(s.Without, ",") }, nil},
	{"languages", ofBoth, func(s manifest.Options) string { return strings.Join(languageTags(s), ",") }, languagesDiffer},
	{"other", ofBoth, func(s manifest.Options) string { return strconv.FormatBool(s.Other) }, nil},
	{"whole-site", ofBoth, func(s manifest.Options) string { return strconv.FormatBool(s.WholeSite) }, nil},
	{"graph-format", ofGraph, func(s manifest.Options) string { return cmp.Or(s.GraphFormat, "trig") }, nil},
	{"compress", ofGraph, func(s manifest.Options) string { return cmp.Or(s.Compress, "gzip") }, nil},
	{"materialize", ofGraph, func(s manifest.Options) string { return strconv.FormatBool(s.Materialize) }, nil},
	{"units", ofVectors, func(s manifest.Options) string { return cmp.Or(s.Units, "question") }, nil},
	{"window", ofVectors, func(s manifest.Options) string { return strconv.Itoa(s.Window) }, nil},
	{"overlap", ofVectors, func(s manifest.Options) string { return strconv.Itoa(s.Overlap) }, nil},
	{"dense", ofVectors, func(s manifest.Options) string { return modelOf(s.Dense, embed.KindBuiltin) }, nil},
	{"sparse", ofVectors, func(s manifest.Options) string { return modelOf(s.Sparse, embed.KindBM25) }, nil},
	{"text-language", ofVectors, func(s manifest.Options) string { return s.TextLanguage }, nil},
	{"links", ofVectors, func(s manifest.Options) string { return strconv.FormatBool(s.Links) }, nil},
}

// languageTags returns the tags of the chosen languages, without those of the options other and whole-site.
func languageTags(s manifest.Options) (tags []string) {
	table := s.Languages
	if table == nil && !s.WholeSite {
		table = schema.DefaultLanguages()
	}
	for _, l := range table {
		tags = append(tags, l.Tag)
	}
	return tags
}

// languagesDiffer describes the change from one list of tags to another.
func languagesDiffer(before, now string) string {
	had, has := strings.Split(before, ","), strings.Split(now, ",")
	var words []string
	for _, part := range []struct {
		verb     string
		of, from []string
	}{{"with ", has, had}, {"without ", had, has}} {
		list := slices.DeleteFunc(slices.Clone(part.of), func(tag string) bool { return tag == "" || slices.Contains(part.from, tag) })
		if len(list) > 10 {
			list = append(list[:10], fmt.Sprintf("and %d more", len(list)-10))
		}
		if len(list) > 0 {
			words = append(words, part.verb+strings.Join(list, ", "))
		}
	}
	return cmp.Or(strings.Join(words, ", "), "in another order")
}

// modelOf returns the model that a spec names, by which vectors are comparable.
func modelOf(spec, otherwise string) string {
	s, err := embed.ParseSpec(cmp.Or(spec, otherwise))
	if err != nil {
		return spec // Complete and the stage report it
	}
	return s.DocumentModel()
}

// optionsOf returns the options of the run that made a stage.
func optionsOf(m *manifest.Manifest, stage string) manifest.Options {
	o := m.Options
	if s := m.Stages[stage]; s != nil && s.Options != nil {
		o = *s.Options
	}
	o.TextLanguage = cmp.Or(o.TextLanguage, string(embed.English)) // builds that are older than the option
	return o
}

// changes returns why the given stages run, those of them that are stale.
func (o *Options) changes(m *manifest.Manifest, s *State, stages []string) (list []Change) {
	remade := false // the tables
	for _, stage := range []string{manifest.Ingest, manifest.Graph, manifest.Vectors} {
		if !s.Stale[stage] || !slices.Contains(stages, stage) {
			continue
		}
		c := Change{Stage: stage}
		switch {
		case m.Stages[stage] == nil:
			c.Reasons = []string{NotMade}
		default:
			c.Reasons = o.reasons(m, s, stage)
			if stage != manifest.Ingest && remade {
				c.Reasons = append([]string{"the tables are read again"}, c.Reasons...)
			}
			if len(c.Reasons) == 0 {
				c.Reasons = []string{map[bool]string{true: "another dump, or files of another time", false: "damaged files, or a newer s2g"}[stage == manifest.Ingest]}
			}
		}
		remade = remade || stage == manifest.Ingest
		list = append(list, c)
	}
	return list
}

// reasons returns the options of a finished stage that change.
func (o *Options) reasons(m *manifest.Manifest, s *State, stage string) (reasons []string) {
	before := optionsOf(m, stage)
	if was, err := before.BuildSite(m.Dump); err == nil && s.Site != "" && was != s.Site {
		reasons = append(reasons, fmt.Sprintf("option site: %s becomes %s", was, s.Site))
	}
	for _, option := range shapingOptions {
		if !slices.Contains(option.stages, stage) {
			continue
		}
		was, is := option.value(before), option.value(o.Shape)
		switch {
		case was == is:
		case option.name == "text-language" && is == "": // that of the site, which is a reason itself
		case option.differ != nil:
			reasons = append(reasons, "option "+option.name+": "+option.differ(was, is))
		default:
			reasons = append(reasons, fmt.Sprintf("option %s: %s becomes %s", option.name, cmp.Or(was, "none"), cmp.Or(is, "none")))
		}
	}
	return reasons
}

// OutOfDate returns the stages that a run of the build would make again because another stage has run since, alone or in a
// run in place that was stopped between two stages, and why. A build that has ended with its report has none.
func OutOfDate(m *manifest.Manifest) (list []Change) {
	keys, err := Keys(m)
	if err != nil || m.Report != "" {
		return nil
	}
	o := &Options{Shape: m.Options}
	o.Shape.TextLanguage = cmp.Or(o.Shape.TextLanguage, string(embed.English))
	for _, stage := range []string{manifest.Graph, manifest.Vectors} {
		s := m.Stages[stage]
		if s == nil || s.Options == nil || keys == nil || s.Key == keys[stage] {
			continue
		}
		reasons := o.reasons(m, &State{}, stage)
		if len(reasons) == 0 {
			reasons = []string{"the tables were read again, or s2g is another version"}
		}
		list = append(list, Change{stage, reasons})
	}
	return list
}

// otherSite returns the site of the build if the dump is of another one, else "".
func otherSite(m *manifest.Manifest, s *State) vocab.Site {
	was, err := m.BuildSite()
	if err != nil || s.Site == "" || !s.Stale[manifest.Ingest] || m.Stages[manifest.Ingest] == nil || was.Host() == s.Site.Host() {
		return ""
	}
	return was
}

// losses returns the work of endpoints that a run of the stage vectors deletes. Texts that stay keep their vectors; a
// newer dump of the same site loses what its site has deleted, which is none of the run's choices.
func (o *Options) losses(m *manifest.Manifest, s *State) (list []Loss, err error) {
	if !s.Stale[manifest.Vectors] {
		return nil, nil
	}
	embedded, err := o.embedded(m)
	for _, made := range embedded {
		list = append(list, o.lossesOf(made, s.OtherSite != "")...)
	}
	return list, err
}

// embeddedTexts are texts with vectors in OUT, of a stage that has finished or not.
type embeddedTexts struct {
	options manifest.Options // of the run
	stage   *manifest.Stage
}

// embedded returns the vectors in service and those of an unfinished run. Vectors that earlier runs have moved aside are
// not among them: those runs were allowed to delete them.
func (o *Options) embedded(m *manifest.Manifest) (list []embeddedTexts, err error) {
	if stage := m.Stages[manifest.Vectors]; stage != nil && stage.Embedders != nil {
		list = append(list, embeddedTexts{optionsOf(m, manifest.Vectors), stage})
	}
	sources, err := manifest.Sources(o.Out, "")
	if err != nil {
		return nil, err
	}
	root, err := filepath.Abs(m.Root())
	if err != nil {
		return nil, err
	}
	for _, s := range sources {
		isOut, isNext := s.Root == s.Manifest.Base(), s.Root == manifest.NextFolder(s.Manifest.Base())
		if (isOut || isNext) && !(s.Root == root && m.Stages[manifest.Vectors] != nil) {
			list = append(list, embeddedTexts{optionsOf(s.Manifest, manifest.Vectors), s.Manifest.Stages[manifest.Vectors]})
		}
	}
	return list, nil
}

func (o *Options) lossesOf(made embeddedTexts, otherSite bool) (list []Loss) {
	all, bytes := made.texts()
	perText := 0.0
	if n := all - made.stage.Counts["texts_reused"]; n > 0 {
		perText = made.stage.Seconds / float64(n)
	}
	add := func(what, reason string, texts int64) {
		if texts = min(texts, all); texts > 0 {
			share := float64(texts) / float64(all)
			list = append(list, Loss{what, reason, texts, int64(share * float64(bytes)), perText * float64(texts)})
		}
	}
	by := made.stage.Embedders
	var kept []string // models of endpoints whose vectors stay where their texts do
	for _, e := range []struct{ kind, model, option, now string }{
		{"dense", by.Dense, "dense", modelOf(o.Shape.Dense, embed.KindBuiltin)},
		{"sparse", by.Sparse, "sparse", modelOf(o.Shape.Sparse, embed.KindBM25)},
	} {
		switch {
		case embed.IsLocal(e.model):
		case otherSite:
			add(e.kind+" vectors by "+e.model, "a dump of another site", all)
		case e.model != e.now:
			add(e.kind+" vectors by "+e.model, fmt.Sprintf("option %s: %s becomes %s", e.option, e.model, e.now), all)
		default:
			kept = append(kept, e.model)
		}
	}
	if len(kept) > 0 {
		for _, part := range o.lostTexts(made) {
			add("vectors by "+strings.Join(kept, " and ")+" of "+part.what, part.reason, part.texts)
		}
	}
	return list
}

// texts returns the number of texts and the bytes of their files. The points of an unfinished run count once a language.
func (e embeddedTexts) texts() (texts, bytes int64) {
	for _, f := range e.stage.Files {
		bytes += f.Size
		if strings.HasPrefix(f.Name, "vectors/") {
			texts += f.Rows
		}
	}
	if n := e.stage.Counts["texts"]; n > 0 {
		texts = n
	}
	return texts, bytes
}

type lostPart struct {
	what, reason string
	texts        int64 // at most
}

// lostTexts returns the texts of a build that the options no longer have, in parts.
func (o *Options) lostTexts(made embeddedTexts) (parts []lostPart) {
	before, now, counts := made.options, o.Shape, made.stage.Counts
	all, _ := made.texts()
	add := func(what, reason string, texts int64) { parts = append(parts, lostPart{what, reason, texts}) }
	value := func(name string) (was, is string) {
		i := slices.IndexFunc(shapingOptions, func(s shapingOption) bool { return s.name == name })
		return shapingOptions[i].value(before), shapingOptions[i].value(now)
	}
	becomes := func(name string) string {
		was, is := value(name)
		return fmt.Sprintf("option %s: %s becomes %s", name, was, is)
	}
	if was, is := value("units"); was != is && !strings.Contains(is, "answer") {
		posts := counts["questions"] + counts["answers"]
		answers := all
		if posts > 0 {
			answers = int64(float64(all) * float64(counts["answers"]) / float64(posts))
		}
		add("answers", becomes("units"), answers)
	}
	rows := map[string]int64{} // points by slug
	for _, f := range made.stage.Files {
		if name, ok := strings.CutPrefix(f.Name, "vectors/"); ok {
			slug, _, _ := strings.Cut(name, "/")
			rows[slug] += f.Rows
		}
	}
	if !now.WholeSite {
		var gone []string
		var points int64
		for _, l := range before.Graphs() {
			if l.Slug != "" && rows[l.Slug] > 0 && !slices.ContainsFunc(now.Graphs(), func(n schema.Language) bool { return n.Slug == l.Slug }) {
				gone = append(gone, cmp.Or(l.Tag, l.Name))
				points += rows[l.Slug]
			}
		}
		if len(gone) > 0 {
			reason := "option languages: without " + strings.Join(gone, ", ")
			add(strings.Join(gone, ", "), reason, points)
		}
	}
	if was, is := value("links"); was != is {
		add("texts with links", becomes("links"), all)
	}
	later := counts["chunks_after_the_first"]
	switch {
	case before.Window == now.Window && before.Overlap == now.Overlap:
	case now.Window >= before.Window && counts["texts"] > 0: // a text that is a whole post stays
		add("posts of several chunks", becomesBoth(before, now), 2*later)
	default:
		add("posts that are cut elsewhere", becomesBoth(before, now), all)
	}
	return parts
}

// becomesBoth describes a change of window and overlap.
func becomesBoth(before, now manifest.Options) string {
	var words []string
	if before.Window != now.Window {
		words = append(words, fmt.Sprintf("option window: %d becomes %d", before.Window, now.Window))
	}
	if before.Overlap != now.Overlap {
		words = append(words, fmt.Sprintf("option overlap: %d becomes %d", before.Overlap, now.Overlap))
	}
	return strings.Join(words, ", ")
}
