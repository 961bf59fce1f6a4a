package dataset

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"maps"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

// with returns parameters with some more.
func with(given map[string]any, more map[string]any) map[string]any {
	all := maps.Clone(given)
	maps.Copy(all, more)
	return all
}

// take loads data from a folder.
func take(t *testing.T, e fl.SourceEntry, given map[string]any, folder string) (train, test *fl.Dataset) {
	t.Helper()
	s := build(t, e, given, 1)
	train, test, err := s.Load(&fl.LoadInput{Clients: 1, Folders: []string{"absent", folder},
		RNG: rand.New(rand.NewPCG(1, 2))})
	if err != nil {
		t.Fatal(err)
	}
	if !train.Shape.Equal(s.Shape()) || s.Shape().Tested != (test != nil) {
		t.Errorf("shape %+v, declared %+v", train.Shape, s.Shape())
	}
	return train, test
}

// pinning loads with a wrong checksum, then with the one that the error gives.
func pinning(t *testing.T, e fl.SourceEntry, given map[string]any, folder string) {
	t.Helper()
	err := refuse(t, e, with(given, map[string]any{"sha256": "00"}), folder)
	said := regexp.MustCompile("SHA-256 ([0-9a-f]{64}), want 00").FindStringSubmatch(err.Error())
	if said == nil {
		t.Fatalf("error %v, want one that gives the sum", err)
	}
	take(t, e, with(given, map[string]any{"sha256": said[1]}), folder)
}

// IDX files have the images that were written.
//
//hansa:verifies theorem dataset/idx
func TestIDX(t *testing.T) {
	folder := t.TempDir()
	put(t, idxFile([]byte{0, 51, 102, 153, 204, 255, 1, 2, 3, 4, 5, 6}, 2, 3, 2), folder, "x")
	put(t, idxFile([]byte{4, 0}, 2), folder, "y")
	floats := []byte{0, 0, 13, 2, 0, 0, 0, 2, 0, 0, 0, 6}
	for k := range 12 {
		floats = binary.BigEndian.AppendUint32(floats, math.Float32bits(float32(k)-0.5))
	}
	put(t, floats, folder, "f")
	list := func(n ...int64) (dims []any) {
		for _, v := range n {
			dims = append(dims, v)
		}
		return dims
	}
	given := map[string]any{"train_images": "x", "train_labels": "y", "classes": int64(5)}
	for _, c := range []struct {
		dims  []any
		image fl.Image
	}{
		{list(6), fl.Image{}}, {list(3, 2), fl.Image{C: 1, H: 3, W: 2}},
		{list(3, 1, 2), fl.Image{C: 3, H: 1, W: 2}},
	} {
		train, test := take(t, IDX, with(given, map[string]any{"dims": c.dims}), folder)
		if test != nil || train.Shape.Image != c.image || train.Shape.Features != 6 ||
			!slices.Equal(train.X.Row(0), []float64{0, 0.2, 0.4, 0.6, 0.8, 1}) ||
			!slices.Equal(train.Y, []int{4, 0}) {
			t.Errorf("%v: %+v", c.dims, train)
		}
	}
	given = with(given, map[string]any{"dims": list(6), "train_images": "f", "train": int64(1),
		"test_images": "f", "test_labels": "y"})
	train, test := take(t, IDX, given, folder)
	if train.Len() != 1 || test.Len() != 2 || train.X.Data[0] != -0.5 || test.X.Data[11] != 10.5 {
		t.Errorf("floats %v, %v", train.X.Data, test.X.Data)
	}
	pinning(t, IDX, given, folder)

	for want, more := range map[string]map[string]any{
		"a row has 6 values, in dimensions [6]; want 8":                      {"dims": list(2, 4)},
		"label 4 of row 0 is outside [0, 4)":                                 {"classes": int64(4)},
		"3 rows asked for, 2 there":                                          {"test": int64(3)},
		"[xy]: want one file, there are [" + folder + "/x " + folder + "/y]": {"test_images": "[xy]"},
		"idx: not found: z\nsearched: " + folder:                             {"test_images": "z"},
		"f holds bytes, " + folder + "/x does not, or the other":             {"test_images": "x"},
	} {
		if err := refuse(t, IDX, with(given, more), folder); !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	for want, more := range map[string]map[string]any{
		"dims: 2.5 is not whole":                                   {"dims": []any{2.5}},
		"dims: 4 dimensions, want at most 3":                       {"dims": list(1, 1, 2, 3)},
		"train_images: is empty":                                   {"train_images": ""},
		"test_labels: test images and their classes come together": {"test_labels": "none"},
	} {
		if got := problems(t, IDX, with(given, more)); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// Files in the format of CIFAR have the images that were written.
//
//hansa:verifies theorem dataset/cifar-files
func TestCIFARFiles(t *testing.T) {
	folder := t.TempDir()
	record := func(first byte, labels ...byte) []byte {
		pixels := make([]byte, 3072)
		pixels[0] = first
		return append(labels, pixels...)
	}
	put(t, slices.Concat(record(51, 1), record(102, 2)), folder, "set", "a_train.bin")
	put(t, record(153, 3), folder, "set", "b_train.bin")
	put(t, record(204, 9, 1), folder, "set", "two.bin")
	given := map[string]any{"train_files": "set/*_train.bin", "classes": int64(4)}
	train, test := take(t, CIFARFiles, given, folder)
	if test != nil || !slices.Equal(train.Y, []int{1, 2, 3}) || train.X.Row(2)[0] != 0.6 {
		t.Errorf("%v, %v", train.Y, train.X.Row(2)[0])
	}
	for n, want := range [][]int{{1, 2, 3}, {1}, {1, 2}, {1, 2, 3}} {
		train, _ := take(t, CIFARFiles, with(given, map[string]any{"train": int64(n)}), folder)
		if !slices.Equal(train.Y, want) {
			t.Errorf("the first %d rows have classes %v", n, train.Y)
		}
	}
	hundred := map[string]any{"train_files": "set/two.bin", "test_files": "set/two.bin",
		"label_bytes": int64(2), "classes": int64(2)}
	if train, test := take(t, CIFARFiles, hundred, folder); train.Y[0] != 1 || test.X.Data[0] != 0.8 {
		t.Errorf("%v, %v", train.Y, test.X.Data[0])
	}
	pinning(t, CIFARFiles, given, folder)
	for want, more := range map[string]map[string]any{
		"a_train.bin and 1 more files: 4 rows asked for, 3 there": {"train": int64(4)},
		"b_train.bin: class 3 of record 0":                        {"classes": int64(3)},
		"two.bin: truncated or in another format: 1 records of":   {"train_files": "set/two.bin"},
		"cifar-files: not found: set/*.gz":                        {"train_files": "set/*.gz"},
	} {
		if err := refuse(t, CIFARFiles, with(given, more), folder); !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// plain returns a picture of one colour, as PNG or JPEG.
func plain(t *testing.T, c color.Color, w, h int, asJPEG bool) []byte {
	t.Helper()
	m := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			m.Set(x, y, c)
		}
	}
	var b bytes.Buffer
	err := png.Encode(&b, m)
	if asJPEG {
		b.Reset()
		err = jpeg.Encode(&b, m, &jpeg.Options{Quality: 100})
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// gallery writes pictures of two classes and sizes, in colours of their own.
func gallery(t *testing.T) (folder string) {
	t.Helper()
	folder = t.TempDir()
	for _, part := range []string{"train", "test"} {
		shade := map[string]uint8{"train": 0, "test": 5}[part]
		for name, c := range map[string]color.Color{
			"cat/1.png":  color.RGBA{255 - shade, 0, 0, 255},
			"cat/2.JPEG": color.RGBA{0, 255 - shade, 0, 255},
			"cat/3.png":  color.Gray{100 + shade},
			"dog/1.jpg":  color.RGBA{0, 0, 255 - shade, 255},
		} {
			asJPEG := strings.Contains(strings.ToLower(name), ".jp")
			put(t, plain(t, c, 7, 3+len(name)%4, asJPEG), folder, "images", part, name)
		}
		put(t, nil, folder, "images", part, "README")
		put(t, nil, folder, "images", part, "dog", ".DS_Store")
	}
	return folder
}

// Picture files have the pixels that were written.
//
//hansa:verifies theorem dataset/images
func TestImages(t *testing.T) {
	folder := gallery(t)
	given := map[string]any{"train_folder": "images/train", "test_folder": "images/test",
		"classes": int64(2), "size": int64(4)}
	train, test := take(t, Images, given, folder)
	// In turns: cat 1, dog 1, cat 2, cat 3.
	if want := []int{0, 1, 0, 0}; !slices.Equal(train.Y, want) || !slices.Equal(test.Y, want) {
		t.Errorf("classes %v and %v, want %v", train.Y, test.Y, want)
	}
	for r, want := range [][3]float64{{1, 0, 0}, {0, 0, 1}, {0, 1, 0}, {100. / 255, 100. / 255, 100. / 255}} {
		for k, v := range train.X.Row(r) {
			if math.Abs(v-want[k/16]) > 3.0/255 { // JPEG is not exact
				t.Fatalf("row %d: channel %d is %v, want %v", r, k/16, v, want[k/16])
			}
		}
	}
	grey, _ := take(t, Images, with(given, map[string]any{"grey": true, "train": int64(1)}), folder)
	if want := (fl.Image{C: 1, H: 4, W: 4}); grey.Shape.Image != want || grey.Len() != 1 ||
		grey.X.Data[5] != 76./255 { // 0.299 · 255
		t.Errorf("%+v: %v", grey.Shape.Image, grey.X.Data)
	}
	pinning(t, Images, given, folder)

	example := Images
	example.Example = with(Images.Example, map[string]any{"classes": int64(2), "size": int64(4)})
	examine(t, example, folder)
}

func TestImagesRefuses(t *testing.T) {
	given := map[string]any{"train_folder": "images/train", "test_folder": "images/test",
		"classes": int64(2), "size": int64(4)}
	for want, change := range map[string]func(folder string) map[string]any{
		"train has 2 classes, want 3": func(string) map[string]any {
			return map[string]any{"classes": int64(3)}
		},
		"test: 5 rows asked for, 4 there": func(string) map[string]any {
			return map[string]any{"test": int64(5)}
		},
		"images: not found: nowhere": func(string) map[string]any {
			return map[string]any{"train_folder": "nowhere"}
		},
		"images/train/cat: there are no sub-folders": func(string) map[string]any {
			return map[string]any{"train_folder": "images/train/cat"}
		},
		"test has 3 classes, want 2": func(folder string) map[string]any {
			put(t, plain(t, color.Black, 1, 1, false), folder, "images/test/bird/1.png")
			return nil
		},
		"cat/4.bmp: not a .png, .jpg or .jpeg": func(folder string) map[string]any {
			put(t, nil, folder, "images/train/cat/4.bmp")
			return nil
		},
		"dog/2.png: neither PNG nor JPEG: begins with 0x6e6f": func(folder string) map[string]any {
			put(t, []byte("no picture"), folder, "images/train/dog/2.png")
			return nil
		},
		"dog/2.png: unexpected EOF": func(folder string) map[string]any {
			b := plain(t, color.White, 9, 9, false)
			put(t, b[:len(b)/2], folder, "images/train/dog/2.png")
			return nil
		},
	} {
		folder := gallery(t)
		err := refuse(t, Images, with(given, change(folder)), folder)
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
