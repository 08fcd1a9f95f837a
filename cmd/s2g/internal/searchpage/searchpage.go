// Package searchpage shows the result of a search as text, Markdown or HTML.
package searchpage

import (
	"fmt"
	"io"
	"strings"

	"s2g/cmd/s2g/internal/terminal"
	"s2g/schema/remote"
	"s2g/vectors/search"
)

// Page is the result of a search as people read it. Its texts are printable.
type Page struct {
	Query       string
	NoGoodMatch bool
	Results     []Result
	found       *search.Result
}

// Result is a question that was found, or, with accepted answers alone, a question that was not shown but led to
// neighbours.
type Result struct {
	search.Hit
	Number     int // of the result, from 1; 0: the question itself is left out
	Shown      []search.Answer
	Hidden     int // answers that are not shown
	Neighbours []search.Hit
}

// New returns the page of what a query found, with at most that many answers under each question.
func New(found *search.Result, query string, answers int) *Page {
	p := &Page{Query: terminal.PrintableLine(query), NoGoodMatch: found.NoGoodMatch, found: found}
	number := 0
	for _, h := range found.Hits {
		h = printableHit(h)
		if h.Via != nil {
			if n := len(p.Results); n == 0 || p.Results[n-1].PostID != h.Via.From {
				p.Results = append(p.Results, Result{Hit: search.Hit{PostID: h.Via.From}})
			}
			last := &p.Results[len(p.Results)-1]
			last.Neighbours = append(last.Neighbours, h)
			continue
		}
		number++
		r := Result{Hit: h, Number: number}
		for _, answer := range h.Answers {
			if len(r.Shown) < answers && answer.Text != "" {
				r.Shown = append(r.Shown, answer)
			}
		}
		r.Hidden = max(int(h.AnswerCount), len(h.Answers)) - len(r.Shown)
		p.Results = append(p.Results, r)
	}
	return p
}

// printableHit returns a copy whose texts are printable.
func printableHit(h search.Hit) search.Hit {
	h.Title, h.IRI, h.Language, h.Author, h.License = terminal.PrintableLine(h.Title), terminal.PrintableLine(h.IRI), terminal.PrintableLine(h.Language), terminal.PrintableLine(h.Author), terminal.PrintableLine(h.License)
	h.Text, h.Match.Snippet = remote.Printable(h.Text), remote.Printable(h.Match.Snippet)
	tags := make([]string, len(h.Tags))
	for i, tag := range h.Tags {
		tags[i] = terminal.PrintableLine(tag)
	}
	h.Tags = tags
	answers := make([]search.Answer, len(h.Answers))
	for i, x := range h.Answers {
		x.IRI, x.Text, x.Author, x.License = terminal.PrintableLine(x.IRI), remote.Printable(x.Text), terminal.PrintableLine(x.Author), terminal.PrintableLine(x.License)
		answers[i] = x
	}
	h.Answers = answers
	return h
}

// day returns the day of a date, as 2015-03-02.
func day(date string) string {
	day, _, _ := strings.Cut(date, "T")
	return day
}

// facts returns the date, the votes, the tags and the answers of a question.
func facts(h search.Hit) string {
	facts := fmt.Sprintf("%s, votes %d, tags %s", day(h.CreationDate), h.Votes, strings.Join(h.Tags, " "))
	switch {
	case h.AnswerCount == 1:
		facts += ", 1 answer"
	case h.AnswerCount > 1:
		facts += fmt.Sprintf(", %d answers", h.AnswerCount)
	}
	if h.AcceptedAnswerID != 0 {
		facts += fmt.Sprintf(", accepted answer %d", h.AcceptedAnswerID)
	}
	return facts
}

// edge describes how a question leads to its neighbour.
func edge(v *search.Via) string {
	switch {
	case v.Edge == search.EdgeDuplicate && v.Direction == search.DirectionOut:
		return "a duplicate of"
	case v.Edge == search.EdgeDuplicate:
		return "duplicated by"
	case v.Direction == search.DirectionOut:
		return "links to"
	}
	return "linked from"
}

// answerFacts returns what is known of an answer: accepted, date, votes.
func answerFacts(x search.Answer) string {
	kind := "answer"
	if x.Accepted {
		kind = "accepted answer"
	}
	if date := day(x.Created); date != "" {
		kind += ", " + date
	}
	return fmt.Sprintf("%s, votes %d", kind, x.Votes)
}

const noGoodMatch = "no good match; the nearest results:"

// WriteText writes the page for a terminal, or for a pipe without marks.
func (p *Page) WriteText(w io.Writer, marks bool) error {
	text := func(text, indent string) string {
		text = strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n"+indent)
		if !marks {
			return indent + text
		}
		var b strings.Builder
		p.found.Parts(text, func(part string, isTerm bool) {
			if isTerm {
				part = "\x1b[1m" + part + "\x1b[22m"
			}
			b.WriteString(part)
		})
		return indent + b.String()
	}
	if p.NoGoodMatch && len(p.Results) > 0 {
		fmt.Fprintf(w, "%s\n\n", noGoodMatch)
	}
	for _, r := range p.Results {
		if r.Number > 0 {
			fmt.Fprintf(w, "%s\n   %s\n   score %.2f, %s\n", text(r.Title, fmt.Sprintf("%d. ", r.Number)), r.IRI, r.Score, facts(r.Hit))
			if r.Match.PostID != r.PostID {
				fmt.Fprintf(w, "   in the answer %d:\n", r.Match.PostID)
			}
			fmt.Fprintf(w, "%s\n", text(r.Match.Snippet, "     "))
			for _, x := range r.Shown {
				fmt.Fprintf(w, "\n   %s\n   %s\n", answerFacts(x), x.IRI)
				if x.PostID != r.Match.PostID { // its best part stands above
					fmt.Fprintf(w, "%s\n", text(p.found.Snippet(x.Text), "     "))
				}
			}
			if len(r.Shown) > 0 && r.Hidden > 0 {
				fmt.Fprintf(w, "   … and %d more\n", r.Hidden)
			}
		}
		for _, n := range r.Neighbours {
			fmt.Fprintf(w, "\n   %d %s %d: %s\n     %s\n     %s\n", r.PostID, edge(n.Via), n.Via.Post, text(n.Title, ""), n.IRI, facts(n))
		}
		fmt.Fprintln(w)
	}
	return nil
}

// WriteMarkdown writes the page with whole texts, which have the form of Markdown, and with what their licence requires.
func (p *Page) WriteMarkdown(w io.Writer) error {
	fmt.Fprintf(w, "# %s\n", markdownText(p.Query))
	if len(p.Results) == 0 {
		fmt.Fprint(w, "\nNothing found.\n")
	}
	if len(p.Results) > 0 && p.NoGoodMatch {
		fmt.Fprintf(w, "\n_%s_\n", noGoodMatch)
	}
	source := func(author, license string) string {
		var parts []string
		for _, part := range []string{author, license} {
			if part != "" {
				parts = append(parts, markdownText(part))
			}
		}
		return strings.Join(parts, ", ")
	}
	for _, r := range p.Results {
		if r.Number > 0 {
			body := r.Text
			if body == "" {
				body = r.Match.Snippet
			}
			fmt.Fprintf(w, "\n## %d. [%s](<%s>)\n\nscore %.2f, %s; %s\n\n%s\n", r.Number, markdownText(r.Title), r.IRI, r.Score, markdownText(facts(r.Hit)),
				source(r.Author, r.License), markdownBody(body))
			for _, x := range r.Shown {
				fmt.Fprintf(w, "\n### [%s](<%s>)\n\n%s\n\n%s\n", answerFacts(x), x.IRI, source(x.Author, x.License), markdownBody(x.Text))
			}
			if r.Hidden > 0 {
				fmt.Fprintf(w, "\n%d more answers\n", r.Hidden)
			}
		}
		for _, n := range r.Neighbours {
			fmt.Fprintf(w, "\n- %d %s %d: [%s](<%s>), %s\n", r.PostID, edge(n.Via), n.Via.Post, markdownText(n.Title), n.IRI, markdownText(facts(n)))
		}
	}
	return nil
}

// markdownText escapes a text that is no Markdown.
func markdownText(text string) string {
	var b strings.Builder
	for _, r := range text {
		if strings.ContainsRune("\\`*_[]<>#|~!&", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// markdownBody returns a cleaned text, whose form is that of Markdown, without markup of HTML: outside of code it escapes
// each "<" and "&". It closes a block of code that the text leaves open.
func markdownBody(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	fence := ""
	for i, line := range lines {
		ticks := line[:len(line)-len(strings.TrimLeft(line, "`"))]
		switch {
		case fence == "" && len(ticks) >= 3:
			fence = ticks
		case fence != "":
			if strings.TrimSpace(line) == fence {
				fence = ""
			}
		default:
			parts := strings.Split(line, "`")
			for k := range parts {
				if k%2 == 0 || k == len(parts)-1 { // outside of code, or no code because it is not closed
					parts[k] = strings.NewReplacer("<", "&lt;", "&", "&amp;").Replace(parts[k])
				}
			}
			lines[i] = strings.Join(parts, "`")
		}
	}
	if fence != "" {
		lines = append(lines, fence)
	}
	return strings.Join(lines, "\n")
}
