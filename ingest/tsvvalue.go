package ingest

import (
	"slices"
	"strconv"

	"s2g/ingest/dump"
	"s2g/schema"
)

// appendInt appends a decimal integer in canonical form and returns its value. The
// class is empty if v is a decimal integer from lo to hi; else nothing is appended.
func appendInt(dst, v []byte, lo, hi int64) ([]byte, int64, dump.Class) {
	digits := v
	negative := v[0] == '-'
	if negative || v[0] == '+' {
		digits = v[1:]
	}
	if len(digits) == 0 {
		return dst, 0, badNumber
	}
	var n uint64
	overflow := false
	for _, c := range digits {
		d := uint64(c - '0')
		if d > 9 {
			return dst, 0, badNumber
		}
		overflow = overflow || n > (1<<63-d)/10 // n*10+d is above 1<<63
		n = n*10 + d
	}
	if overflow || !negative && n == 1<<63 {
		return dst, 0, outOfRange
	}
	i := int64(n)
	if negative {
		i = -i
	}
	if i < lo || i > hi {
		return dst, 0, outOfRange
	}
	if digits[0] != '0' && v[0] != '+' {
		return append(dst, v...), i, ""
	}
	return strconv.AppendInt(dst, i, 10), i, ""
}

// dateLength is the length of a DATETIME(3), as 2008-07-31 21:42:52.667.
const dateLength = 23

// appendDate appends a date as DATETIME(3), truncated to milliseconds. v has the
// form 2008-07-31T21:42:52.667 with any number of fraction digits, or none, and may
// end with Z. appendDate returns false for another form, and for a date that does
// not exist or is before the year 1000, where DATETIME begins.
func appendDate(dst, v []byte) ([]byte, bool) {
	const layout = "2008-07-31T21:42:52"
	if len(v) < len(layout) || v[4] != '-' || v[7] != '-' || v[10] != 'T' || v[13] != ':' || v[16] != ':' {
		return dst, false
	}
	year, ok0 := twoDigits(v[0:])
	rest, ok1 := twoDigits(v[2:])
	month, ok2 := twoDigits(v[5:])
	day, ok3 := twoDigits(v[8:])
	hour, ok4 := twoDigits(v[11:])
	minute, ok5 := twoDigits(v[14:])
	second, ok6 := twoDigits(v[17:])
	if !(ok0 && ok1 && ok2 && ok3 && ok4 && ok5 && ok6) {
		return dst, false
	}
	year = year*100 + rest
	if year < 1000 || month < 1 || month > 12 || day < 1 || day > daysIn(year, month) || hour > 23 || minute > 59 || second > 59 {
		return dst, false
	}
	fraction := v[len(layout):]
	if n := len(fraction); n > 0 && fraction[n-1] == 'Z' {
		fraction = fraction[:n-1]
	}
	millis := [4]byte{'.', '0', '0', '0'}
	if len(fraction) > 0 {
		if fraction[0] != '.' || len(fraction) == 1 {
			return dst, false
		}
		for _, c := range fraction[1:] {
			if c-'0' > 9 {
				return dst, false
			}
		}
		copy(millis[:], fraction)
	}
	dst = append(dst, v[:10]...)
	dst = append(dst, ' ')
	dst = append(dst, v[11:len(layout)]...)
	return append(dst, millis[:]...), true
}

func twoDigits(v []byte) (int, bool) {
	a, b := v[0]-'0', v[1]-'0'
	return int(a)*10 + int(b), a <= 9 && b <= 9
}

func daysIn(year, month int) int {
	switch {
	case month == 2 && year%4 == 0 && (year%100 != 0 || year%400 == 0):
		return 29
	case month == 2:
		return 28
	case month == 4 || month == 6 || month == 9 || month == 11:
		return 30
	}
	return 31
}

// appendTags appends the tags of <a><b> or |a|b| as |a|b|, each once, in their
// order. For no tags it appends nothing. It leaves out tags with a bar, which <a|b>
// can spell and the stored list cannot, and returns false if there are any.
func appendTags(dst, v []byte) (_ []byte, ok bool) {
	start := len(dst)
	ok = true
	var seen map[string]bool // of a long list; nil for others
	begin, end := byte('|'), byte('|')
	if len(v) > 0 && v[0] == '<' {
		begin, end = '<', '>'
	}
	for len(v) > 0 {
		if v[0] == begin {
			v = v[1:]
			continue
		}
		n := slices.Index(v, end)
		if n < 0 {
			n = len(v)
		}
		if slices.Contains(v[:n], '|') {
			ok = false
		} else if n > 0 && !seen[string(v[:n])] && (seen != nil || !hasTag(dst[start:], v[:n])) {
			if len(dst) == start {
				dst = append(dst, '|')
			}
			dst = append(append(dst, v[:n]...), '|')
			if seen != nil {
				seen[string(v[:n])] = true
			} else if len(dst)-start > longList {
				seen = tagSet(dst[start:])
			}
		}
		v = v[min(n+1, len(v)):]
	}
	return dst, ok
}

// longList is the number of bytes of a stored list from which its tags are kept in
// a set: posts have five tags, and a damaged row may have millions.
const longList = 4 << 10

// tagSet returns the tags of a list of the form |a|b|.
func tagSet(list []byte) map[string]bool {
	set := make(map[string]bool)
	for tag := range schema.SplitTags(list) {
		set[string(tag)] = true
	}
	return set
}

// hasTag reports whether list, of the form |a|b|, contains a tag.
func hasTag(list, tag []byte) bool {
	for len(list) > 1 {
		list = list[1:]
		n := slices.Index(list, '|')
		if string(list[:n]) == string(tag) {
			return true
		}
		list = list[n:]
	}
	return false
}

// appendBool appends True or False as 1 or 0.
func appendBool(dst, v []byte) ([]byte, bool) {
	switch string(v) {
	case "True", "true", "1":
		return append(dst, '1'), true
	case "False", "false", "0":
		return append(dst, '0'), true
	}
	return dst, false
}
