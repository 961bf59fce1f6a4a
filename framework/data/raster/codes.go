package raster

import "math/bits"

// Of RFC 1951: bits of a code, symbols of the alphabets of literals and lengths and of distances,
// the symbol that ends a block, and the longest match.
const mostBits, literals, distances, symbolEnd, longest = 15, 288, 30, 256, 258

// What is looked up at once: so many bits of codes of literals, of distances, and of lengths, which
// have no more. Codes that are longer take a second look, at the bits behind.
const directLiteral, directMatch, directLength = 10, 8, 7

// An entry of a table says what a code means: bits 0 to 5 its own length, 6 and 7 its kind, 8 to 11
// how many more bits belong to it, and 16 to 31 its value: a byte, the least length or distance,
// or where the second look goes.
type entry = uint32

const (
	kindByte entry = iota << 6
	kindRange
	kindOther // ends a block, or means nothing
	kindSecond
	kinds  entry = 3 << 6
	length       = 63 // of a code
)

// A table has the codes of an alphabet by their bits. A second look leads to two symbols or more,
// so that at most half of them have one of their own.
type table [1<<directLiteral + literals/2<<(mostBits-directLiteral)]entry

// What symbols mean: those of literals and lengths, of distances, and those that are numbers.
var literalMeaning, distanceMeaning, plainMeaning = meanings()

func meanings() (literal, distance, plain []entry) {
	for k := range entry(symbolEnd) {
		plain = append(plain, kindByte|k<<16)
	}
	literal = append(literal, plain...)
	literal = append(literal, kindOther)
	least := entry(3)
	for k := range entry(28) {
		more := max(k/4, 1) - 1
		literal = append(literal, kindRange|more<<8|least<<16)
		least += 1 << more
	}
	literal = append(literal, kindRange|longest<<16, kindOther, kindOther)
	least = 1
	for k := range entry(distances) {
		more := max(k/2, 1) - 1
		distance = append(distance, kindRange|more<<8|least<<16)
		least += 1 << more
	}
	// Two more distances have a code in blocks with the codes of the standard, and no meaning.
	return literal, append(distance, kindOther, kindOther), plain
}

// build makes the table of an alphabet from the lengths of its codes, 0 for none, where so many
// bits are looked up at once. It reports whether every string of bits begins with one of them. A
// single code of one bit is as good: a block without matches has one.
func (t *table) build(lengths []uint8, meaning []entry, direct int) bool {
	var symbols [literals + 32]uint16 // by length of their codes, and then by number
	var count, next [mostBits + 1]int
	for _, n := range lengths {
		count[n&mostBits]++
	}
	count[0] = 0
	all, space := 0, 0
	for n := 1; n <= mostBits; n++ {
		next[n] = all
		all += count[n]
		space += count[n] << (mostBits - n)
	}
	if space != 1<<mostBits && (all != 1 || count[1] != 1) {
		return false
	}
	for k, n := range lengths {
		if n &= mostBits; n > 0 {
			symbols[next[n]] = uint16(k)
			next[n]++
		}
	}
	t[0], t[1] = kindOther|1, kindOther|1 // where there is a single code
	t.fill(symbols[:all], &count, meaning, direct)
	return true
}

// fill fills a table with symbols that have ever longer codes, of which there are so many by
// length. With every bit, what it has is there twice as often, until it has what a look has.
func (t *table) fill(symbols []uint16, count *[mostBits + 1]int, meaning []entry, direct int) {
	code, free, prefix := 0, 1<<direct, -1
	var of []entry // of the second look that prefix leads to
	for n := 1; n <= mostBits; n++ {
		if n > 1 && n <= direct {
			copy(t[1<<(n-1):1<<n], t[:1<<(n-1)])
		}
		for _, symbol := range symbols[:count[n]] {
			back := int(bits.Reverse16(uint16(code)) >> (16 - n)) // in the order of the stream
			code++
			e := meaning[symbol] | entry(n)
			if n <= direct {
				t[back] = e
				continue
			}
			if first := back & (1<<direct - 1); first != prefix {
				prefix = first
				t[first] = kindSecond | entry(free)<<16
				of = t[free:][:1<<(mostBits-direct)]
				free += len(of)
			}
			for k := back >> direct; k < len(of); k += 1 << (n - direct) {
				of[k] = e
			}
		}
		symbols, code = symbols[count[n]:], code<<1
	}
}

// fixed are the lengths of the codes of the standard, of literals and of distances.
var fixed = func() (l [literals + 32]uint8) {
	for k := range l {
		switch {
		case k >= literals:
			l[k] = 5
		case k < 144, k >= 280:
			l[k] = 8
		case k < 256:
			l[k] = 9
		default:
			l[k] = 7
		}
	}
	return l
}()
