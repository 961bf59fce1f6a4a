package store

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io/fs"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A Kept is an array that a component of a cell recorded, see PutArray.
type Kept struct {
	Round int
	Name  string // with hyphens for all that is no letter or digit
}

// Called reports whether an array was recorded under a name, however that is written.
func (k Kept) Called(name string) bool { return k.Name == plain(name) }

// arrayFile returns where an array of a cell lies.
func arrayFile(id string, k Kept) (string, error) {
	if !hex64.MatchString(id) {
		return "", fmt.Errorf("%.80q is no id of a training run", id)
	}
	return fmt.Sprintf("arrays/%s/round-%d-%s.npy", id, k.Round, plain(k.Name)), nil
}

var keptFile = regexp.MustCompile(`^round-(\d+)-(.+)\.npy$`)

// Arrays lists the arrays of a cell by round and name, numbers in names by their size.
func (r Run) Arrays(id string) ([]Kept, error) {
	if !hex64.MatchString(id) {
		return nil, fmt.Errorf("%.80q is no id of a training run", id)
	}
	var files []fs.DirEntry
	err := r.within(func(f *folder) (err error) {
		files, err = f.entries("arrays/" + id)
		return err
	})
	if err != nil {
		return nil, gone(err)
	}
	var list []Kept
	for _, f := range files {
		m := keptFile.FindStringSubmatch(f.Name())
		if m == nil || m[2] != plain(m[2]) {
			continue
		}
		round, err := strconv.Atoi(m[1])
		if err == nil {
			list = append(list, Kept{round, m[2]})
		}
	}
	slices.SortFunc(list, func(a, b Kept) int {
		if a.Round != b.Round {
			return a.Round - b.Round
		}
		return natural(a.Name, b.Name)
	})
	return list, nil
}

// natural orders names word by word, and words that are numbers by their size.
func natural(a, b string) int {
	return slices.CompareFunc(strings.Split(a, "-"), strings.Split(b, "-"), func(x, y string) int {
		m, noM := strconv.Atoi(x)
		n, noN := strconv.Atoi(y)
		if noM == nil && noN == nil && m != n {
			return m - n
		}
		return strings.Compare(x, y)
	})
}

// LoadArray returns what PutArray stored: the shape of an array, and its data row by row.
func (r Run) LoadArray(id string, k Kept) (shape [2]int, data []float64, err error) {
	at, err := arrayFile(id, k)
	if err != nil {
		return shape, nil, err
	}
	var content []byte
	err = r.within(func(f *folder) (err error) {
		content, err = f.read(at)
		return err
	})
	if err != nil {
		return shape, nil, err
	}
	damaged := func() ([2]int, []float64, error) {
		return [2]int{}, nil, fmt.Errorf("%s is no array that hansa stored", r.at(at))
	}
	const before = len(magic) + 2
	if len(content) < before || !bytes.HasPrefix(content, []byte(magic)) {
		return damaged()
	}
	end := before + int(binary.LittleEndian.Uint16(content[len(magic):]))
	if end > len(content) {
		return damaged()
	}
	const form = "{'descr': '<f8', 'fortran_order': False, 'shape': (%d, %d), }"
	_, err = fmt.Sscanf(string(content[before:end]), form, &shape[0], &shape[1])
	numbers := content[end:]
	if err != nil || len(numbers)%8 != 0 || shape[0] < 0 || shape[1] < 0 ||
		shape[1] > 0 && len(numbers)/8/shape[1] != shape[0] || len(numbers)/8 != shape[0]*shape[1] {
		return damaged()
	}
	data = make([]float64, len(numbers)/8)
	for i := range data {
		data[i] = math.Float64frombits(binary.LittleEndian.Uint64(numbers[8*i:]))
	}
	return shape, data, nil
}
