package raster

import (
	"encoding/binary"
	"hash/adler32"
)

// behind is how much room there is behind what is packed, and beyond behind what is unpacked: for
// what an iteration reads and writes before it looks where the end is.
const behind, beyond = 32, longest + 16

// An inflater unpacks what zlib has packed, as a whole. It keeps its memory.
type inflater struct {
	in             []byte // what is packed, and room
	end            int    // of what is packed
	at             int    // of the next byte of in
	bits           uint64 // bytes of in before that: the have lowest bits, and perhaps more of in
	have           uint
	out            []byte // what is unpacked, and room
	n              int    // bytes that are unpacked
	lengths        [literals + 32]uint8
	literal, match table
}

// unpack unpacks exactly size bytes, which are there until the next call. It reports false for what
// is damaged, or of another size.
func (f *inflater) unpack(packed []byte, size int) ([]byte, bool) {
	if len(packed) < 6 || packed[0]&15 != 8 || packed[0]>>4 > 7 || packed[1]&32 != 0 ||
		(int(packed[0])<<8|int(packed[1]))%31 != 0 {
		return nil, false
	}
	var room [behind]byte
	f.in = append(append(f.in[:0], packed...), room[:]...)
	f.end, f.at, f.bits, f.have, f.n = len(packed)-4, 2, 0, 0, 0
	if cap(f.out) < size+beyond {
		f.out = make([]byte, size+beyond)
	}
	f.out = f.out[:size+beyond]
	for last := false; !last; {
		last = f.take(1) == 1
		ok := false
		switch f.take(2) {
		case 0:
			ok = f.stored()
		case 1:
			ok = f.tables(fixed[:literals], fixed[literals:]) && f.block()
		case 2:
			n, far := int(257+f.take(5)), int(1+f.take(5))
			ok = f.dynamic(n, far) && f.tables(f.lengths[:n], f.lengths[n:n+far]) && f.block()
		}
		if !ok || f.n > size {
			return nil, false
		}
	}
	out := f.out[:size]
	return out, f.n == size && f.at-int(f.have>>3) == f.end &&
		adler32.Checksum(out) == binary.BigEndian.Uint32(packed[f.end:])
}

// fill makes have 56 bits or more. Behind the end there are zeros.
func (f *inflater) fill() {
	if f.at <= f.end+8 {
		f.bits |= binary.LittleEndian.Uint64(f.in[f.at:]) << (f.have & 63)
		f.at += int(63-f.have) >> 3
		f.have |= 56
	}
}

// take takes up to 16 bits.
func (f *inflater) take(n uint) uint {
	if f.have < n {
		f.fill()
	}
	x := uint(f.bits) & (1<<n - 1)
	f.bits >>= n
	f.have -= min(n, f.have)
	return x
}

// stored copies a block that is not packed.
func (f *inflater) stored() bool {
	f.at -= int(f.have >> 3)
	f.bits, f.have = 0, 0
	if f.at+4 > f.end {
		return false
	}
	n := int(binary.LittleEndian.Uint16(f.in[f.at:]))
	if n != 0xffff^int(binary.LittleEndian.Uint16(f.in[f.at+2:])) || f.at+4+n > f.end ||
		f.n+n > len(f.out) {
		return false
	}
	copy(f.out[f.n:], f.in[f.at+4:][:n])
	f.at += 4 + n
	f.n += n
	return true
}

// tables makes the tables of a block.
func (f *inflater) tables(literal, match []uint8) bool {
	return f.literal.build(literal, literalMeaning, directLiteral) &&
		f.match.build(match, distanceMeaning, directMatch)
}

// order is that of the codes of lengths.
var order = [19]uint8{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

// dynamic reads the lengths of the codes of a block, of so many symbols.
func (f *inflater) dynamic(n, far int) bool {
	if n > 286 || far > distances {
		return false
	}
	clear(f.lengths[:19])
	for _, k := range order[:4+f.take(4)] {
		f.lengths[k] = uint8(f.take(3))
	}
	if !f.literal.build(f.lengths[:19], plainMeaning, directLength) {
		return false
	}
	l := f.lengths[:n+far]
	for k := 0; k < len(l); {
		f.fill()
		e := f.literal[f.bits&(1<<directLength-1)]
		f.take(uint(e & length))
		again, what := uint(1), uint8(e>>16)
		switch {
		case e&kinds != kindByte, what == 16 && k == 0:
			return false
		case what == 16:
			again, what = 3+f.take(2), l[k-1]
		case what == 17:
			again, what = 3+f.take(3), 0
		case what == 18:
			again, what = 11+f.take(7), 0
		}
		if int(again) > len(l)-k {
			return false
		}
		for range again {
			l[k] = what
			k++
		}
	}
	return true
}

// block unpacks a block by its tables.
func (f *inflater) block() bool {
	in, out, literal, match := f.in, f.out, &f.literal, &f.match
	at, n, room, have := f.at, f.n, f.bits, f.have
	for most, end := len(out)-beyond, f.end+8; at <= end && n <= most; {
		room |= binary.LittleEndian.Uint64(in[at:]) << (have & 63)
		at += int(63-have) >> 3
		have |= 56
		e := literal[room&(1<<directLiteral-1)]
		for range 3 {
			if e&kinds == kindSecond {
				e = literal[e>>16+uint32(room>>directLiteral)&(1<<(mostBits-directLiteral)-1)]
			}
			if e&kinds != kindByte {
				break
			}
			room >>= e & length
			have -= uint(e & length)
			out[n] = byte(e >> 16)
			n++
			e = literal[room&(1<<directLiteral-1)]
		}
		if e&kinds == kindByte || e&kinds == kindSecond {
			continue
		}
		room >>= e & length
		have -= uint(e & length)
		if e&kinds == kindOther {
			f.at, f.n, f.bits, f.have = at, n, room, have
			return e&^length == literalMeaning[symbolEnd]
		}
		more := e >> 8 & 15
		run := int(e>>16) + int(uint32(room)&(1<<more-1))
		room >>= more
		have -= uint(more)
		room |= binary.LittleEndian.Uint64(in[at:]) << (have & 63)
		at += int(63-have) >> 3
		have |= 56
		if e = match[room&(1<<directMatch-1)]; e&kinds == kindSecond {
			e = match[e>>16+uint32(room>>directMatch)&(1<<(mostBits-directMatch)-1)]
		}
		room >>= e & length
		more = e >> 8 & 15
		far := int(e>>16) + int(uint32(room)&(1<<more-1))
		room >>= more
		have -= uint(e&length + more)
		if e&kinds != kindRange || far > n {
			return false
		}
		repeat(out, n, far, run)
		n += run
	}
	return false
}

// repeat writes the run bytes from n on that are those far before; they may overlap. It may write a
// few more.
func repeat(out []byte, n, far, run int) {
	end := n + run
	if far >= 8 {
		for ; n < end; n += 8 {
			binary.LittleEndian.PutUint64(out[n:], binary.LittleEndian.Uint64(out[n-far:]))
		}
		return
	}
	for ; n < end; n++ {
		out[n] = out[n-far]
	}
}
