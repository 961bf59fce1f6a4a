package data

import (
	"bytes"
	"fmt"
	"image"
	"image/color/palette"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"golang.org/x/image/draw"

	"github.com/hansa-fl/hansa/framework/fl"
)

// noise are pictures of one size, of every sort, of random pixels.
func noise(w, h int) []image.Image {
	rng, at := rand.New(rand.NewPCG(1, 2)), image.Rect(2, 3, 2+w, 3+h)
	fill := func(b []byte) {
		for k := range b {
			b[k] = byte(rng.Uint32())
		}
	}
	grey, opaque, clear := image.NewGray(at), image.NewRGBA(at), image.NewNRGBA(at)
	fill(grey.Pix)
	fill(opaque.Pix)
	for k := 3; k < len(opaque.Pix); k += 4 {
		opaque.Pix[k] = 255
	}
	fill(clear.Pix)
	indexed, video := image.NewPaletted(at, palette.Plan9), image.NewYCbCr(at, image.YCbCrSubsampleRatio420)
	fill(indexed.Pix)
	for _, plane := range [][]byte{video.Y, video.Cb, video.Cr} {
		fill(plane)
	}
	return []image.Image{grey, opaque, clear, indexed, video}
}

// Pictures of the right size have the pixels that the kernel gives them.
func TestPlainPictures(t *testing.T) {
	to := fl.Image{C: 3, H: 6, W: 8}
	for _, m := range noise(8, 6) {
		got := make([]uint8, to.Len())
		NewScaler(to).Scale(got, m)
		slow := image.NewRGBA(image.Rect(0, 0, 8, 6))
		draw.BiLinear.NewScaler(8, 6, 8, 6).Scale(slow, slow.Rect, m, m.Bounds(), draw.Src, nil)
		for k := range 48 {
			want := [3]uint8(slow.Pix[4*k : 4*k+3])
			if have := [3]uint8{got[k], got[48+k], got[96+k]}; have != want {
				t.Fatalf("%T: pixel %d is %v, want %v", m, k, have, want)
			}
		}
	}
}

// encoded returns a picture as PNG, or else as JPEG.
func encoded(t testing.TB, m image.Image, asPNG bool) []byte {
	t.Helper()
	var b bytes.Buffer
	err := png.Encode(&b, m)
	if !asPNG {
		b.Reset()
		err = jpeg.Encode(&b, m, &jpeg.Options{Quality: 100})
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A queue decodes every picture into its row, whatever the number of goroutines, and names the
// first that is damaged.
func TestPictureQueue(t *testing.T) {
	to := fl.Image{C: 3, H: 6, W: 8}
	q, n := NewPictureQueue(to), 100
	rows, want := make([]uint8, n*to.Len()), make([]uint8, n*to.Len())
	for k := range n {
		grey := image.NewGray(image.Rect(0, 0, 8, 6))
		for i := range grey.Pix {
			grey.Pix[i] = byte(k)
		}
		content, lo := encoded(t, grey, true), k*to.Len()
		for i := range to.Len() {
			want[lo+i] = byte(k)
		}
		if err := q.Add(rows[lo:lo+to.Len()], content, func() string { return fmt.Sprint("no. ", k) }); err != nil {
			t.Fatal(err)
		}
		copy(content, "overwritten")
	}
	if err := q.Flush(); err != nil || !slices.Equal(rows, want) {
		t.Errorf("error %v, or rows are wrong", err)
	}
	for k := range 9 {
		b := encoded(t, image.NewGray(image.Rect(0, 0, 8, 6)), true)
		if k > 3 {
			b = b[:len(b)-20]
		}
		lo := k * to.Len() // workers fill rows at the same time
		if err := q.Add(rows[lo:lo+to.Len()], b, func() string { return fmt.Sprint("no. ", k) }); err != nil {
			t.Fatal(err)
		}
	}
	if err := q.Flush(); err == nil || !strings.HasPrefix(err.Error(), "no. 4: ") {
		t.Errorf("error %v, want one of number 4", err)
	}
}
