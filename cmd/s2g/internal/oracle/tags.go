package oracle

import (
	"bytes"
	"context"
	"iter"

	"s2g/schema/tables"
	"s2g/schema/vocab"
)

// tag is a tag that some graphs describe. What a row of Tags says of it is nil
// where it has none.
type tag struct {
	name                 string
	in                   graphSet
	count, wiki, excerpt []byte
}

// tagQuery reads the first row of each tag. Wiki and excerpt count where their
// post is in the dump.
const tagQuery = `SELECT t.TagName, t.Count, w.Id, e.Id FROM Tags t
	LEFT JOIN Posts w ON w.Id=t.WikiPostId AND w.PostTypeId=5
	LEFT JOIN Posts e ON e.Id=t.ExcerptPostId AND e.PostTypeId=4
	WHERE t.Id IN (SELECT MIN(Id) FROM Tags GROUP BY TagName)`

// readTags finds the tags that graphs describe: those of their questions, with
// what the table of tags says of them.
func (s *survey) readTags(ctx context.Context) error {
	s.wikis = map[int64]graphMask{}
	described := s.members.tags
	s.members.tags = nil
	if s.present["Tags"] {
		err := s.each(ctx, tagQuery, func(r [][]byte) error {
			mask, ok := described[string(r[0])]
			if !ok {
				return nil
			}
			delete(described, string(r[0]))
			s.tags = append(s.tags, tag{string(r[0]), mask.set(), clone(r[1]), clone(r[2]), clone(r[3])})
			for _, id := range [][]byte{r[2], r[3]} {
				if id != nil {
					s.wikis[tables.Int(id)] = s.wikis[tables.Int(id)].with(mask)
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	for name, mask := range described {
		s.tags = append(s.tags, tag{name: name, in: mask.set()})
	}
	return nil
}

func clone(b []byte) []byte {
	if b == nil {
		return nil
	}
	return append([]byte{}, b...)
}

// tagScan says what graphs hold of tags. Nothing is left to be read for it.
func (s *survey) tagScan() scan {
	isTag, name, count := named(vocab.Tag), named(vocab.TagName), named(vocab.TagCount)
	wiki, excerpt := named(vocab.HasTagWiki), named(vocab.HasTagWikiExcerpt)
	return scan{name: "tags", terms: []Term{isTag, name, count, wiki, excerpt}, run: func(_ context.Context, o *out) error {
		n := node{mute: s.options.CountsOnly}
		for _, t := range s.tags {
			n.begin(tagPath, []byte(t.name))
			o.quad(t.in, isTag, n.path, n.typed())
			o.quad(t.in, name, n.path, n.object(asText, []byte(t.name)))
			if t.count != nil {
				o.quad(t.in, count, n.path, n.object(asInt, t.count))
			}
			if t.wiki != nil {
				o.quad(t.in, wiki, n.path, n.object(asIRI, []byte(wikiPath), t.wiki))
			}
			if t.excerpt != nil {
				o.quad(t.in, excerpt, n.path, n.object(asIRI, []byte(wikiPath), t.excerpt))
			}
		}
		return nil
	}}
}

// tagsOf cuts |a|b| at its bars.
func tagsOf(stored []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		_, rest, _ := bytes.Cut(stored, bar)
		for {
			tag, after, more := bytes.Cut(rest, bar)
			if !more || !yield(tag) {
				return
			}
			rest = after
		}
	}
}

var bar = []byte("|")
