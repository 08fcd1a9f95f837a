package sample

import "time"

// The times of the site's first and last post, in milliseconds since 1970.
var (
	opening = time.Date(2008, 7, 31, 21, 42, 52, 0, time.UTC).UnixMilli()
	closing = time.Date(2024, 3, 31, 23, 12, 7, 0, time.UTC).UnixMilli()
)

// The times at which texts change their form, in milliseconds since 1970.
var (
	licence30 = time.Date(2011, 4, 8, 0, 0, 0, 0, time.UTC).UnixMilli()
	licence40 = time.Date(2018, 5, 2, 0, 0, 0, 0, time.UTC).UnixMilli()
	// tightHTML is the time of the change to CommonMark, which writes no empty line
	// between paragraphs.
	tightHTML = time.Date(2020, 6, 1, 0, 0, 0, 0, time.UTC).UnixMilli()
)

// licenceOf returns the licence of a text by its date.
func licenceOf(ms int64) string {
	switch {
	case ms < licence30:
		return "CC BY-SA 2.5"
	case ms < licence40:
		return "CC BY-SA 3.0"
	default:
		return "CC BY-SA 4.0"
	}
}

// A clock assigns a time to each slot.
type clock struct {
	seed  uint64
	posts int64 // how many posts the years from opening to closing hold
}

// at returns the time of a slot in milliseconds since 1970. Times increase: each
// equal share of the site's time has one post at a random moment. Division by parts
// keeps the product within 64 bits for any number of posts.
func (c clock) at(slot int64) int64 {
	span := closing - opening
	step := max(1, span/c.posts)
	start := opening + span/c.posts*slot + span%c.posts*slot/c.posts
	r := newRNG(c.seed, streamClock, slot)
	return start + int64(r.below(int(step)))
}

const day = 24 * 60 * 60 * 1000

// appendTime appends a time as dumps spell it: 2008-07-31T21:42:52.667.
func appendTime(dst []byte, ms int64) []byte {
	dst = appendDate(dst, ms)
	m := ms % day
	dst = append(dst, 'T')
	dst = append2(dst, m/3_600_000)
	dst = append(dst, ':')
	dst = append2(dst, m/60_000%60)
	dst = append(dst, ':')
	dst = append2(dst, m/1000%60)
	return append(dst, '.', byte('0'+m/100%10), byte('0'+m/10%10), byte('0'+m%10))
}

// appendDate appends the day of a time: 2008-07-31. The algorithm is Hinnant's
// civil_from_days (https://howardhinnant.github.io/date_algorithms.html).
func appendDate(dst []byte, ms int64) []byte {
	z := ms/day + 719468
	era := z / 146097
	doe := z - era*146097
	yoe := (doe - doe/1460 + doe/36524 - doe/146096) / 365
	doy := doe - (365*yoe + yoe/4 - yoe/100)
	mp := (5*doy + 2) / 153
	month := mp + 3
	year := yoe + era*400
	if month > 12 {
		month, year = month-12, year+1
	}
	dst = append2(append2(dst, year/100), year%100)
	dst = append2(append(dst, '-'), month)
	return append2(append(dst, '-'), doy-(153*mp+2)/5+1)
}

func append2(dst []byte, n int64) []byte { return append(dst, byte('0'+n/10), byte('0'+n%10)) }
