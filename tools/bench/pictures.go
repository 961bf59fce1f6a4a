package main

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/parquet-go/parquet-go"

	"github.com/hansa-fl/hansa/framework/data"
	"github.com/hansa-fl/hansa/framework/fl"
)

// pictureSide and pictureCount are of the pictures of the benchmark.
const pictureSide, pictureCount = 32, 1000

// A pictured is a row of a file of pictures.
type pictured struct {
	Image struct {
		Bytes []byte `parquet:"bytes"`
	} `parquet:"image"`
}

// picturesInParquet lists what it takes to read a file of PNG pictures, and to decode the same ones
// by Go's image/png alone, so that what the reader adds to the decoder is visible.
func picturesInParquet() [][]benchmark {
	all := [][]benchmark{{
		{"dataset/parquet-png", "images/s", readsParquet},
		{"dataset/parquet-png/image-png", "images/s", decodesPNG},
	}}
	path := os.Getenv(parquetVariable)
	if path == "" {
		return all
	}
	return append(all, []benchmark{
		{"dataset/file/columns", "MB/s", func() (task, error) { return loads(path, nil) }},
	}, []benchmark{
		{"dataset/file/pictures", "MB/s", func() (task, error) {
			to := fl.Image{C: 3}
			if _, err := fmt.Sscan(os.Getenv(sizeVariable), &to.H); err != nil {
				return task{}, fmt.Errorf("%s: %w", sizeVariable, err)
			}
			to.W = to.H
			return loads(path, &to)
		}},
	})
}

// parquetVariable names a file with columns image and label that tools/bench/beside/loading.py has
// made, and sizeVariable the height and width of its pictures.
const parquetVariable, sizeVariable = "BENCH_PARQUET", "BENCH_SIZE"

// loads reads labels and pictures of a file, and decodes these to a shape where one is named. It is
// worth the megabytes that pictures have in it.
func loads(path string, to *fl.Image) (task, error) {
	var pixels []uint8
	bytes := 0
	read := func() error {
		p, err := data.OpenParquet(path)
		if err != nil {
			return err
		}
		defer p.Close()
		if _, err := p.Texts("label"); err != nil {
			return err
		}
		if bytes = 0; to == nil {
			return p.Bytes("image", func(_ int, content []byte) error {
				bytes += len(content)
				return nil
			})
		}
		if pixels == nil {
			pixels = make([]uint8, p.Rows*to.Len())
		}
		q := data.NewPictureQueue(*to)
		err = p.Bytes("image", func(row int, content []byte) error {
			bytes += len(content)
			return q.Add(pixels[row*to.Len():][:to.Len()], content, func() string { return path })
		})
		if err != nil {
			return err
		}
		return q.Flush()
	}
	err := read()
	return task{do: repeated(read), worth: float64(bytes) / 1e6}, err
}

// drawnPNGs returns pictures in red, green and blue: gradients with noise, which pack about as far
// as photographs do.
func drawnPNGs() (all [][]byte, err error) {
	rng := rand.New(rand.NewPCG(7, 1))
	for range pictureCount {
		m := image.NewRGBA(image.Rect(0, 0, pictureSide, pictureSide))
		for i := range pictureSide * pictureSide {
			x, y, n := i%pictureSide, i/pictureSide, rng.IntN(8)
			copy(m.Pix[4*i:], []uint8{uint8(2*x + y + n), uint8(x + 2*y + n), uint8(x - y + n),
				255})
		}
		var b bytes.Buffer
		if err := png.Encode(&b, m); err != nil {
			return nil, err
		}
		all = append(all, b.Bytes())
	}
	return all, nil
}

// readsParquet reads all pictures of a file, to their pixels.
func readsParquet() (task, error) {
	all, err := drawnPNGs()
	if err != nil {
		return task{}, err
	}
	folder, err := os.MkdirTemp("", "bench")
	if err != nil {
		return task{}, err
	}
	path := filepath.Join(folder, "x.parquet")
	rows := make([]pictured, len(all))
	for k, b := range all {
		rows[k].Image.Bytes = b
	}
	if err := parquet.WriteFile(path, rows); err != nil {
		return task{}, err
	}
	to := fl.Image{C: 3, H: pictureSide, W: pictureSide}
	pixels := make([]uint8, len(all)*to.Len())
	read := func() error {
		p, err := data.OpenParquet(path)
		if err != nil {
			return err
		}
		defer p.Close()
		q := data.NewPictureQueue(to)
		err = p.Bytes("image", func(row int, content []byte) error {
			lo := row * to.Len()
			return q.Add(pixels[lo:lo+to.Len()], content, func() string { return path })
		})
		if err != nil {
			return err
		}
		return q.Flush()
	}
	return task{do: repeated(read), worth: pictureCount,
		done: func() { _ = os.RemoveAll(folder) }}, nil // it is temporary
}

// decodesPNG decodes the same pictures, and does nothing with them.
func decodesPNG() (task, error) {
	all, err := drawnPNGs()
	return task{worth: pictureCount, do: repeated(func() error {
		for _, b := range all {
			if _, err := png.Decode(bytes.NewReader(b)); err != nil {
				return err
			}
		}
		return nil
	})}, err
}

// repeated returns a piece of work that is done n times.
func repeated(once func() error) func(n int) error {
	return func(n int) error {
		for range n {
			if err := once(); err != nil {
				return err
			}
		}
		return nil
	}
}
