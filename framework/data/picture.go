package data

import (
	"bufio"
	"fmt"
	"image"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/image/draw"

	"github.com/hansa-fl/hansa/framework/data/raster"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/host"
)

// mostPixels is how many pixels a picture may have: a larger one is a damaged header.
const mostPixels = 1 << 28

// A Scaler brings pictures to one shape, with the bilinear kernel: what is made smaller is
// averaged over the area, what is made larger is interpolated. It keeps no aspect ratio.
type Scaler struct {
	image   fl.Image    // 1 channel is luma, 3 are red, green and blue
	canvas  *image.RGBA // H×W, scratch
	from    image.Point // size of the last picture
	kernel  draw.Scaler // from that size
	decoder raster.Decoder
}

// NewScaler returns a scaler to a shape of 1 or 3 channels.
func NewScaler(to fl.Image) *Scaler {
	return &Scaler{image: to, canvas: image.NewRGBA(image.Rect(0, 0, to.W, to.H))}
}

// decode decodes the content of a PNG or JPEG file and scales it.
func (s *Scaler) decode(row []uint8, content []byte) error {
	if p, ok := s.decoder.PNG(content); ok {
		if p.Channels == 3 && p.Width == s.image.W && p.Height == s.image.H {
			s.planes(row, p.Pix, 3)
		} else {
			s.Scale(row, p.Image())
		}
		return nil
	}
	picture, err := DecodePicture(content)
	if err == nil {
		s.Scale(row, picture)
	}
	return err
}

// Scale writes a picture to row, which holds the channels one after another. What is transparent
// is black.
func (s *Scaler) Scale(row []uint8, picture image.Image) {
	if s.plain(row, picture) {
		return
	}
	if from := picture.Bounds().Size(); from != s.from {
		s.from, s.kernel = from, draw.BiLinear.NewScaler(s.image.W, s.image.H, from.X, from.Y)
	}
	s.kernel.Scale(s.canvas, s.canvas.Rect, picture, picture.Bounds(), draw.Src, nil)
	s.planes(row, s.canvas.Pix, 4)
}

// plain writes a picture of the shape of rows, which needs no scaling: the kernel would give each
// pixel itself, slowly. It reports whether the picture is of that shape and one of the usual sorts.
func (s *Scaler) plain(row []uint8, picture image.Image) bool {
	w, h, bounds := s.image.W, s.image.H, picture.Bounds()
	if bounds.Dx() != w || bounds.Dy() != h {
		return false
	}
	switch p := picture.(type) {
	case *image.Gray:
		for y := range h {
			copy(row[y*w:(y+1)*w], p.Pix[y*p.Stride:])
		}
		for c := 1; c < s.image.C; c++ {
			copy(row[c*h*w:(c+1)*h*w], row)
		}
		return true
	case *image.RGBA, *image.YCbCr, *image.NRGBA, *image.Paletted:
		draw.Draw(s.canvas, s.canvas.Rect, picture, bounds.Min, draw.Src)
		s.planes(row, s.canvas.Pix, 4)
		return true
	}
	return false
}

// planes writes the channels of pixels whose red, green and blue are the first of every step bytes.
func (s *Scaler) planes(row, pix []uint8, step int) {
	size := s.image.H * s.image.W
	if s.image.C == 1 {
		for k := range row[:size] {
			c := pix[step*k:][:3]
			row[k] = luma(c[0], c[1], c[2])
		}
		return
	}
	red, green, blue := row[:size], row[size:][:size], row[2*size:][:size]
	for k := range red {
		c := pix[step*k:][:3]
		red[k], green[k], blue[k] = c[0], c[1], c[2]
	}
}

// luma is the brightness Y of JFIF; that of a grey colour is its value.
func luma(r, g, b uint8) uint8 {
	return uint8((19595*uint32(r) + 38470*uint32(g) + 7471*uint32(b) + 1<<15) >> 16)
}

// A Picture is a file in the folder of its class.
type Picture struct {
	Path  string
	Class int // number of the class in the order of names
}

// Pictures lists a folder with one sub-folder per class, which holds its PNG and JPEG files.
// Classes are in the order of their names. Pictures of the classes alternate, the first ones of all
// classes by name, then the second ones, and so on: so the first n have all classes. Files beside
// the sub-folders and names that begin with a dot are passed over.
func Pictures(folder string) (classes []string, pictures []Picture, err error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, nil, err
	}
	var files [][]string
	for _, e := range entries {
		path := filepath.Join(folder, e.Name())
		if info, err := os.Stat(path); err != nil || !info.IsDir() || e.Name()[0] == '.' {
			continue
		}
		of, err := picturesIn(path)
		if err != nil {
			return nil, nil, err
		}
		classes, files = append(classes, e.Name()), append(files, of)
	}
	if len(classes) == 0 {
		return nil, nil, fmt.Errorf("%s: there are no sub-folders, one per class", folder)
	}
	return classes, inTurns(files), nil
}

// picturesIn lists the pictures of one class, by name.
func picturesIn(folder string) ([]string, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, e := range entries {
		if e.Name()[0] == '.' {
			continue
		}
		path := filepath.Join(folder, e.Name())
		ending := strings.ToLower(filepath.Ext(path))
		if !slices.Contains([]string{".png", ".jpg", ".jpeg"}, ending) {
			return nil, fmt.Errorf("%s: not a .png, .jpg or .jpeg", path)
		}
		paths = append(paths, path)
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("%s: the class has no pictures", folder)
	}
	return paths, nil
}

// ReadPicture reads a PNG or JPEG file, whatever its name ends in.
func ReadPicture(path string) (image.Image, error) {
	f, err := host.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	magic := make([]byte, 8)
	n, _ := io.ReadFull(f, magic) // an error shows again when the picture is decoded
	picture, err := decodePicture(magic[:n], func() (io.Reader, error) {
		_, err := f.Seek(0, io.SeekStart)
		return bufio.NewReader(f), err
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return picture, nil
}
