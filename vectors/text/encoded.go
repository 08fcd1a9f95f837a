package text

import "bytes"

// dropEncodedFiles applies ruleBase64 to three or more lines of at least 60 base64 characters and nothing else: the first one
// stays. Sequences of nucleotides and amino acids are no such lines, because all their letters are capitals.
func (f *noiseFilter) dropEncodedFiles() {
	f.eachRun(3, func(l []byte) bool {
		l = bytes.TrimRight(bytes.TrimSpace(l), "=")
		return len(l) >= 60 && isBase64(l) && looksEncoded(l)
	}, func(i, j int) {
		if j < len(f.lines) && len(f.lines[j]) < len(f.lines[i]) && isBase64(bytes.TrimRight(f.lines[j], "=")) {
			j++ // the last, short line
		}
		f.drop(ruleBase64, i+1, j, nil)
	})
}

// isBase64 reports whether all bytes of b are of base64's alphabet.
func isBase64(b []byte) bool {
	for _, c := range b {
		if byteClasses[c]&classBase64 == 0 {
			return false
		}
	}
	return true
}

// looksEncoded reports whether a run of base64's alphabet is as mixed as encoded bytes are: capitals, small letters and digits
// are each at least a twentieth. Paths, identifiers and sequences are not.
func looksEncoded(b []byte) bool {
	var digits, upper, lower int
	for _, c := range b {
		switch k := byteClasses[c]; {
		case k&classDigit != 0:
			digits++
		case k&classUpper != 0:
			upper++
		case k&classLower != 0:
			lower++
		}
	}
	return 20*min(digits, upper, lower) >= len(b)
}

// dropHexDumps applies ruleHex to four or more lines of a hex dump: the first two stay.
func (f *noiseFilter) dropHexDumps() {
	f.eachRun(4, isHexLine, func(i, j int) { f.drop(ruleHex, i+2, j, nil) })
}

// isHexLine reports whether a line holds bytes: at least eight groups of two, four or eight hexadecimal digits, with 0x or
// without. At least a quarter of them have a letter, so a matrix of numbers is none. At most two other words are among them.
func isHexLine(line []byte) bool {
	if len(line) < 8*len("00 ")-1 {
		return false
	}
	groups, withLetter, other := 0, 0, 0
	for i := 0; i < len(line) && other <= 2; {
		if byteClasses[line[i]]&classAlnum == 0 {
			i++
			continue
		}
		if line[i] == '0' && i+1 < len(line) && line[i+1] == 'x' {
			i += 2
		}
		every, some := uint8(classHex), uint8(0)
		j := i
		for ; j < len(line); j++ {
			k := byteClasses[line[j]]
			if k&classAlnum == 0 {
				break
			}
			every, some = every&k, some|k
		}
		if size := j - i; every == 0 || size != 2 && size != 4 && size != 8 {
			other++
		} else {
			groups++
			if some&(classUpper|classLower) != 0 {
				withLetter++
			}
		}
		i = j
	}
	return groups >= 8 && 4*withLetter >= groups
}

// Lengths of encoded runs in a line, in bytes; longer ones are shortened.
const (
	base64Run = 120
	hexRun    = 96
)

// shortenRuns applies ruleBase64 and ruleHex to the runs in a line. It keeps the first 32 characters of a run of base64, and
// the first 16 of hexadecimal digits.
func (f *noiseFilter) shortenRuns(line []byte) []byte {
	e := newLineEditor(f, line)
	for start, end := indexRun(line, 0, hexRun, classBase64); start >= 0; start, end = indexRun(line, end, hexRun, classBase64) {
		switch run := line[start:end]; {
		case len(run) > base64Run && looksEncoded(run):
			e.cut(ruleBase64, start+32, end)
		case isHexRun(run):
			e.cut(ruleHex, start+16, end)
		}
	}
	return e.result()
}

// isHexRun reports whether a run is of hexadecimal digits, of which over a tenth, but not all, are letters.
func isHexRun(b []byte) bool {
	letters := 0
	for _, c := range b {
		if byteClasses[c]&classHex == 0 {
			return false
		}
		if byteClasses[c]&classDigit == 0 {
			letters++
		}
	}
	return 10*letters > len(b) && letters < len(b)
}
