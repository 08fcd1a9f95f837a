package schema

import (
	"bytes"
	_ "embed"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

//go:embed languages.csv
var languagesCSV []byte

// The slug and the name of the remainder: the questions without a selected language.
const (
	OtherSlug = "_other"
	OtherName = "(other)"
)

// The tag, the slug and the name of the whole site: all questions. No tag of a dump
// has an asterisk.
const (
	SiteTag  = "*"
	SiteSlug = "_site"
	SiteName = "(whole site)"
)

// Language is a row of the language table. Each language has a graph and a
// collection.
type Language struct {
	Tag  string // tag of its questions, as "c#"
	Slug string // name of its folder and collection, as "csharp"
	Name string // name for people, as "C#"
}

// OtherLanguage returns the remainder as a row of the table. Its tag is empty.
func OtherLanguage() Language { return Language{Slug: OtherSlug, Name: OtherName} }

// SiteLanguage returns the whole site as a row of the table.
func SiteLanguage() Language { return Language{Tag: SiteTag, Slug: SiteSlug, Name: SiteName} }

// DefaultLanguages returns the default table: the 39 languages of table 4 of the
// paper Stack2Graph, in its order.
func DefaultLanguages() []Language {
	table, err := readLanguages(bytes.NewReader(languagesCSV), nil)
	if err != nil {
		panic("schema: languages.csv in the program is damaged: " + err.Error())
	}
	return table
}

// ParseLanguages parses the value of option languages: tags separated by commas,
// or @FILE. The file is a CSV with the columns tag, slug and name. Its header line
// and the last two columns are optional, so a list of tags, one a line, is valid.
// A tag of the default table has that table's slug and name unless the file has
// others. The empty value is the default table. Errors are usage faults.
func ParseLanguages(value string) ([]Language, error) {
	if value == "" {
		return DefaultLanguages(), nil
	}
	known := map[string]Language{}
	for _, l := range DefaultLanguages() {
		known[l.Tag] = l
	}
	name, isFile := strings.CutPrefix(value, "@")
	if !isFile {
		return readLanguages(strings.NewReader(strings.ReplaceAll(value, ",", "\n")), known)
	}
	f, err := OpenRegular(name)
	if err != nil {
		return nil, Faultf(FaultUsage, "give @ and the name of a readable CSV file", "reading the language table: %w", err)
	}
	defer f.Close()
	table, err := readLanguages(f, known)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return table, nil
}

// readLanguages reads a language table. Where a row lacks slug or name, they are
// those of the tag in known. It skips repeated tags.
func readLanguages(r io.Reader, known map[string]Language) ([]Language, error) {
	lines := csv.NewReader(r)
	lines.FieldsPerRecord = -1
	lines.TrimLeadingSpace = true
	var table []Language
	tags, slugs := map[string]bool{}, map[string]string{}
	for first := true; ; first = false {
		row, err := lines.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, Faultf(FaultUsage, "", "language table: %w", err)
		}
		if first && len(row) > 1 && row[0] == "tag" {
			continue
		}
		l := rowLanguage(row, known)
		if l.Tag == "" || tags[l.Tag] {
			continue
		}
		if l.Tag == SiteTag {
			return nil, Faultf(FaultUsage, "give option whole-site", "language table: %s is no tag, it stands for the whole site", l.Tag)
		}
		if strings.Trim(l.Slug, "abcdefghijklmnopqrstuvwxyz0123456789_-") != "" {
			return nil, Faultf(FaultUsage, "", "language table: the slug %q of tag %q has characters other than a-z, 0-9, _ and -", l.Slug, l.Tag)
		}
		if slices.Contains(reservedSlugs, l.Slug) {
			return nil, Faultf(FaultUsage, "give it another slug: option languages is @FILE, a CSV with the columns tag,slug,name",
				"language table: the slug %q of tag %q is reserved", l.Slug, l.Tag)
		}
		if other, taken := slugs[l.Slug]; taken {
			return nil, Faultf(FaultUsage, "give one of them another slug: option languages is @FILE, a CSV with the columns tag,slug,name",
				"language table: the tags %q and %q have the same slug %q", other, l.Tag, l.Slug)
		}
		tags[l.Tag], slugs[l.Slug] = true, l.Tag
		table = append(table, l)
	}
	if len(table) == 0 {
		return nil, Faultf(FaultUsage, "name at least one tag", "language table: it has no language")
	}
	return table, nil
}

// rowLanguage returns the language of a row, which has at least a tag.
func rowLanguage(row []string, known map[string]Language) Language {
	tag := strings.TrimSpace(row[0])
	l, ok := known[tag]
	if !ok {
		l = Language{Tag: tag, Slug: Slug(tag), Name: tag}
	}
	if len(row) > 1 && row[1] != "" {
		l.Slug = row[1]
	}
	if len(row) > 2 && row[2] != "" {
		l.Name = row[2]
	}
	return l
}

// reservedSlugs are the names of folders and dataset configs that are no tag's:
// the remainder, the whole site, and the config of the whole texts.
var reservedSlugs = []string{OtherSlug, SiteSlug, ParentsConfig}

// ParentsConfig is the dataset config of the whole texts. The other configs are
// named by slugs.
const ParentsConfig = "_parents"

// KeepSlugs returns the table with the slugs that an earlier s2g, whose derived slugs
// had no hyphens, gave to the same tags in the table of a build.
func KeepSlugs(table, built []Language) []Language {
	kept := slices.Clone(table)
	for i, l := range kept {
		former := strings.ReplaceAll(Slug(l.Tag), "-", "_2d")
		if l.Slug == Slug(l.Tag) && slices.ContainsFunc(built, func(b Language) bool { return b.Tag == l.Tag && b.Slug == former }) {
			kept[i].Slug = former
		}
	}
	return kept
}

// Slug derives a slug from a tag. Lower-case letters, digits and hyphens stay,
// each other byte becomes _xx in hexadecimal.
func Slug(tag string) string {
	var b strings.Builder
	for i := range len(tag) {
		if c := tag[i]; 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '-' {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "_%02x", c)
		}
	}
	return b.String()
}
