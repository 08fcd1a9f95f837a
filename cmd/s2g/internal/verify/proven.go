package verify

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"s2g/cmd/s2g/internal/oracle"
	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/schema/vocab"
	"s2g/vectors/embed"
	"s2g/vectors/shard"
)

// prove sets v.proven to the manifest as files and tables require it. Values that follow from neither are
// those of the manifest: the dump's files, times, memory. want is nil where there are no tables.
func (v *verifier) prove(want *oracle.Expected) error {
	m := &manifest.Manifest{}
	v.proven = m
	text, err := json.Marshal(v.manifest)
	if err == nil {
		err = json.Unmarshal(text, m)
	}
	if err != nil {
		return fmt.Errorf("copying the manifest: %w", err)
	}
	maps.DeleteFunc(m.Stages, func(stage string, _ *manifest.Stage) bool {
		return stage != manifest.Ingest && stage != manifest.Graph && stage != manifest.Vectors
	})
	m.Replaced = nil
	v.proveRuns(m)
	if v.has(manifest.Graph) {
		v.proveGraph(m.Stages[manifest.Graph], want)
	}
	if v.has(manifest.Vectors) {
		v.proveVectors(m.Stages[manifest.Vectors], want)
	}
	if s := m.Stages[manifest.Ingest]; s != nil {
		if err := v.proveErrors(s, &v.inventory); err != nil {
			return err
		}
	}
	if want != nil {
		v.proveDump(m, want)
	}
	m.Options.Compress, m.Options.GraphFormat = v.batchForm(m.Options)
	if !v.isOfEarlierVersion() {
		for stage, key := range v.keys {
			if v.has(stage) {
				m.Stages[stage].Key = key
			}
		}
	}
	return nil
}

// proveRuns sets what the run of a stage stores beside its measures: the options that shape its outputs, and the
// version of s2g, which is that of the build for the stage that ended last. Earlier versions stored neither.
func (v *verifier) proveRuns(m *manifest.Manifest) {
	var last time.Time
	tools := map[string]bool{} // of the stages that ended last
	for stage, s := range m.Stages {
		if s.Tool == "" {
			continue
		}
		if s.Finished.After(last) {
			last, tools = s.Finished, map[string]bool{}
		}
		if s.Finished.Equal(last) {
			tools[s.Tool] = true
		}
		if v.has(stage) && s.Options != nil {
			s.Options = v.provenOptions(stage, m.Options, *s.Options)
		}
		for i := range s.Files {
			s.Files[i].At = ""
		}
	}
	if len(tools) > 0 && !tools[m.Tool] {
		m.Tool = slices.Min(slices.Collect(maps.Keys(tools)))
	}
	if s := m.Stages[manifest.Vectors]; s != nil && s.Options != nil && m.Options.Reuse != s.Options.Reuse {
		m.Options.Reuse = "" // another stage ran later, without the option
	}
}

// provenOptions returns the options of the run of a stage, which are those of the build. A later run may name another
// endpoint of the same model, or no build to reuse.
func (v *verifier) provenOptions(stage string, o, run manifest.Options) *manifest.Options {
	is := o.Of(stage)
	if stage != manifest.Vectors {
		return is
	}
	if sameModel(is.Dense, run.Dense) {
		is.Dense = run.Dense
	}
	if sameModel(is.Sparse, run.Sparse) {
		is.Sparse = run.Sparse
	}
	if is.Reuse = ""; v.isReused() || !v.isBuiltin() {
		is.Reuse = run.Reuse
	}
	return is
}

// sameModel reports whether two specs name the same model.
func sameModel(x, y string) bool {
	a, err := embed.ParseSpec(x)
	b, failed := embed.ParseSpec(y)
	return err == nil && failed == nil && a.DocumentModel() == b.DocumentModel()
}

// proveFiles sets the files of a stage: those of some folders.
func (v *verifier) proveFiles(s *manifest.Stage, folders ...string) {
	listed := map[string]manifest.File{}
	for _, f := range s.Files {
		listed[f.Name] = f
	}
	s.Files = nil
	for i, f := range v.files {
		if top, _, _ := strings.Cut(f.name, "/"); !slices.Contains(folders, top) {
			continue
		}
		entry := listed[f.name] // keeps its time
		entry.Name, entry.Size, entry.SHA256, entry.Rows = f.name, f.size, v.results[i].sha256, v.results[i].rows()
		s.Files = append(s.Files, entry)
	}
	slices.SortFunc(s.Files, func(a, b manifest.File) int { return cmp.Compare(a.Name, b.Name) })
}

func (v *verifier) proveGraph(s *manifest.Stage, want *oracle.Expected) {
	v.proveFiles(s, "graph")
	s.Rows, s.BytesOut, s.Errors = v.batches.Count, 0, nil
	batches := v.filesOf(batchFile)
	for _, f := range batches {
		s.BytesOut += f.size
	}
	counts := map[string]int64{"triples": s.Rows, "files": int64(len(batches))}
	if want == nil {
		for name, n := range s.Counts {
			if _, known := counts[name]; !known {
				counts[name] = n
			}
		}
	} else {
		counts["triples_distinct"] = want.Distinct.Quads()
		for name, terms := range map[string][]string{
			"questions": {vocab.Question}, "answers": {vocab.Answer}, "comments": {vocab.Comment}, "tags": {vocab.Tag},
			"wikis": {vocab.TagWiki, vocab.TagWikiExcerpt}, "links": {vocab.LinkedTo, vocab.DuplicateOf},
		} {
			counts[name] = 0
			for _, term := range terms {
				t, _ := oracle.LookupTerm(term)
				counts[name] += want.Distinct[t].Count
			}
		}
		for o, n := range want.Omitted {
			counts[oracle.Omission(o).String()] = n
		}
		s.UnusedTags = v.unusedTags(want)
		if s.Figures != nil { // earlier versions stored none
			s.Figures = want.Figures
		}
	}
	s.Counts = counts
}

// unusedTags returns the tags of the languages without a question.
func (v *verifier) unusedTags(want *oracle.Expected) (tags []string) {
	for g, l := range v.manifest.Options.Table() {
		if l.Tag != schema.SiteTag && want.Graphs[g][question.class()].Count == 0 {
			tags = append(tags, l.Tag)
		}
	}
	return tags
}

func (v *verifier) proveVectors(s *manifest.Stage, want *oracle.Expected) {
	v.proveFiles(s, "model.bin", "parents", "vectors")
	var all shardTally
	for i := range v.shardTallies {
		all.merge(&v.shardTallies[i])
	}
	s.Rows, s.BytesOut, s.Errors = all.points, 0, nil
	for _, f := range v.files {
		if f.kind == shardFile || f.kind == parentFile {
			s.BytesOut += f.size
		}
	}
	counts := map[string]int64{"texts": all.texts, "chunks_after_the_first": all.laterChunks, "questions": all.postsOnce[question], "answers": all.postsOnce[answer]}
	if v.isBuiltin() {
		counts["texts_without_a_known_term"] = all.unknownTexts
	}
	for name, n := range s.Counts {
		_, known := counts[name]
		isDrop := strings.HasPrefix(name, "dropped_")
		if !known && (want == nil && isDrop || !isDrop && v.countsRequests(name)) {
			counts[name] = n // what endpoints and a reused build did follows from no file
		}
	}
	if want != nil {
		s.BytesIn, s.UnusedTags = v.texts.bytes, v.unusedTags(want)
		for rule, n := range v.texts.drops {
			counts["dropped_"+strings.ReplaceAll(rule, "-", "_")] = n
		}
	}
	s.Counts = counts
	if s.Embedders != nil {
		v.proveEmbedders(s.Embedders)
	}
	for _, f := range v.files {
		if o := &v.proven.Options; shard.IsModel(f.name) && o.Dense != "" {
			o.Dense = embed.KindBuiltin
		}
	}
}

// countsRequests reports whether a count is of requests to endpoints, or of texts of a reused build.
func (v *verifier) countsRequests(name string) bool {
	switch {
	case name == "texts_reused":
		return v.isReused() || !v.isBuiltin()
	case strings.HasPrefix(name, "dense_"):
		return !v.isBuiltin()
	case strings.HasPrefix(name, "sparse_"):
		return v.remaker.sparse == nil
	}
	return false
}

func (v *verifier) proveEmbedders(e *manifest.Embedders) {
	if v.remaker.dense != nil {
		e.Dense, e.Windows = v.remaker.dense.Model(), "s2g"
	}
	if v.remaker.sparse != nil {
		e.Sparse = v.remaker.sparse.Model()
	}
	if !v.isOfEarlierVersion() {
		v.proveNames(e)
	}
	if e.Fitted == 0 {
		e.Weight, e.NoGoodMatch = embed.DefaultWeight(e.Dense), nil
	}
}

// proveNames sets the names of models that follow from the options.
func (v *verifier) proveNames(e *manifest.Embedders) {
	if dense, err := embed.ParseSpec(v.manifest.Options.Dense); err == nil && !v.isBuiltin() {
		e.Dense = dense.DocumentModel()
	}
	if v.remaker.sparse == nil {
		return
	}
	if bm25, err := embed.OpenBM25(v.textLanguage()); err == nil {
		e.Sparse = bm25.Model()
	}
}

// textLanguage returns the language of the texts: option text-language, else that of the site. Texts in a language
// without rules are not stemmed.
func (v *verifier) textLanguage() string {
	if language := v.manifest.Options.TextLanguage; language != "" {
		return language
	}
	if _, err := embed.ParseLanguage(v.site.Language()); err != nil {
		return string(embed.Unstemmed)
	}
	return v.site.Language()
}

// optionalTables are the tables that option without may name.
var optionalTables = map[string]string{"comments": "Comments", "votes": "Votes", "links": "PostLinks", "tags": "Tags"}

func (v *verifier) proveDump(m *manifest.Manifest, want *oracle.Expected) {
	if m.Dump.Newest != "" || want.Newest != "" {
		m.Dump.Newest = want.Newest
	}
	for name, t := range m.Dump.Tables {
		if want.Tables[name] {
			t.Rows = want.Fingerprints[name].Rows
			m.Dump.Tables[name] = t
		}
	}
	slices.Sort(v.manifest.Options.Without) // the ingest keeps the order of the command
	m.Options.Without = nil
	for _, name := range slices.Sorted(maps.Keys(optionalTables)) {
		if !want.Tables[optionalTables[name]] {
			m.Options.Without = append(m.Options.Without, name)
		}
	}
	if s := m.Stages[manifest.Ingest]; s != nil && len(m.Dump.Tables) > 0 {
		s.Rows, s.BytesIn = 0, 0
		s.Counts = map[string]int64{}
		for name, t := range m.Dump.Tables {
			s.Rows += t.Rows
			s.BytesIn += t.Bytes
			s.Counts[name] = t.Rows
		}
	}
}

// batchForm returns the compression and the format that the names of the batches tell; without batches,
// those of o.
func (v *verifier) batchForm(o manifest.Options) (compress, format string) {
	batches := v.filesOf(batchFile)
	if len(batches) == 0 {
		return o.Compress, o.GraphFormat
	}
	_, suffix, _ := strings.Cut(path.Base(batches[0].name), ".")
	extension, compression, _ := strings.Cut(suffix, ".")
	compress = map[string]string{"": "none", "gz": "gzip", "zst": "zstd"}[compression]
	format = map[string]string{"trig": "trig", "nq": "nquads"}[extension]
	if o.Compress == "" && compress == "gzip" {
		compress = "" // the default, which no stage has stored
	}
	if o.GraphFormat == "" && format == "trig" {
		format = ""
	}
	return compress, format
}

// compareManifest compares the manifest with the proven one, value by value.
func (v *verifier) compareManifest(*oracle.Expected) (Check, error) {
	c := newCheck("manifest", "values of manifest.json, against files and tables")
	is, err := flatten(v.manifest)
	if err != nil {
		return c, err
	}
	must, err := flatten(v.proven)
	if err != nil {
		return c, err
	}
	for _, name := range slices.Sorted(maps.Keys(is)) {
		c.Count++
		if want, ok := must[name]; !ok && is[name] != "0" {
			c.differ("manifest.json: %s is %s, it must not be there", name, is[name])
		} else if ok && want != is[name] {
			c.differ("manifest.json: %s is %s, it must be %s", name, is[name], want)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(must)) {
		if _, ok := is[name]; !ok && must[name] != "0" {
			c.differ("manifest.json: %s is missing, it must be %s", name, must[name])
		}
	}
	if e := v.embedders(); e != nil && !isFit(e) {
		c.differ("manifest.json: stages.vectors.embedders has a weight or a threshold that no fit makes")
	}
	if v.has(manifest.Vectors) && v.isReused() {
		if run := v.manifest.Stages[manifest.Vectors].Options; run != nil && run.Reuse == "" {
			c.differ("manifest.json: stages.vectors.key is that of a build with option reuse, which stages.vectors.options does not name")
		}
	}
	if err := v.compareCopy(&c); err != nil {
		return c, err
	}
	return c, v.compareKeys(&c, is)
}

// embedders returns what the manifest stores of the embedders, nil where the build has no vectors.
func (v *verifier) embedders() *manifest.Embedders {
	if !v.has(manifest.Vectors) {
		return nil
	}
	return v.manifest.Stages[manifest.Vectors].Embedders
}

// isFit reports whether s2g eval can have fitted the weight and the threshold of a search. Its queries are not made
// again.
func isFit(e *manifest.Embedders) bool {
	isShare := func(x float64) bool { return x >= 0 && x <= 1 }
	n := e.NoGoodMatch
	return e.Fitted >= 0 && isShare(e.Weight) && (n == nil || n.Least >= 0 && isShare(n.False) && isShare(n.Missed))
}

// compareCopy compares the copy of the manifest, from which a build restores a lost one. A folder that was copied
// elsewhere has none.
func (v *verifier) compareCopy(c *Check) error {
	const name = privateFolder + "/manifest.json"
	saved, err := v.readDocument(name)
	if err != nil || saved == nil || v.manifest.Restored {
		return err
	}
	is, err := v.readDocument("manifest.json")
	if err == nil && !bytes.Equal(saved, is) {
		c.differ("%s is another than manifest.json: %s", name, firstDifference(saved, is))
	}
	return err
}

// compareKeys reports a value of manifest.json that is not among those of a manifest. Earlier versions had others.
func (v *verifier) compareKeys(c *Check, known map[string]string) error {
	if v.isOfEarlierVersion() || v.manifest.Restored {
		return nil
	}
	text, err := v.readDocument("manifest.json")
	if err != nil {
		return err
	}
	found, err := flattenJSON(text)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		if _, ok := known[name]; !ok && !slices.Contains([]string{`""`, "0", "false", "null"}, found[name]) {
			c.differ("manifest.json: %s is %s, it must not be there", name, found[name])
		}
	}
	return nil
}

// flatten returns the values of a manifest as JSON, by their paths. Files are named.
func flatten(m *manifest.Manifest) (map[string]string, error) {
	text, err := json.Marshal(m)
	if err != nil {
		return nil, fmt.Errorf("reading the manifest: %w", err)
	}
	return flattenJSON(text)
}

func flattenJSON(text []byte) (map[string]string, error) {
	var root any
	if err := json.Unmarshal(text, &root); err != nil {
		return nil, fmt.Errorf("reading the manifest: %w", err)
	}
	values := map[string]string{}
	var walk func(path string, value any)
	walk = func(path string, value any) {
		switch value := value.(type) {
		case map[string]any:
			for name, v := range value {
				walk(strings.TrimPrefix(path+"."+name, "."), v)
			}
		case []any:
			for i, v := range value {
				name := strconv.Itoa(i)
				if object, ok := v.(map[string]any); ok && object["name"] != nil {
					name = fmt.Sprint(object["name"])
				}
				walk(path+"["+name+"]", v)
			}
		default:
			text, _ := json.Marshal(value) // of a value that was unmarshalled
			values[path] = string(text)
		}
	}
	walk("", root)
	return values, nil
}
