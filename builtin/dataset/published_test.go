package dataset

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/data"
	"github.com/hansa-fl/hansa/framework/fl"
)

// Published data sets of pictures say of their files what there is to say.
func TestKnownPictures(t *testing.T) {
	sum := regexp.MustCompile(`^[0-9a-f]{64}$`)
	var names []string
	for _, set := range knownPictures() {
		names = append(names, set.Name)
		if set.Licence == "" || !strings.HasPrefix(set.Page, "http") {
			t.Errorf("%s: licence %q, page %q", set.Name, set.Licence, set.Page)
		}
		for _, f := range set.Files {
			if f.Size <= 0 || !sum.MatchString(f.SHA256) || !strings.HasSuffix(f.URL, "/"+f.Name) {
				t.Errorf("%s: %+v", set.Name, f)
			}
		}
	}
	if want := []string{CIFAR100.Name, EMNIST.Name, STL10.Name, SVHN.Name}; !slices.Equal(names, want) {
		t.Errorf("%v, want %v", names, want)
	}
}

// Data sets without checksums are entries of their names, and say how to get them.
func TestGuided(t *testing.T) {
	var names []string
	for _, set := range Guided() {
		names = append(names, set.Name)
		if set.Guide == "" || set.Licence == "" || !strings.HasPrefix(set.Page, "http") || set.Files != nil {
			t.Errorf("%+v", set)
		}
	}
	if want := []string{CelebA.Name, LEAF.Name, Parquet.Name, TinyImageNet.Name}; !slices.Equal(names, want) {
		t.Errorf("%v, want %v", names, want)
	}
}

// sealed gives the k-th file of a set the checksum of a content, and writes it.
func sealed(t *testing.T, set data.Set, k int, content []byte, folder string) {
	t.Helper()
	sum := sha256.Sum256(content)
	set.Files[k].SHA256, set.Files[k].Size = hex.EncodeToString(sum[:]), int64(len(content))
	put(t, content, folder, set.Name, set.Files[k].Name)
}

// loadSet loads a source that was built, as its shape says.
func loadSet(t *testing.T, s fl.Source, folder string) (train, test *fl.Dataset) {
	t.Helper()
	train, test, err := s.Load(inputOf(1, folder))
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []*fl.Dataset{train, test} {
		if !d.Shape.Equal(s.Shape()) || len(d.Packed.Bytes) != d.Len()*d.Shape.Features ||
			len(d.Y) != d.Len() || (d.Shape.Domains != nil) != (len(d.Domain) == d.Len()) {
			t.Errorf("shape %+v, declared %+v; %d bytes of %d rows", d.Shape, s.Shape(), len(d.Packed.Bytes), d.Len())
		}
	}
	return train, test
}

// Records of CIFAR-100 have superclass, class and pixels; superclasses are domains.
//
//hansa:verifies source dataset/cifar100
func TestCIFAR100(t *testing.T) {
	folder := t.TempDir()
	record := func(coarse, fine, first byte) []byte {
		b := make([]byte, 3074)
		b[0], b[1], b[2] = coarse, fine, first
		return b
	}
	put(t, slices.Concat(record(19, 99, 7), record(0, 4, 8)), folder, "cifar100", "train.bin")
	put(t, record(3, 50, 9), folder, "cifar100", "test.bin")
	given := map[string]any{"train": int64(2), "test": int64(1)}
	train, test := loadSet(t, build(t, CIFAR100, given, 1), folder)
	if !slices.Equal(train.Y, []int{99, 4}) || !slices.Equal(train.Domain, []int{19, 0}) ||
		train.Packed.Bytes[3072] != 8 || test.Domain[0] != 3 || len(train.Shape.Domains) != 20 {
		t.Errorf("%v, %v, %v", train.Y, train.Domain, test.Domain)
	}
	put(t, record(20, 50, 9), folder, "cifar100", "test.bin")
	for want, more := range map[string]map[string]any{
		"superclass 20 of record 0 is outside [0, 20)": nil,
		"truncated: record 2 has 0 of 3074 bytes":      {"train": int64(3)},
	} {
		if err := refuse(t, CIFAR100, with(given, more), folder); !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	if err := refuse(t, CIFAR100, nil, t.TempDir()); !strings.HasPrefix(err.Error(),
		"cifar100: not found: train.bin test.bin\n") {
		t.Errorf("error %v", err)
	}
}

// Images of STL-10 are turned, and their labels begin with 1.
//
//hansa:verifies source dataset/stl10
func TestSTL10(t *testing.T) {
	folder := t.TempDir()
	images := make([]byte, 2*3*96*96)
	images[1] = 50                // the second row of the first column
	images[3*96*96+96*96+96] = 60 // green, the second column
	put(t, images, folder, "stl10", "train_X.bin")
	put(t, []byte{10, 1}, folder, "stl10", "train_y.bin")
	put(t, images[:3*96*96], folder, "stl10", "test_X.bin")
	put(t, []byte{3}, folder, "stl10", "test_y.bin")
	given := map[string]any{"train": int64(2), "test": int64(1)}
	train, test := loadSet(t, build(t, STL10, given, 1), folder)
	if !slices.Equal(train.Y, []int{9, 0}) || !slices.Equal(test.Y, []int{2}) ||
		train.Packed.Bytes[96] != 50 || train.Packed.Bytes[4*96*96+1] != 60 {
		t.Errorf("%v, %v", train.Y, test.Y)
	}
	put(t, []byte{0}, folder, "stl10", "test_y.bin")
	for want, more := range map[string]map[string]any{
		"test_y.bin: label 0 of row 0 is none of the numbers 1 to 10": nil,
		"train_X.bin: truncated: there are fewer than 3 images":       {"train": int64(3)},
	} {
		if err := refuse(t, STL10, with(given, more), folder); !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

// matFile returns arrays of bytes as a MAT-file of version 5, packed by zlib.
func matFile(t *testing.T, names []string, dims [][]int, values [][]byte) []byte {
	t.Helper()
	b := append(bytes.Repeat([]byte{' '}, 124), 0, 1, 'I', 'M')
	le := binary.LittleEndian
	for k, name := range names {
		part := func(kind uint32, content []byte) []byte {
			e := le.AppendUint32(le.AppendUint32(nil, kind), uint32(len(content)))
			return append(append(e, content...), make([]byte, (8-len(content)%8)%8)...)
		}
		var sizes []byte
		for _, n := range dims[k] {
			sizes = le.AppendUint32(sizes, uint32(n))
		}
		matrix := slices.Concat(part(6, []byte{9, 0, 0, 0, 0, 0, 0, 0}), part(5, sizes),
			part(1, []byte(name)), part(2, values[k]))
		var packed bytes.Buffer
		z := zlib.NewWriter(&packed)
		if _, err := z.Write(part(14, matrix)); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		b = le.AppendUint32(le.AppendUint32(b, 15), uint32(packed.Len()))
		b = append(b, packed.Bytes()...)
	}
	return b
}

// Digits of SVHN have the pixels of the MAT-files, whose first dimension goes down, and 0 for the
// label 10; easier digits come last.
//
//hansa:verifies source dataset/svhn
func TestSVHN(t *testing.T) {
	folder := t.TempDir()
	file := func(first byte, labels ...byte) []byte {
		x := make([]byte, 3072*len(labels))
		for k := range labels {
			x[3072*k+1], x[3072*k+1024+32] = first+byte(k), 99 // red, one down; green, one right
		}
		return matFile(t, []string{"X", "y"}, [][]int{{32, 32, 3, len(labels)}, {len(labels), 1}}, [][]byte{x, labels})
	}
	s := build(t, SVHN, nil, 1).(*svhn)
	sealed(t, s.files, 0, file(10, 1, 10), folder)
	sealed(t, s.files, 1, file(20, 9), folder)
	sealed(t, s.files, 2, file(30, 5, 6, 7), folder)
	train, test := loadSet(t, s, folder)
	if !slices.Equal(train.Y, []int{1, 0}) || !slices.Equal(test.Y, []int{9}) ||
		train.Packed.Bytes[32] != 10 || train.Packed.Bytes[3072+32] != 11 || train.Packed.Bytes[1025] != 99 {
		t.Errorf("%v, %v", train.Y, test.Y)
	}
	s.extra = true
	if train, _ = loadSet(t, s, folder); !slices.Equal(train.Y, []int{1, 0, 5, 6, 7}) ||
		train.Packed.Bytes[2*3072+32] != 30 {
		t.Errorf("with extra %v", train.Y)
	}
	for want, content := range map[string][]byte{
		"label 11 of row 1 is no digit": file(1, 1, 11),
		"X has 2 images, y 1 labels": matFile(t, []string{"X", "y"}, [][]int{{32, 32, 3, 2}, {1, 1}},
			[][]byte{make([]byte, 2*3072), {1}}),
		"X has dimensions [32 32 3], want 32×32×3×n bytes": matFile(t, []string{"X", "y"},
			[][]int{{32, 32, 3}, {1, 1}}, [][]byte{make([]byte, 3072), {1}}),
	} {
		sealed(t, s.files, 0, content, folder)
		if _, _, err := s.Load(inputOf(1, folder)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	var damaged *data.DamagedError
	s.files.Files[1].SHA256 = strings.Repeat("0", 64)
	if _, _, err := s.Load(inputOf(1, folder)); !errors.As(err, &damaged) {
		t.Errorf("error %v", err)
	}
	if got := problems(t, SVHN, map[string]any{"train": int64(80_000)}); !strings.Contains(got, "with extra") {
		t.Error(got)
	}
}

// Characters of EMNIST are turned, from the archive and from files that lie unpacked; labels of
// letters begin with 1.
//
//hansa:verifies source dataset/emnist
func TestEMNIST(t *testing.T) {
	pixels := make([]byte, 2*784)
	pixels[1], pixels[784+28] = 40, 50
	files := map[string][]byte{
		"emnist-letters-train-images-idx3-ubyte": idxFile(pixels, 2, 28, 28),
		"emnist-letters-train-labels-idx1-ubyte": idxFile([]byte{1, 26}, 2),
		"emnist-letters-test-images-idx3-ubyte":  idxFile(pixels[:784], 1, 28, 28),
		"emnist-letters-test-labels-idx1-ubyte":  idxFile([]byte{3}, 1),
	}
	loose, archived := t.TempDir(), t.TempDir()
	var archive bytes.Buffer
	z := zip.NewWriter(&archive)
	for name, content := range files {
		put(t, content, loose, "emnist", name)
		var packed bytes.Buffer
		g := gzip.NewWriter(&packed)
		_, err := g.Write(content)
		if err := errors.Join(err, g.Close()); err != nil {
			t.Fatal(err)
		}
		w, err := z.Create("gzip/" + name + ".gz")
		if err == nil {
			_, err = w.Write(packed.Bytes())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	given := map[string]any{"split": "letters"}
	s := build(t, EMNIST, given, 1).(*emnist)
	sealed(t, s.files, 0, archive.Bytes(), archived)
	for _, folder := range []string{loose, archived} {
		train, test := loadSet(t, s, folder)
		if !slices.Equal(train.Y, []int{0, 25}) || !slices.Equal(test.Y, []int{2}) ||
			train.Packed.Bytes[28] != 40 || train.Packed.Bytes[784+1] != 50 || train.Shape.Classes != 26 {
			t.Errorf("%v, %v", train.Y, test.Y)
		}
	}
	put(t, idxFile([]byte{0}, 1), loose, "emnist", "emnist-letters-test-labels-idx1-ubyte")
	if err := refuse(t, EMNIST, given, loose); !strings.Contains(err.Error(), "label 0 of row 0") {
		t.Errorf("error %v", err)
	}
	if err := refuse(t, EMNIST, nil, t.TempDir()); !strings.HasPrefix(err.Error(), "emnist: not found: gzip.zip\n") {
		t.Errorf("error %v", err)
	}
}
