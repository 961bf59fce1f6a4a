package raster

import "math/bits"

// Of RFC 1951: bits of a code, symbols of the alphabets of literals and lengths and of distances,
// the symbol that ends a block, and the longest match.
const mostBits, literals, distances, symbolEnd, longest = 15, 288, 30, 256, 258

// direct is how many bits are looked up at once. Codes that are longer take a second look, at the
// bits behind.
const direct, second = 10, mostBits - direct

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
type table [1<<direct + literals/2<<second]entry

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

// build makes the table of an alphabet from the lengths of its codes, 0 for none. It reports
// whether every string of bits begins with one of them. A single code of one bit is as good: a
// block without matches has one.
func (t *table) build(lengths []uint8, meaning []entry) bool {
	var count, next [mostBits + 1]uint32
	for _, n := range lengths {
		count[n&mostBits]++
	}
	count[0] = 0
	code := uint32(0)
	for n := 1; n <= mostBits; n++ {
		code = (code + count[n-1]) << 1
		next[n] = code
	}
	clear(t[:1<<direct])
	if code += count[mostBits]; code != 1<<mostBits {
		if code != 1<<(mostBits-1) || count[1] != 1 {
			return false
		}
		for k := 1; k < 1<<direct; k += 2 {
			t[k] = kindOther | 1
		}
	}
	free := entry(1 << direct)
	for symbol, n := range lengths {
		if n == 0 {
			continue
		}
		code := int(bits.Reverse16(uint16(next[n&mostBits])) >> (16 - n))
		next[n&mostBits]++
		e := meaning[symbol] | entry(n)
		if n <= direct {
			for k := code; k < 1<<direct; k += 1 << n {
				t[k] = e
			}
			continue
		}
		first := &t[code&(1<<direct-1)]
		if *first == 0 {
			*first = kindSecond | free<<16
			free += 1 << second
		}
		of := t[*first>>16:][:1<<second]
		for k := code >> direct; k < 1<<second; k += 1 << (n - direct) {
			of[k] = e
		}
	}
	return true
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
