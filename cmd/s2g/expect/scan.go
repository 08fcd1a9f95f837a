package expect

import (
	"context"

	"database/sql/driver"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"strconv"
	"strings"
)

// groupKey is what quads are summed by before they are added to graphs: the sets
// of their rows, and whether their node counts among the distinct ones.
type groupKey struct {
	set, with int // with is 0 where there is no second set
	once      bool
}

// union returns the graphs that a group's quads stand in.
func (l *lane) union(k groupKey) []int {
	if k.with == 0 || k.with == k.set {
		return l.sets[k.set]
	}
	both := slices.Concat(l.sets[k.set], l.sets[k.with])
	slices.Sort(both)
	return slices.Compact(both)
}

// add adds the tallies of a group to the graphs that it stands in.
func (l *lane) add(k groupKey, t *Tallies, into *View) {
	for term := range AllTerms {
		for _, g := range l.union(k) {
			into.Graphs[g][term].Merge(t[term])
		}
		if k.once {
			into.Distinct[term].Merge(t[term])
		}
	}
}

// tally sums a block's quads. SQL says which they are; their texts are hashed
// here, because CRC32(CONCAT(…)) costs the server several times as much as to
// send the values: most are a few bytes, and the subject is the same for all
// of a row.
func (l *lane) tally(ctx context.Context, b block, into *View) error {
	groups := map[groupKey]*Tallies{}
	var last groupKey
	var group *Tallies
	err := l.stream(ctx, b, func(k groupKey, t Term, _ []byte, crc uint32) {
		if group == nil || k != last {
			if group = groups[k]; group == nil {
				group = &Tallies{}
				groups[k] = group
			}
			last = k
		}
		group[t].Add(crc)
	})
	if err != nil {
		return err
	}
	for k, t := range groups {
		l.add(k, t, into)
	}
	return nil
}

// count counts a block's quads, which SQL alone does with little to read.
func (l *lane) count(ctx context.Context, b block, into *View) error {
	columns := []string{b.set, orElse(b.with, "0"), orElse(b.once, "1")}
	terms := make([]Term, len(b.rules))
	for i, r := range b.rules {
		terms[i], _ = Named(r.term)
		columns = append(columns, "COUNT("+r.present()+")")
	}
	rows, err := l.conn.QueryContext(ctx, "SELECT "+strings.Join(columns, ",\n")+"\nFROM "+b.from+"\nGROUP BY 1, 2, 3")
	if err != nil {
		return err
	}
	defer rows.Close()
	var k groupKey
	counts := make([]int64, len(terms))
	fields := []any{&k.set, &k.with, &k.once}
	for i := range counts {
		fields = append(fields, &counts[i])
	}
	for rows.Next() {
		if err := rows.Scan(fields...); err != nil {
			return err
		}
		var t Tallies
		for i, term := range terms {
			t[term].Count += counts[i]
		}
		l.add(k, &t, into)
	}
	return rows.Err()
}

func orElse(expression, otherwise string) string {
	if expression == "" {
		return otherwise
	}
	return expression
}

// none is the position of a column that a rule does not need.
const none = -1

// plan is a block's scan: what is selected, and where each rule finds its parts.
type plan struct {
	columns         []string // SQL expressions, each once
	set, with, once int
	rules           []plannedRule
}

type plannedRule struct {
	term                  Term
	mark                  mark
	subject, object, when int
}

// column returns the position of an expression, none for the empty one.
func (p *plan) column(expression string) int {
	if expression == "" {
		return none
	}
	i := slices.Index(p.columns, expression)
	if i < 0 {
		i = len(p.columns)
		p.columns = append(p.columns, expression)
	}
	return i
}

func newPlan(b block) (*plan, error) {
	p := &plan{}
	p.set, p.with, p.once = p.column(b.set), p.column(b.with), p.column(b.once)
	for _, r := range b.rules {
		t, ok := Named(r.term)
		if !ok {
			return nil, fmt.Errorf("a rule names %q, which is no term", r.term)
		}
		object := r.object
		if r.mark == asIRI {
			object = "CONCAT(" + object + ")"
		}
		p.rules = append(p.rules, plannedRule{
			term: t, mark: r.mark, subject: p.column("CONCAT(" + r.subject + ")"), object: p.column(object), when: p.column(r.when),
		})
	}
	return p, nil
}

// stream runs a block's scan and calls yield for each quad that it says. The
// subject is valid until yield returns.
func (l *lane) stream(ctx context.Context, b block, yield func(k groupKey, t Term, subject []byte, crc uint32)) error {
	p, err := newPlan(b)
	if err != nil {
		return err
	}
	query := "SELECT " + strings.Join(p.columns, ",\n") + "\nFROM " + b.from
	// the driver's own rows: database/sql would copy every value
	return l.conn.Raw(func(conn any) error {
		q, ok := conn.(driver.QueryerContext)
		if !ok {
			return errors.New("the driver runs no queries")
		}
		rows, err := q.QueryContext(ctx, query, nil)
		if err != nil {
			return err
		}
		err = p.read(rows, yield)
		return errors.Join(err, rows.Close())
	})
}

func (p *plan) read(rows driver.Rows, yield func(groupKey, Term, []byte, uint32)) error {
	values := make([]driver.Value, len(p.columns))
	var text []byte
	for {
		err := rows.Next(values)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		k := groupKey{set: int(integer(values, p.set)), with: int(integer(values, p.with)), once: p.once == none || integer(values, p.once) != 0}
		subject, hashed := none, uint32(0)
		for i := range p.rules {
			r := &p.rules[i]
			if r.when != none && integer(values, r.when) == 0 || r.object != none && values[r.object] == nil {
				continue
			}
			node, ok := values[r.subject].([]byte)
			if !ok {
				return fmt.Errorf("the subject of %s is a %T", r.term, values[r.subject])
			}
			if subject != r.subject {
				subject, hashed = r.subject, crc32.ChecksumIEEE(node)
			}
			if text, err = r.appendObject(text[:0], values); err != nil {
				return err
			}
			yield(k, r.term, node, crc32.Update(hashed, crc32.IEEETable, text))
		}
	}
}

// appendObject appends what follows the subject in a quad's text.
func (r *plannedRule) appendObject(dst []byte, values []driver.Value) ([]byte, error) {
	dst = append(append(dst, ' '), r.mark...)
	if r.object == none {
		return dst, nil
	}
	switch v := values[r.object].(type) {
	case []byte:
		at := len(dst)
		dst = append(dst, v...)
		if r.mark == asDate {
			if len(v) > len("2006-01-02") {
				dst[at+len("2006-01-02")] = 'T'
			}
			dst = append(dst, 'Z')
		}
		return dst, nil
	case int64:
		return strconv.AppendInt(dst, v, 10), nil
	}
	return dst, fmt.Errorf("the object of %s is a %T", r.term, values[r.object])
}

// integer is the value of a column that holds a number or a condition, 0 for
// NULL and for a column that is not there.
func integer(values []driver.Value, column int) int64 {
	if column == none {
		return 0
	}
	n, _ := values[column].(int64)
	return n
}
