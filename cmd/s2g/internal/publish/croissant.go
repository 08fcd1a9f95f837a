package publish

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"s2g/schema"
	"s2g/schema/vocab"
	"s2g/vectors/shard"
)

// croissantDataset is the document, in MLCommons Croissant 1.0,
// https://docs.mlcommons.org/croissant/docs/croissant-spec.html. Names of files are relative to croissant.json.
type croissantDataset struct {
	Context       map[string]any  `json:"@context"`
	Type          string          `json:"@type"`
	ConformsTo    string          `json:"conformsTo"`
	Name          string          `json:"name"`
	Description   string          `json:"description"`
	URL           string          `json:"url"`
	License       string          `json:"license"`
	Version       string          `json:"version,omitempty"`
	DatePublished string          `json:"datePublished,omitempty"`
	Creator       croissantNamed  `json:"creator"`
	CiteAs        string          `json:"citeAs"`
	Keywords      []string        `json:"keywords"`
	Distribution  []croissantFile `json:"distribution"`
	RecordSets    []croissantSet  `json:"recordSet,omitempty"`
}

type croissantNamed struct {
	Type string `json:"@type"`
	Name string `json:"name"`
	URL  string `json:"url"`
}

// croissantFile is a file (cr:FileObject) or all files of a pattern (cr:FileSet).
type croissantFile struct {
	Type        string   `json:"@type"`
	ID          string   `json:"@id"`
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Encoding    []string `json:"encodingFormat"`
	Includes    string   `json:"includes,omitempty"`
	ContentURL  string   `json:"contentUrl,omitempty"`
	ContentSize string   `json:"contentSize,omitempty"`
	SHA256      string   `json:"sha256,omitempty"`
}

type croissantSet struct {
	Type        string           `json:"@type"`
	ID          string           `json:"@id"`
	Name        string           `json:"name"`
	Description string           `json:"description"`
	Key         jsonLDReference  `json:"key"`
	Fields      []croissantField `json:"field"`
}

type croissantField struct {
	Type        string          `json:"@type"`
	ID          string          `json:"@id"`
	Name        string          `json:"name"`
	Description string          `json:"description"`
	DataType    string          `json:"dataType"`
	Repeated    bool            `json:"repeated,omitempty"`
	Source      croissantSource `json:"source"`
}

type croissantSource struct {
	FileSet jsonLDReference `json:"fileSet"`
	Extract struct {
		Column string `json:"column"`
	} `json:"extract"`
}

type jsonLDReference struct {
	ID string `json:"@id"`
}

// paperTitle is the title of the paper whose method builds follow.
const paperTitle = "Stack2Graph: A Structured Knowledge Representation of Stack Overflow Data for Retrieval-based Question Answering"

func (d *dataset) croissant() ([]byte, error) {
	doc := croissantDataset{
		Context: context(), Type: "sc:Dataset", ConformsTo: "http://mlcommons.org/croissant/1.0",
		Name: d.Host, Description: d.Summary(), URL: string(d.Site) + "/", License: vocab.CC + "4.0/",
		Version: d.version(), DatePublished: d.Newest,
		Creator: croissantNamed{"sc:Organization", "The users of " + d.Host, string(d.Site) + "/users"},
		CiteAs:  paperTitle, Keywords: keywords,
	}
	if batches := d.Graph.Batches; batches.Count > 0 {
		doc.Distribution = append(doc.Distribution, croissantFile{
			Type: "cr:FileSet", ID: "graph", Name: "graph", Encoding: d.Graph.Media, Includes: batches.Glob,
			Description: fmt.Sprintf("The knowledge graph: %d quads in %d files, a named graph a language", batches.Rows, batches.Count),
		})
	}
	for _, f := range d.Graph.Others {
		doc.Distribution = append(doc.Distribution, croissantFile{
			Type: "cr:FileObject", ID: f.Name, Name: f.Name, Description: turtleAbout[f.Name], Encoding: []string{"text/turtle"},
			ContentURL: f.Name, ContentSize: strconv.FormatInt(f.Size, 10) + " B", SHA256: f.SHA256,
		})
	}
	for _, s := range d.Shards {
		of := "the questions about " + s.Name
		if s.Tag == schema.SiteTag {
			of = s.Name
		}
		doc.addTable(s.Slug, "point_id", s.Files, d.Columns, "Chunks of "+of+", with their vectors")
	}
	if d.Texts.Count > 0 {
		doc.addTable(schema.ParentsConfig, "post_id", d.Texts, shard.ParentColumns(), "The whole cleaned text of each post that was embedded")
	}
	text, err := json.MarshalIndent(doc, "", " ")
	return append(text, '\n'), err
}

var turtleAbout = map[string]string{
	"graph/ontology.ttl": "The classes and properties of the graph, aligned to SIOC, schema.org, SKOS and Dublin Core",
	"graph/void.ttl":     "What the graph holds, in the terms of VoID",
}

// addTable adds the Parquet files of a table, with their columns.
func (doc *croissantDataset) addTable(name, key string, f fileSet, columns []shard.Column, description string) {
	from := name + "-files"
	doc.Distribution = append(doc.Distribution, croissantFile{
		Type: "cr:FileSet", ID: from, Name: from, Description: fmt.Sprintf("%s: %d rows", description, f.Rows),
		Encoding: []string{"application/x-parquet"}, Includes: f.Glob,
	})
	set := croissantSet{Type: "cr:RecordSet", ID: name, Name: name, Description: description, Key: jsonLDReference{name + "/" + key}}
	for _, c := range columns {
		field := croissantField{
			Type: "cr:Field", ID: name + "/" + c.Name, Name: c.Name, Description: c.About, DataType: c.Type.Croissant(), Repeated: c.List,
			Source: croissantSource{FileSet: jsonLDReference{from}},
		}
		field.Source.Extract.Column = c.Name
		set.Fields = append(set.Fields, field)
	}
	doc.RecordSets = append(doc.RecordSets, set)
}

// version returns the dump's day as a semantic version, 2024.3.31. The standard requires three numbers without leading
// zeros.
func (d *dataset) version() string {
	day, err := time.Parse(time.DateOnly, d.Newest)
	if err != nil {
		return ""
	}
	return day.Format("2006.1.2")
}

// context returns the JSON-LD context of the standard.
func context() map[string]any {
	c := map[string]any{
		"@language": "en", "@vocab": "https://schema.org/", "sc": "https://schema.org/", "cr": "http://mlcommons.org/croissant/",
		"rai": "http://mlcommons.org/croissant/RAI/", "dct": "http://purl.org/dc/terms/", "conformsTo": "dct:conformsTo",
		"data":     map[string]string{"@id": "cr:data", "@type": "@json"},
		"dataType": map[string]string{"@id": "cr:dataType", "@type": "@vocab"},
		"examples": map[string]string{"@id": "cr:examples", "@type": "@json"},
	}
	const terms = "citeAs column equivalentProperty extract field fileObject fileProperty fileSet format includes isLiveDataset jsonPath key md5 " +
		"parentField path recordSet references regex repeated replace samplingRate separator source subField transform"
	for _, term := range strings.Fields(terms) {
		c[term] = "cr:" + term
	}
	return c
}
