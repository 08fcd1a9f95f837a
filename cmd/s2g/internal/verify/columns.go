package verify

import (
	"encoding/binary"
	"fmt"
	"regexp"

	"github.com/parquet-go/parquet-go"

	"s2g/vectors/shard"
)

// compareColumns compares the columns of a Parquet file with those that the format requires:
// names, types, order, and no others; besides them it holds nothing. It returns the first difference.
func compareColumns(file *parquet.File, want []shard.Column) string {
	if data := file.Metadata().KeyValueMetadata; len(data) > 0 {
		return fmt.Sprintf("its footer has metadata with the key %q, which no build writes", data[0].Key)
	}
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
	if creator := file.Metadata().CreatedBy; !parquetCreator.MatchString(creator) {
		return fmt.Sprintf("its footer names the creator %.100q", creator)
	}
	if n := unusedBytes(file); n != 0 {
		return fmt.Sprintf("it has %d bytes that belong to no column", n)
	}
	return ""
}

// parquetCreator matches what builds write as the creator of a file: the format, not the version of s2g.
var parquetCreator = regexp.MustCompile(`^s2g version \d+\(build vectors\)$`)

// unusedBytes returns how many bytes of a file are neither of columns and their indexes nor of its frame.
func unusedBytes(file *parquet.File) int64 {
	var tail [8]byte // the length of the footer, and the mark of the format
	if _, err := file.ReadAt(tail[:], file.Size()-8); err != nil {
		return -1
	}
	used := int64(binary.LittleEndian.Uint32(tail[:])) + 4 + 8
	for _, group := range file.Metadata().RowGroups {
		for _, c := range group.Columns {
			used += c.MetaData.TotalCompressedSize + int64(c.ColumnIndexLength) + int64(c.OffsetIndexLength)
		}
	}
	return file.Size() - used
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
