package dataset

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/data"
	"github.com/hansa-fl/hansa/framework/data/datatest"
	"github.com/hansa-fl/hansa/framework/fl"
)

// Every known data set is an entry of its name, and says of its files what there is to say.
func TestKnown(t *testing.T) {
	sum := regexp.MustCompile(`^[0-9a-f]{64}$`)
	entries := []string{A9A.Name, Adult.Name, CIFAR10.Name, DigitsDomains.Name, FashionMNIST.Name,
		MNIST.Name, OfficeCaltech10.Name, Shakespeare.Name, USPS.Name}
	seen := map[string]string{}
	for i, set := range known() {
		if i >= len(entries) || set.Name != entries[i] {
			t.Fatalf("the known data sets are not %v", entries)
		}
		if set.Licence == "" || !strings.HasPrefix(set.Page, "http") {
			t.Errorf("%s: licence %q, page %q", set.Name, set.Licence, set.Page)
		}
		for _, f := range slices.Concat(set.Files, set.Parts) {
			// Rows of several kinds, but of one domain, have the same classes in files of their
			// own.
			_, of, _ := strings.Cut(f.Name, "-")
			if other, there := seen[f.SHA256]; f.Size <= 0 || !sum.MatchString(f.SHA256) ||
				there && !(other == of && strings.HasSuffix(of, "-labels.idx1-ubyte.gz")) {
				t.Errorf("%s: %+v, of another file: %q", set.Name, f, other)
			}
			seen[f.SHA256] = of
			if f.URL != "" && !strings.HasSuffix(f.URL, "/"+f.Name) {
				t.Errorf("%s: %s is not at %s", set.Name, f.Name, f.URL)
			}
		}
	}
}

// What lies with the data sets of tests is what is known of it; parts of CIFAR-10 show that
// whenever they are read.
func TestKnownFiles(t *testing.T) {
	folders := []string{datatest.Folder(t)}
	for _, set := range []data.Set{a9aFiles(), adultFiles(), digitsDomainsFiles(),
		mnistFiles(), officeCaltech10Files(), uspsFiles()} {
		if _, err := verified(set, folders); err != nil {
			t.Error(err)
		}
	}
}

// idxFile returns a file of bytes, whose dimensions are given.
func idxFile(values []byte, dims ...byte) []byte {
	b := []byte{0, 0, 8, byte(len(dims))}
	for _, n := range dims {
		b = append(b, 0, 0, 0, n)
	}
	return append(b, values...)
}

// A quartet of images of 28×28 pixels: n for training, 1 for tests, and what it holds.
func quartet(t *testing.T, folder string, n byte) data.Set {
	t.Helper()
	pixels := make([]byte, 784*int(n))
	for k := range pixels {
		pixels[k] = byte(k % 251)
	}
	set := fashionMNISTFiles()
	for i, content := range [][]byte{
		idxFile(pixels, n, 28, 28), idxFile([]byte{9, 0, 3, 4}[:n], n),
		idxFile(pixels[:784], 1, 28, 28), idxFile([]byte{7}, 1),
	} {
		sum := sha256.Sum256(content)
		set.Files[i].SHA256 = hex.EncodeToString(sum[:])
		put(t, content, folder, "fashion-mnist", set.Files[i].Name)
	}
	return set
}

// Fashion-MNIST lies in files like those of MNIST, in a folder of its own.
//
//hansa:verifies source dataset/fashion-mnist
func TestFashionMNIST(t *testing.T) {
	folder := t.TempDir()
	s := build(t, FashionMNIST, nil, 1).(*mnist)
	s.files = quartet(t, folder, 3)
	train, test, err := s.Load(&fl.LoadInput{Clients: 1, Folders: []string{folder}})
	if err != nil || !slices.Equal(train.Y, []int{9, 0, 3}) || !slices.Equal(test.Y, []int{7}) {
		t.Fatalf("%v", err)
	}
	if !train.Shape.Equal(greyShape(t)) || train.X.Row(1)[3] != float64(787%251)/255 {
		t.Errorf("shape %+v, pixel %v", train.Shape, train.X.Row(1)[3])
	}
	var damaged *data.DamagedError
	s.files.Files[2].SHA256 = strings.Repeat("0", 64)
	if _, _, err := s.Load(&fl.LoadInput{Folders: []string{folder}}); !errors.As(err, &damaged) {
		t.Errorf("error %v", err)
	}
	const want = "fashion-mnist: not found: train-images-idx3-ubyte.gz"
	if err := refuse(t, FashionMNIST, nil, t.TempDir()); !strings.HasPrefix(err.Error(), want) {
		t.Errorf("error %v", err)
	}
}

// What Debian packs anew is Fashion-MNIST, and MNIST may lie unpacked where torchvision has it. A
// label that differs is refused.
func TestKnownContent(t *testing.T) {
	if _, err := verified(fashionMNISTFiles(),
		[]string{filepath.Dir(datatest.Packaged(t, "fashion-mnist"))}); err != nil {
		t.Error(err)
	}
	folder := t.TempDir()
	labels := unpack(t, mnistFiles(), folder, "MNIST/raw")
	unpack(t, shakespeareFiles(), folder, "shakespeare")
	in := &fl.LoadInput{Clients: 1, Folders: []string{folder}}
	if _, _, err := build(t, Shakespeare, nil, 1).Load(in); err != nil {
		t.Error(err)
	}
	s := build(t, MNIST, map[string]any{"train": int64(3), "test": int64(2)}, 1)
	train, test, err := s.Load(in)
	if err != nil || !slices.Equal(train.Y, []int{5, 0, 4}) || !slices.Equal(test.Y, []int{7, 2}) {
		t.Fatalf("%v", err)
	}
	labels[len(labels)-1]++
	put(t, labels, folder, "MNIST/raw/t10k-labels-idx1-ubyte")
	if _, _, err := s.Load(in); !errors.As(err, new(*data.DamagedError)) {
		t.Errorf("error %v", err)
	}
}

// unpack has the files of a data set lie unpacked in a folder, and returns the content of the last.
func unpack(t *testing.T, set data.Set, folder, name string) (content []byte) {
	t.Helper()
	published, err := set.Find([]string{datatest.Folder(t)})
	if err != nil {
		t.Fatal(err)
	}
	for i, path := range published {
		r, err := data.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if content, err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
		put(t, content, folder, name, strings.TrimSuffix(set.Files[i].Name, ".gz"))
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
	return content
}

// greyShape is the shape of MNIST.
func greyShape(t *testing.T) fl.Shape { return build(t, MNIST, nil, 1).Shape() }

// Files that do not belong together are refused by their names.
func TestPairs(t *testing.T) {
	folder := t.TempDir()
	one := quartet(t, folder, 2)
	put(t, idxFile([]byte{1, 2, 3}, 3), folder, "labels")
	put(t, idxFile([]byte{1, 10}, 2), folder, "above")
	put(t, idxFile(make([]byte, 2*27*28), 2, 27, 28), folder, "small")
	paths, err := one.Find([]string{folder})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ images, labels, want string }{
		{paths[0], folder + "/labels", paths[0] + " has 2 rows, " + folder + "/labels has 3"},
		{paths[0], folder + "/above", folder + "/above: label 10 of row 1 is outside [0, 10)"},
		{paths[0], folder + "/none", "stat " + folder + "/none: no such file or directory"},
		{folder + "/small", paths[1], folder + "/small: a row has 756 values, in dimensions [27 28]; " +
			"want 784"},
		{paths[1], paths[1], paths[1] + ": a row has 1 values, in dimensions []; want 784"},
	} {
		_, _, err := readPair(&fl.LoadInput{}, []string{c.images, c.labels}, 0, greyShape(t))
		if err == nil || err.Error() != c.want {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
}
