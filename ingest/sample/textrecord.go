package sample

import (
	"fmt"
	"strings"
)

// A record is a sequence of lines "key value" in an embedded text. Empty lines
// separate records; a line that begins with # is a comment. A key may occur more
// than once.
type record struct {
	file   string
	fields []field
}

type field struct{ key, value string }

// records reads the records of a text.
func records(file, src string) []record {
	var all []record
	open := false
	for line := range strings.Lines(src) {
		line = strings.TrimRight(line, "\n")
		switch {
		case strings.HasPrefix(line, "#"):
		case line == "":
			open = false
		default:
			if !open {
				all, open = append(all, record{file: file}), true
			}
			key, value, _ := strings.Cut(line, " ")
			last := &all[len(all)-1]
			last.fields = append(last.fields, field{key, value})
		}
	}
	return all
}

// values returns the values of a key.
func (r record) values(key string) []string {
	var v []string
	for _, f := range r.fields {
		if f.key == key {
			v = append(v, f.value)
		}
	}
	return v
}

// first returns the first value of a key, "" if there is none.
func (r record) first(key string) string {
	if v := r.values(key); len(v) > 0 {
		return v[0]
	}
	return ""
}

// words returns the words of the values of a key.
func (r record) words(key string) []string { return strings.Fields(strings.Join(r.values(key), " ")) }

// list returns the items that bars separate in the values of a key.
func (r record) list(key string) []string {
	var v []string
	for _, s := range r.values(key) {
		for one := range strings.SplitSeq(s, "|") {
			v = append(v, strings.TrimSpace(one))
		}
	}
	return v
}

// require returns an error if a key is missing.
func (r record) require(keys ...string) error {
	for _, k := range keys {
		if r.first(k) == "" {
			return fmt.Errorf("%s: %s: no %s", r.file, r.fields[0].value, k)
		}
	}
	return nil
}

// sections splits a text at its lines "== name". The items of a section are its
// lines or, if it contains lines "--", the texts between those.
func sections(src string) map[string][]string {
	m := make(map[string][]string)
	for part := range strings.SplitSeq("\n"+src, "\n== ") {
		name, body, ok := strings.Cut(part, "\n")
		if !ok || strings.TrimSpace(name) == "" {
			continue
		}
		body = strings.Trim(body, "\n")
		sep := "\n"
		if strings.Contains(body, "\n--\n") || strings.HasPrefix(body, "--\n") {
			sep = "\n--\n"
			body = strings.TrimPrefix(body, "--\n")
		}
		for item := range strings.SplitSeq(body, sep) {
			if strings.TrimSpace(item) != "" {
				m[name] = append(m[name], item)
			}
		}
	}
	return m
}
