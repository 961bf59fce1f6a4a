package data

import (
	"archive/zip"
	"bufio"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/host"
)

// An Array is a stored array of numbers.
type Array struct {
	Name string    // in its archive; empty when the file is none
	Dims []int     // outermost first, at least one
	Rows fl.Matrix // the entries along the outermost dimension, one row each
}

// newArray returns room for an array.
func newArray(dims []int) *Array {
	cols := 1
	for _, n := range dims[1:] {
		cols *= n
	}
	return &Array{Dims: dims, Rows: fl.NewMatrix(dims[0], cols)}
}

// npySuffix ends the names of arrays in an archive.
const npySuffix = ".npy"

// ReadArray reads an array of NumPy's: a file of numpy.save, or that of a name in one of
// numpy.savez or numpy.savez_compressed. An IDX file is read, too, and both may be packed by
// gzip; of a file with one array the name does not matter. Everything is checked: a file that
// is shorter or longer than its header says is an error.
func ReadArray(path, name string) (x *Array, err error) {
	u, err := open(path)
	if err != nil {
		return nil, err
	}
	x, err = readArray(u, path, name)
	if err := errors.Join(err, u.Close()); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return x, nil
}

// readArray reads an array by what its file begins with.
func readArray(u *unpacked, path, name string) (*Array, error) {
	r := bufio.NewReader(u)
	// An error shows again when the content is read: too short a file has no magic.
	switch magic, _ := r.Peek(len(npyMagic)); {
	case string(magic) == npyMagic:
		return readNPY(r, u.most)
	case strings.HasPrefix(string(magic), "PK"):
		return readPacked(path, name, mostInflated*u.most)
	case len(magic) > 0 && magic[0] != 0:
		return nil, fmt.Errorf("neither .npy or .npz nor IDX: begins with %q", magic)
	}
	x, err := readIDX(r, u.most, 0)
	if err != nil {
		return nil, err
	}
	x.unpack()
	return &Array{Dims: x.Dims, Rows: x.Rows}, nil
}

// readPacked reads an array of an archive, which can have at most that many bytes.
func readPacked(path, name string, most int64) (x *Array, err error) {
	err = readMember(path, name, func(f *zip.File) error {
		x, err = readZipped(f, most)
		return err
	})
	if err != nil {
		return nil, err
	}
	x.Name = name
	return x, nil
}

// readMember calls read with the file of an archive that holds the array of a name.
func readMember(path, name string, read func(f *zip.File) error) error {
	file, err := host.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	archive, err := zip.NewReader(file, info.Size())
	if err != nil {
		return err
	}
	var there []string
	for _, f := range archive.File {
		own, array := strings.CutSuffix(f.Name, npySuffix)
		if !array {
			continue
		}
		there = append(there, own)
		if own != name {
			continue
		}
		if err := read(f); err != nil {
			return fmt.Errorf("array %s: %w", name, err)
		}
		return nil
	}
	if there == nil {
		return errors.New("an archive without arrays of NumPy's")
	}
	return fmt.Errorf("there is no array %q; there are %s", name, strings.Join(there, ", "))
}

// readZipped reads a file of an archive, which can have at most that many bytes.
func readZipped(f *zip.File, most int64) (*Array, error) {
	packed := min(f.CompressedSize64, uint64(math.MaxInt64/mostInflated))
	most = min(most, int64(min(f.UncompressedSize64, mostInflated*packed)))
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	x, err := readNPY(r, most)
	return x, errors.Join(err, r.Close())
}

// Finite says where the first number is that is none, by its row and column.
func (x *Array) Finite() error {
	for i := range x.Rows.Rows {
		for j, v := range x.Rows.Row(i) {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("row %d has %v in column %d", i, v, j)
			}
		}
	}
	return nil
}

// Indices returns a list of whole numbers from 0 to n−1, such as the classes of rows.
func (x *Array) Indices(n int) ([]int, error) {
	if x.Rows.Cols != 1 {
		return nil, fmt.Errorf("want one number for each row; dimensions are %v", x.Dims)
	}
	list := make([]int, x.Rows.Rows)
	for i, v := range x.Rows.Data {
		if !(v >= 0 && v < float64(n)) || v != math.Trunc(v) {
			return nil, fmt.Errorf("%v in row %d is none of the numbers 0 to %d", v, i, n-1)
		}
		list[i] = int(v)
	}
	return list, nil
}
