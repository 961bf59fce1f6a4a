package data

import (
	"bytes"
	"image"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"github.com/hansa-fl/hansa/framework/fl"
)

// A pictured is a row of a file of pictures.
type pictured struct {
	Image struct {
		Bytes []byte `parquet:"bytes,optional"`
	} `parquet:"image,optional"`
	Label  *int64    `parquet:"label,optional"`
	Vector []float32 `parquet:"vector,list"`
}

// writePictured writes rows of pictures of a sort, and returns the path.
func writePictured(
	t testing.TB, n int, content func(k int) []byte, by ...parquet.WriterOption,
) string {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[pictured](&b, append(by, parquet.MaxRowsPerRowGroup(100))...)
	for k := range n {
		row := pictured{Label: new(int64(k % 10)), Vector: []float32{float32(k), 1}}
		row.Image.Bytes = content(k)
		if _, err := w.Write([]pictured{row}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "x.parquet")
	if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// FuzzParquet: a damaged file is an error, not a panic, and has no more rows than it says.
func FuzzParquet(f *testing.F) {
	b, err := os.ReadFile(writePictured(f, 5, func(k int) []byte {
		return encoded(f, image.NewGray(image.Rect(0, 0, 3, 2+k)), true)
	}))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add([]byte("PAR1"))
	for at := 4; at < len(b); at += 97 {
		damaged := bytes.Clone(b)
		damaged[at] ^= 0x55
		f.Add(damaged)
	}
	for _, lie := range lies {
		f.Add(lied(f, b, "image", lie.put))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		path := filepath.Join(t.TempDir(), "x.parquet")
		if err := os.WriteFile(path, b, 0o666); err != nil {
			t.Fatal(err)
		}
		p, err := OpenParquet(path)
		if err != nil {
			return
		}
		defer p.Close()
		rows := 0
		visit := func(row int, _ []byte) error {
			if rows++; row != rows-1 || rows > p.Rows {
				t.Fatalf("row %d of %d is the %d-th", row, p.Rows, rows)
			}
			return nil
		}
		if err := p.Bytes("image", visit); err == nil && rows != p.Rows {
			t.Fatalf("%d rows of %d", rows, p.Rows)
		}
		_, _ = p.Texts("label")
		_ = p.Numbers("vector", func(int, []float64) error { return nil })
	})
}

// photograph is a picture with gradients and noise, which packs about as far as photographs do.
func photograph(w, h int, seed uint64) image.Image {
	rng, m := rand.New(rand.NewPCG(seed, 1)), image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			n := rng.IntN(8)
			at := m.PixOffset(x, y)
			m.Pix[at], m.Pix[at+1] = uint8(2*x+y+n), uint8(x+2*y+n)
			m.Pix[at+2], m.Pix[at+3] = uint8(x-y+n), 255
		}
	}
	return m
}

// BenchmarkParquet reads a file of pictures, in megabytes of the file a second: their bytes alone,
// and decoded by all processors that Go uses. ns/row is the time of a picture.
func BenchmarkParquet(b *testing.B) {
	for _, c := range []struct {
		name string
		side int
		png  bool
		n    int
	}{
		{"png28", 28, true, 20_000}, {"png32", 32, true, 20_000}, {"png64", 64, true, 5000},
		{"png224", 224, true, 500}, {"jpeg64", 64, false, 5000},
	} {
		kinds := make([][]byte, 16)
		for k := range kinds {
			var m image.Image = photograph(c.side, c.side, uint64(k))
			if c.side == 28 {
				grey := image.NewGray(m.Bounds())
				for i := range grey.Pix {
					if i/28 > 6 && i/28 < 22 && i%28 > 8 && i%28 < 18 { // about as much as a digit
						grey.Pix[i] = m.(*image.RGBA).Pix[4*i]
					}
				}
				m = grey
			}
			kinds[k] = encoded(b, m, c.png)
		}
		path := writePictured(b, c.n, func(k int) []byte { return kinds[k%len(kinds)] })
		info, _ := os.Stat(path)
		to := fl.Image{C: 3, H: c.side, W: c.side}
		rows := make([]uint8, c.n*to.Len())
		for _, decode := range []bool{false, true} {
			b.Run(c.name+map[bool]string{false: "/bytes", true: "/decoded"}[decode], func(b *testing.B) {
				b.SetBytes(info.Size())
				start := time.Now()
				for b.Loop() {
					readPictured(b, path, to, rows, decode)
				}
				b.ReportMetric(float64(time.Since(start).Nanoseconds())/float64(b.N*c.n), "ns/row")
			})
		}
	}
}

func readPictured(b *testing.B, path string, to fl.Image, rows []uint8, decode bool) {
	p, err := OpenParquet(path)
	if err != nil {
		b.Fatal(err)
	}
	defer p.Close()
	q := NewPictureQueue(to)
	err = p.Bytes("image", func(row int, content []byte) error {
		if !decode {
			return nil
		}
		lo := row * to.Len()
		return q.Add(rows[lo:lo+to.Len()], content, func() string { return path })
	})
	if err == nil {
		err = q.Flush()
	}
	if err != nil {
		b.Fatal(err)
	}
}
