package data

import (
	"image"
	"image/color"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

// TestScale: the mean of what becomes smaller stays what it is, a picture of the right size
// stays as it is, and channels come one after another.
func TestScale(t *testing.T) {
	halves := image.NewRGBA(image.Rect(3, 5, 3+64, 5+64)) // black above, orange below
	for y := range 64 {
		for x := range 64 {
			c := color.RGBA{0, 0, 0, 255}
			if y >= 32 {
				c = color.RGBA{255, 128, 0, 255}
			}
			halves.Set(3+x, 5+y, c)
		}
	}
	small := make([]uint8, 3*4*4)
	s := NewScaler(fl.Image{C: 3, H: 4, W: 4})
	s.Scale(small, halves)
	for channel, want := range []float64{127.5, 64, 0} {
		mean := sumOf(small[16*channel:16*channel+16]) / 16
		if math.Abs(mean-want) > 1 || small[16*channel] != 0 {
			t.Errorf("channel %d: mean %v, want %v; first %v", channel, mean, want, small[16*channel])
		}
	}
	if small[15] != 255 || small[31] != 128 || small[47] != 0 {
		t.Errorf("the last pixel is %v, %v, %v", small[15], small[31], small[47])
	}

	grey := image.NewGray(image.Rect(0, 0, 4, 4))
	for k := range grey.Pix {
		grey.Pix[k] = uint8(16 * k)
	}
	same := make([]uint8, 16)
	NewScaler(fl.Image{C: 1, H: 4, W: 4}).Scale(same, grey)
	for k, v := range same {
		if v != uint8(16*k) {
			t.Errorf("pixel %d is %v, want %v", k, v, 16*k)
		}
	}
	s.Scale(small, grey) // after a picture of another size
	if !slices.Equal(small[:16], same) || !slices.Equal(small[32:], same) {
		t.Errorf("grey in three channels: %v", small)
	}
	s.Scale(small, image.NewNRGBA(image.Rect(0, 0, 2, 2)))
	if sumOf(small) != 0 {
		t.Error("what is transparent is not black")
	}
}

// TestLuma: every grey is itself, and brightness is that of JFIF up to rounding.
func TestLuma(t *testing.T) {
	for v := range 256 {
		if got := luma(uint8(v), uint8(v), uint8(v)); got != uint8(v) {
			t.Errorf("grey %d has brightness %d", v, got)
		}
		r, g, b := uint8(v), uint8(3*v), uint8(200-v)
		want := 0.299*float64(r) + 0.587*float64(g) + 0.114*float64(b)
		if got := luma(r, g, b); math.Abs(float64(got)-want) > 0.51 {
			t.Errorf("%d %d %d has brightness %d, want %v", r, g, b, got, want)
		}
	}
}

func TestPictures(t *testing.T) {
	root := t.TempDir()
	for _, path := range strings.Fields("b/2.png b/10.JPG b/1.jpeg a/x.png c/y.jpg notes.txt .git/z b/.z") {
		write(t, filepath.Join(root, path), "")
	}
	classes, list, err := Pictures(root)
	var got []string
	for _, p := range list {
		path, err := filepath.Rel(root, p.Path)
		if err != nil || classes[p.Class] != filepath.Dir(path) {
			t.Errorf("%s is of class %s, %v", p.Path, classes[p.Class], err)
		}
		got = append(got, filepath.ToSlash(path))
	}
	const want = "a/x.png b/1.jpeg c/y.jpg b/10.JPG b/2.png"
	if s := strings.Join(got, " "); err != nil || s != want || !slices.Equal(classes, []string{"a", "b", "c"}) {
		t.Errorf("%s, classes %v, %v; want %s", s, classes, err, want)
	}
	if err := os.Mkdir(filepath.Join(root, "d"), 0o777); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Pictures(root); err == nil || !strings.HasSuffix(err.Error(), "the class has no pictures") {
		t.Errorf("an empty class: %v", err)
	}
	if _, _, err := Pictures(filepath.Join(root, "none")); !os.IsNotExist(err) {
		t.Errorf("no folder: %v", err)
	}
}

// TestReadPictureRefuses: a header alone decides how much memory is asked for.
func TestReadPictureRefuses(t *testing.T) {
	const huge = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x01\x00\x00\x00\x01\x00\x00\x08\x02" +
		"\x00\x00\x00\xe3\xe6\xa7\xb4"
	for want, content := range map[string]string{
		"neither PNG nor JPEG: begins with 0x474946383961": "GIF89a",
		"unexpected EOF":                  "\xff\xd8\xff",
		"a picture of 65536×65536 pixels": huge,
	} {
		path := file(t, "x.png", []byte(content))
		if _, err := ReadPicture(path); err == nil || err.Error() != path+": "+want {
			t.Errorf("error %v, want %q after the name of the file", err, want)
		}
	}
	if _, err := ReadPicture(filepath.Join(t.TempDir(), "absent")); !os.IsNotExist(err) {
		t.Errorf("absent file: error %v", err)
	}
}

// sumOf adds up bytes.
func sumOf(b []uint8) (sum float64) {
	for _, v := range b {
		sum += float64(v)
	}
	return sum
}
