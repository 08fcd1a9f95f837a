// Package spelling finds the name that a mistyped one probably means.
package spelling

// Nearest returns the name that is most similar to a mistyped one, or "" where none is similar.
func Nearest(name string, names []string) string {
	best, least := "", 1+max(2, len(name)/3) // more changes make it another word
	for _, n := range names {
		if d := Distance(name, n); d < least {
			best, least = n, d
		}
	}
	return best
}

// Distance returns the Levenshtein distance: how many bytes to insert, delete or replace turn one name into the other.
func Distance(a, b string) int {
	row := make([]int, len(b)+1) // of the prefixes of b, for a prefix of a
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		corner := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := corner
			if a[i] != b[j] {
				change++
			}
			corner = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
