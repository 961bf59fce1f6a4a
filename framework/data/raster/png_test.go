package raster

import (
	"bytes"
	"compress/flate"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/png"
	"io"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// contents are what n bytes may be like: noise, smooth, flat, and with few of many values, so that
// their codes have up to 15 bits.
var contents = map[string]func(rng *rand.Rand, b []byte){
	"noise": func(rng *rand.Rand, b []byte) {
		for k := range b {
			b[k] = byte(rng.Uint32())
		}
	},
	"smooth": func(rng *rand.Rand, b []byte) {
		for k := range b {
			b[k] = byte(k/3 + k%3*50 + rng.IntN(4))
		}
	},
	"flat": func(_ *rand.Rand, b []byte) {
		for k := range b {
			b[k] = 7
		}
	},
	"rare": func(rng *rand.Rand, b []byte) {
		for k := range b {
			for b[k] = 0; b[k] < 25 && rng.IntN(21) < 13; b[k]++ {
			}
			b[k] *= 9
		}
	},
	"periods": func(rng *rand.Rand, b []byte) {
		for k := range b {
			if b[k] = byte(rng.Uint32()); k > 300 && k%1000 > 20 {
				b[k] = b[k-1-k/1000%40]
			}
		}
	},
}

// chunkOf returns a chunk of a file.
func chunkOf(kind string, content []byte) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(content)))
	b = append(append(b, kind...), content...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[4:]))
}

// packedBy returns what zlib makes of bytes.
func packedBy(t testing.TB, b []byte, level int) []byte {
	t.Helper()
	var to bytes.Buffer
	w, err := zlib.NewWriterLevel(&to, level)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = w.Write(b); err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return to.Bytes()
}

// file returns a PNG file of so many channels, of what is packed, in chunks of so many bytes.
func file(w, h, channels int, packed []byte, part int) []byte {
	head := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, uint32(w)), uint32(h))
	head = append(head, 8, []byte{0, 0, 0, 2, 6}[channels], 0, 0, 0)
	b := append([]byte(signature), chunkOf("IHDR", head)...)
	b = append(b, chunkOf("pHYs", make([]byte, 9))...)
	for k := 0; k < len(packed); k += part {
		b = append(b, chunkOf("IDAT", packed[k:min(k+part, len(packed))])...)
	}
	return append(b, chunkOf("IEND", nil)...)
}

var levels = []int{
	flate.NoCompression, flate.BestSpeed, flate.DefaultCompression, flate.BestCompression,
	flate.HuffmanOnly,
}

// agree reports an error unless a file is decoded as by image/png.
func agree(t *testing.T, d *Decoder, name string, b []byte) {
	t.Helper()
	want, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	p, ok := d.PNG(b)
	if !ok {
		t.Fatalf("%s: is not usual", name)
	}
	if got := p.Image(); !reflect.DeepEqual(got, want) {
		t.Fatalf("%s: other pixels than those of image/png", name)
	}
}

// Files of every filter, content and way to pack them have the pixels that image/png finds.
func TestUsualPictures(t *testing.T) {
	rng, d := rand.New(rand.NewPCG(1, 9)), new(Decoder)
	for name, content := range contents {
		for _, channels := range []int{1, 3, 4} {
			for _, size := range [][2]int{{1, 1}, {2, 9}, {32, 32}, {97, 61}} {
				for _, level := range levels {
					w, h := size[0], size[1]
					raw := make([]byte, h*(1+w*channels))
					content(rng, raw)
					for y := range h {
						raw[y*(1+w*channels)] = byte(rng.IntN(5))
					}
					b := file(w, h, channels, packedBy(t, raw, level), 1+rng.IntN(len(raw)))
					agree(t, d, fmt.Sprint(name, channels, size, level), b)
				}
			}
		}
	}
}

// What image/png writes is read, too, in the usual sorts.
func TestPicturesByGo(t *testing.T) {
	rng, d := rand.New(rand.NewPCG(1, 8)), new(Decoder)
	at := image.Rect(0, 0, 28, 28)
	grey, colour, clear := image.NewGray(at), image.NewRGBA(at), image.NewNRGBA(at)
	for name, content := range contents {
		content(rng, grey.Pix)
		content(rng, colour.Pix)
		content(rng, clear.Pix)
		for k := 3; k < len(colour.Pix); k += 4 {
			colour.Pix[k], clear.Pix[k] = 255, uint8(k/4%256)
		}
		for _, m := range []image.Image{grey, colour, clear} {
			for level := png.BestCompression; level <= png.DefaultCompression; level++ {
				var b bytes.Buffer
				if err := (&png.Encoder{CompressionLevel: level}).Encode(&b, m); err != nil {
					t.Fatal(err)
				}
				agree(t, d, name, b.Bytes())
			}
		}
	}
}

// What is not usual is left to image/png: palettes, sixteen bits, interlaced ones, a transparent
// colour, chunks that no reader may skip, and others in a wrong order.
func TestUnusualPictures(t *testing.T) {
	raw := make([]byte, 4*(1+4*3))
	packed := packedBy(t, raw, 6)
	usual := file(4, 4, 3, packed, 99)
	if _, ok := new(Decoder).PNG(usual); !ok {
		t.Fatal("the usual one is not")
	}
	head, end := usual[8:33], chunkOf("IEND", nil)
	idat := chunkOf("IDAT", packed)
	with := func(place int, to byte) []byte {
		content := bytes.Clone(head[8:21])
		content[place] = to
		return chunkOf("IHDR", content)
	}
	for name, chunks := range map[string][][]byte{
		"palette":      {with(9, 3), chunkOf("PLTE", make([]byte, 6)), idat, end},
		"another type": {with(9, 7), idat, end},
		"16 bits":      {with(8, 16), idat, end},
		"interlaced":   {with(12, 1), idat, end},
		"method":       {with(10, 1), idat, end},
		"other width":  {with(3, 5), idat, end},
		"other height": {with(7, 3), idat, end},
		"huge":         {with(0, 255), idat, end},
		"none":         {with(3, 0), idat, end},
		"transparent":  {head, chunkOf("tRNS", make([]byte, 6)), idat, end},
		"critical":     {head, chunkOf("ABCD", nil), idat, end},
		"no header":    {idat, end},
		"two headers":  {head, head, idat, end},
		"in between":   {head, idat, chunkOf("tEXt", nil), idat, end},
		"no pixels":    {head, end},
		"no end":       {head, idat},
		"a full end":   {head, idat, chunkOf("IEND", []byte{1})},
		"filter":       {head, chunkOf("IDAT", packedBy(t, slices.Repeat([]byte{5}, len(raw)), 6)), end},
		"more":         {head, chunkOf("IDAT", append(slices.Clone(packed), 0)), end},
	} {
		if _, ok := new(Decoder).PNG(append([]byte(signature), bytes.Join(chunks, nil)...)); ok {
			t.Errorf("%s: taken as usual", name)
		}
	}
	for n := range usual {
		if _, ok := new(Decoder).PNG(usual[:n]); ok {
			t.Errorf("taken as whole with %d of %d bytes", n, len(usual))
		}
	}
}

// judged reports an error if what is packed is unpacked otherwise than by compress/zlib.
func judged(t *testing.T, f *inflater, packed []byte, size int) (taken bool) {
	t.Helper()
	got, ok := f.unpack(packed, size)
	if !ok {
		return false
	}
	r, err := zlib.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	if want, err := io.ReadAll(r); err != nil || !bytes.Equal(got, want) {
		t.Fatalf("%x is taken, and compress/zlib has error %v", packed, err)
	}
	return true
}

// Whatever is changed in what is packed, it is unpacked as by compress/zlib or not at all.
func TestDamaged(t *testing.T) {
	rng, f, taken := rand.New(rand.NewPCG(1, 7)), new(inflater), 0
	for _, content := range contents {
		for _, level := range levels {
			raw := make([]byte, 700)
			content(rng, raw)
			packed := packedBy(t, raw, level)
			if !judged(t, f, packed, len(raw)) || judged(t, f, packed, len(raw)-1) ||
				judged(t, f, packed, len(raw)+1) {
				t.Fatal("what is whole is not taken, or as of another size")
			}
			for range 400 {
				bad := bytes.Clone(packed)
				for range 1 + rng.IntN(3) {
					bad[rng.IntN(len(bad))] ^= 1 << rng.IntN(8)
				}
				// The sum is that of what is unpacked, so that it is not always what tells.
				n := 0
				if out, err := io.ReadAll(flate.NewReader(bytes.NewReader(bad[2:]))); err == nil {
					n = len(out)
					sum := packedBy(t, out, flate.NoCompression)
					copy(bad[len(bad)-4:], sum[len(sum)-4:])
				}
				if judged(t, f, bad, n) {
					taken++
				}
			}
		}
	}
	if taken < 1000 {
		t.Errorf("%d of what was changed could be unpacked: too few to tell", taken)
	}
}

// FuzzInflate is TestDamaged by what Go's fuzzing finds.
func FuzzInflate(f *testing.F) {
	for _, level := range levels {
		f.Add(packedBy(f, bytes.Repeat([]byte("abcabcdef"), 30), level), uint16(270))
	}
	f.Fuzz(func(t *testing.T, packed []byte, size uint16) {
		judged(t, new(inflater), packed, int(size))
	})
}

// A decoder that has seen one picture makes no room for the next one.
func TestDecoderKeepsItsMemory(t *testing.T) {
	d, raw := new(Decoder), make([]byte, 32*97)
	b := file(32, 32, 3, packedBy(t, raw, 6), 20)
	if n := testing.AllocsPerRun(10, func() { d.PNG(b) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
