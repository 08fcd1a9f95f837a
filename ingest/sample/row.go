package sample

import "strconv"

// A row begins and ends like this; the line's end is the file's to add.
const (
	rowOpen = "  <row"
	rowShut = " />"
)

// attr writes an attribute whose value needs no escaping.
func attr(dst []byte, name, value string) []byte {
	dst = append(append(append(dst, ' '), name...), `="`...)
	return append(append(dst, value...), '"')
}

func attrInt(dst []byte, name string, n int64) []byte {
	dst = append(append(append(dst, ' '), name...), `="`...)
	return append(strconv.AppendInt(dst, n, 10), '"')
}

// attrTime writes a moment, given in milliseconds since 1970.
func attrTime(dst []byte, name string, ms int64) []byte {
	dst = append(append(append(dst, ' '), name...), `="`...)
	return append(appendTime(dst, ms), '"')
}

// attrUserName writes the name that the dumps keep of a deleted user.
func attrUserName(dst []byte, name string, user int64) []byte {
	dst = append(append(append(dst, ' '), name...), `="`...)
	if user%3 == 0 {
		return append(append(dst, people[user%int64(len(people))]...), '"')
	}
	return append(strconv.AppendInt(append(dst, "user"...), user, 10), '"')
}

func appendInt(dst []byte, n int64) []byte { return strconv.AppendInt(dst, n, 10) }
