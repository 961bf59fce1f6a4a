package raster

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
)

// A Picture has the pixels of a file, a row after another, from left to right: one byte each of
// brightness, or of red, green and blue, or of these and of how opaque they are, by which they are
// not multiplied.
type Picture struct {
	Width, Height, Channels int
	Pix                     []byte
}

// A Decoder decodes pictures, one after another, in the same memory.
type Decoder struct {
	inflater
	joined []byte // what is packed, of a file that has it in several chunks
	blank  []byte // the row above the first one
}

const signature = "\x89PNG\r\n\x1a\n"

// mostPixels is how many there are of a usual picture.
const mostPixels = 1 << 24

// PNG decodes a picture, which is there until the next call. It reports false for what is not
// usual.
func (d *Decoder) PNG(b []byte) (p Picture, ok bool) {
	if !bytes.HasPrefix(b, []byte(signature)) {
		return p, false
	}
	d.joined = d.joined[:0]
	var packed, before []byte
	for b = b[len(signature):]; ; {
		name, content, rest, ok := chunk(b)
		kind := string(name)
		if !ok || (before == nil) != (kind == "IHDR") {
			return p, false
		}
		switch {
		case kind == "IHDR":
			if p, ok = header(content); !ok {
				return p, false
			}
		case kind == "IDAT" && packed == nil:
			packed = content
		case kind == "IDAT" && string(before) == kind:
			packed = d.join(packed, content)
		case kind == "IEND" && len(content) == 0:
			return d.pixels(p, packed)
		case kind == "tRNS", kind[0]&32 == 0: // or out of order, or one that no reader may skip
			return p, false
		}
		before, b = name, rest
	}
}

// chunk returns the first chunk of a file, if it is whole, and what follows it.
func chunk(b []byte) (kind, content, rest []byte, ok bool) {
	if len(b) < 12 {
		return nil, nil, nil, false
	}
	n := int64(binary.BigEndian.Uint32(b))
	if n > int64(len(b)-12) {
		return nil, nil, nil, false
	}
	content, rest = b[8:8+n], b[8+n:]
	sum := crc32.ChecksumIEEE(b[4 : 8+n])
	return b[4:8], content, rest[4:], sum == binary.BigEndian.Uint32(rest)
}

// join puts the content of chunks together.
func (d *Decoder) join(packed, content []byte) []byte {
	if len(d.joined) == 0 {
		d.joined = append(d.joined, packed...)
	}
	d.joined = append(d.joined, content...)
	return d.joined
}

// header reads what a picture is like.
func header(b []byte) (p Picture, ok bool) {
	if len(b) != 13 || string(b[10:]) != "\x00\x00\x00" || b[8] != 8 {
		return p, false
	}
	switch b[9] {
	case 0:
		p.Channels = 1
	case 2:
		p.Channels = 3
	case 6:
		p.Channels = 4
	default:
		return p, false
	}
	w, h := uint64(binary.BigEndian.Uint32(b)), uint64(binary.BigEndian.Uint32(b[4:]))
	p.Width, p.Height = int(w), int(h)
	return p, w > 0 && h > 0 && w*h <= mostPixels
}

// pixels unpacks pixels.
func (d *Decoder) pixels(p Picture, packed []byte) (Picture, bool) {
	stride := p.Width * p.Channels
	raw, ok := d.unpack(packed, (1+stride)*p.Height)
	if !ok {
		return p, false
	}
	if len(d.blank) < stride {
		d.blank = make([]byte, stride)
	}
	above := d.blank[:stride]
	for y := range p.Height {
		row := raw[y*(1+stride):][:1+stride]
		if !unfilter(row[0], row[1:], above, p.Channels) {
			return p, false
		}
		above = raw[y*stride:][:stride]
		copy(above, row[1:]) // over the bytes that say how rows are filtered
	}
	p.Pix = raw[:stride*p.Height]
	return p, true
}

// Image returns a picture as image/png does, until the next one is decoded.
func (p Picture) Image() image.Image {
	at := image.Rect(0, 0, p.Width, p.Height)
	switch p.Channels {
	case 1:
		return &image.Gray{Pix: p.Pix, Stride: p.Width, Rect: at}
	case 4:
		return &image.NRGBA{Pix: p.Pix, Stride: 4 * p.Width, Rect: at}
	}
	m := image.NewRGBA(at)
	for to, from := m.Pix, p.Pix; len(to) >= 4 && len(from) >= 3; to, from = to[4:], from[3:] {
		to[0], to[1], to[2], to[3] = from[0], from[1], from[2], 255
	}
	return m
}
