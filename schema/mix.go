package schema

// Mix64 is a bijection of the 64-bit integers that maps neighbouring inputs to
// unrelated outputs: SplitMix64's increment and finaliser (Steele, Lea, Flood,
// "Fast splittable pseudorandom number generators", 2014). It is the same on any
// machine, so samples that order rows by Mix64(id) are reproducible.
func Mix64(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
