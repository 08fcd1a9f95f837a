package verify

import (
	"fmt"

	"github.com/parquet-go/parquet-go"

	"s2g/vectors/shard"
)

// compareColumns compares the columns of a Parquet file with those that the format requires:
// names, types, order, and no others. It returns the first difference.
func compareColumns(file *parquet.File, want []shard.Column) string {
	fields := file.Schema().Fields()
	for i, c := range want {
		if i == len(fields) {
			return "it has no column " + c.Name
		}
		f := fields[i]
		if f.Name() != c.Name {
			if _, ok := file.Schema().Lookup(c.Name); !ok && !c.List {
				return "it has no column " + c.Name
			}
			return fmt.Sprintf("its column %d is %s, the format requires %s", i+1, f.Name(), c.Name)
		}
		if has, requires := typeOfNode(f), typeOfColumn(c); has != requires {
			return fmt.Sprintf("its column %s has the type %s, the format requires %s", c.Name, has, requires)
		}
	}
	if len(fields) > len(want) {
		return fmt.Sprintf("it has the column %s, which the format does not have", fields[len(want)].Name())
	}
	return ""
}

// columnTypes are the Parquet types of columns.
var columnTypes = map[shard.Type]string{
	shard.String: "STRING", shard.IRI: "STRING", shard.Bool: "BOOLEAN",
	shard.Int32: "INT(32,true)", shard.Int64: "INT(64,true)", shard.Uint32: "INT(32,false)", shard.Uint64: "INT(64,false)",
	shard.Float32: "FLOAT", shard.Timestamp: "TIMESTAMP(isAdjustedToUTC=true,unit=MILLIS)",
}

// typeOfColumn describes the type of a column.
func typeOfColumn(c shard.Column) string {
	switch {
	case c.List:
		return "list of " + columnTypes[c.Type]
	case c.Nullable:
		return "optional " + columnTypes[c.Type]
	}
	return columnTypes[c.Type]
}

// typeOfNode describes the type of a node of a file's schema as typeOfColumn does.
func typeOfNode(n parquet.Node) string {
	if !n.Leaf() {
		if list := n.Fields(); n.Required() && len(list) == 1 && list[0].Name() == "list" && list[0].Repeated() && !list[0].Leaf() {
			if element := list[0].Fields(); len(element) == 1 && element[0].Name() == "element" && element[0].Leaf() && element[0].Required() {
				return "list of " + element[0].Type().String()
			}
		}
		return "group"
	}
	switch {
	case n.Optional():
		return "optional " + n.Type().String()
	case n.Repeated():
		return "repeated " + n.Type().String()
	}
	return n.Type().String()
}
