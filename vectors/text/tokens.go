package text

// Tokens estimates how many tokens an embedding model counts in s.
func Tokens(s string) int { return (len(s) + 3) / 4 }
