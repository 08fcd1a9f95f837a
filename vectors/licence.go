package vectors

import "s2g/schema/vocab"

// The days from which Stack Exchange's later licences hold, see
// https://stackoverflow.com/help/licensing.
const (
	since30 = "2011-04-08"
	since40 = "2018-05-02"
)

// licence returns the IRI of a post's licence: the version that ContentLicense
// names, else that of the day of its last edit, or of its creation where it was
// never edited or the edit was the system's own (user -1), which keeps the
// licence. Dates are as the database writes them.
func licence(named, edited []byte, editor int64, created []byte) string {
	if v := version(named); v != "" {
		return vocab.CC + v + "/"
	}
	day := created
	if len(edited) > 0 && editor != -1 {
		day = edited
	}
	switch {
	case string(day) < since30:
		return vocab.CC + "2.5/"
	case string(day) < since40:
		return vocab.CC + "3.0/"
	}
	return vocab.CC + "4.0/"
}

// version finds the first D.D in the name of a licence, as 4.0 in "CC BY-SA 4.0".
func version(named []byte) string {
	digit := func(i int) bool { return named[i] >= '0' && named[i] <= '9' }
	for i := 0; i+2 < len(named); i++ {
		if digit(i) && named[i+1] == '.' && digit(i+2) {
			return string(named[i : i+3])
		}
	}
	return ""
}
