package shard

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
)

// Column describes a column of a shard or of parents/. Its name is the same in Parquet, in
// Qdrant's payload and in Croissant.
type Column struct {
	Name     string
	Type     Type // of a list: of its elements
	List     bool
	Nullable bool
	Role     Role
	Index    Index  // of Qdrant's payload
	About    string // meaning
	From     string // columns of the tables that it is computed from; empty: computed from other columns
	Graph    string // the terms of the graph with its value; empty: none

	field int // of the struct
}

// Role is the part of a point that a column belongs to.
type Role string

// The roles of columns.
const (
	RoleID      Role = "id" // the key of the row
	RolePayload Role = "payload"
	RoleVector  Role = "vector"
)

// Type is the type of a column's values.
type Type int

// The types of columns.
const (
	String Type = iota
	IRI         // a string
	Bool
	Int32
	Int64
	Uint32
	Uint64
	Float32
	Timestamp // milliseconds since 1970 in UTC, an int64
)

var typeNames = [...]struct{ plain, croissant string }{
	String: {"string", "sc:Text"}, IRI: {"string", "sc:URL"}, Bool: {"bool", "sc:Boolean"},
	Int32: {"int32", "sc:Integer"}, Int64: {"int64", "sc:Integer"}, Uint32: {"uint32", "sc:Integer"}, Uint64: {"uint64", "sc:Integer"},
	Float32: {"float32", "sc:Float"}, Timestamp: {"timestamp (UTC, ms)", "sc:DateTime"},
}

// String returns the name of the type in docs/formats.md.
func (t Type) String() string { return typeNames[t].plain }

// Croissant returns the type in Croissant's terms, as sc:Text.
func (t Type) Croissant() string { return typeNames[t].croissant }

// Index is the index of a field of Qdrant's payload.
type Index struct {
	Kind          IndexKind // empty: the field has no index
	Lookup, Range bool      // integers only: filters by equality, by a range
}

// IndexKind is the kind of an index, in Qdrant's terms.
type IndexKind string

// The kinds of indexes.
const (
	IndexInteger  IndexKind = "integer"
	IndexKeyword  IndexKind = "keyword"
	IndexBool     IndexKind = "bool"
	IndexDatetime IndexKind = "datetime"
)

var (
	pointColumns  = columnsOf(reflect.TypeFor[Point]())
	parentColumns = columnsOf(reflect.TypeFor[Parent]())
)

// Columns returns the columns of a shard in their order.
func Columns() []Column { return slices.Clone(pointColumns) }

// ParentColumns returns the columns of parents/ in their order.
func ParentColumns() []Column { return slices.Clone(parentColumns) }

// Value returns the value of the column in p: a bool, an int64 (of Int32 and Int64), a
// uint64, a string, a time.Time in UTC, or a slice of strings, int64, uint32 or float32,
// which shares the memory of p. It returns nil where the column is NULL.
func (c Column) Value(p *Point) any {
	v := reflect.ValueOf(p).Elem().Field(c.field)
	if c.Nullable && v.IsZero() {
		return nil
	}
	v = reflect.Indirect(v)
	switch {
	case c.List:
		return v.Interface()
	case c.Type == Timestamp:
		return time.UnixMilli(v.Int()).UTC()
	case v.Kind() == reflect.Int32:
		return v.Int()
	}
	return v.Interface()
}

// SetValue sets the column in p to a value of the type that Value returns. A value of
// another type is an error.
func (c Column) SetValue(p *Point, value any) error {
	field := reflect.ValueOf(p).Elem().Field(c.field)
	if value == nil && c.Nullable {
		field.SetZero()
		return nil
	}
	target := field
	if field.Kind() == reflect.Pointer {
		target = reflect.New(field.Type().Elem()).Elem()
	}
	number, isNumber := value.(int64)
	date, isDate := value.(time.Time)
	switch {
	case isNumber && !c.List && (c.Type == Int32 || c.Type == Int64):
		target.SetInt(number)
	case isDate && c.Type == Timestamp:
		target.SetInt(date.UnixMilli())
	case !isNumber && value != nil && reflect.TypeOf(value) == target.Type():
		target.Set(reflect.ValueOf(value))
	default:
		return fmt.Errorf("column %s has no values of the type %T", c.Name, value)
	}
	if field.Kind() == reflect.Pointer {
		field.Set(target.Addr())
	}
	return nil
}

// columnsOf lists the columns that the fields of a struct describe.
func columnsOf(row reflect.Type) []Column {
	var columns []Column
	for _, f := range reflect.VisibleFields(row) {
		options := strings.Split(f.Tag.Get("parquet"), ",")
		kind, filters, _ := strings.Cut(f.Tag.Get("index"), ",")
		columns = append(columns, Column{
			Name: options[0], Type: typeOf(f), List: slices.Contains(options, "list"), Nullable: slices.Contains(options, "optional"),
			Role:  Role(cmp.Or(f.Tag.Get("role"), string(RolePayload))),
			Index: Index{IndexKind(kind), strings.Contains(filters, "lookup"), strings.Contains(filters, "range")},
			About: f.Tag.Get("about"), From: f.Tag.Get("from"), Graph: f.Tag.Get("graph"), field: f.Index[0],
		})
	}
	return columns
}

func typeOf(f reflect.StructField) Type {
	element := f.Type
	if element.Kind() == reflect.Slice || element.Kind() == reflect.Pointer {
		element = element.Elem()
	}
	switch {
	case f.Tag.Get("type") == "iri":
		return IRI
	case strings.Contains(f.Tag.Get("parquet"), ",timestamp("):
		return Timestamp
	}
	types := map[reflect.Kind]Type{
		reflect.String: String, reflect.Bool: Bool, reflect.Int32: Int32, reflect.Int64: Int64,
		reflect.Uint32: Uint32, reflect.Uint64: Uint64, reflect.Float32: Float32,
	}
	t, ok := types[element.Kind()]
	if !ok {
		panic("shard: no type of columns for " + f.Type.String())
	}
	return t
}
