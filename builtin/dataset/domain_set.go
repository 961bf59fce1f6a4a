package dataset

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/hansa-fl/hansa/framework/data"
	"github.com/hansa-fl/hansa/framework/fl"
)

// A domainSet is rows of several domains, each in files of its own.
type domainSet struct {
	files   data.Set
	kind    string   // of features; or images
	domains []string // to use
	scale   string   // see newLength
}

// What rows can be scaled to, and images be called.
const raw, colour = "raw", "images"

// newLength declares how rows are scaled.
func newLength(p *fl.Params) string {
	return p.Choice("scale", unit, "features of a row divided by their Euclidean length, or "+
		"pixels between 0 and 1; raw leaves them as they are", unit, raw)
}

// image is that of rows, or none.
func (s *domainSet) image() fl.Image {
	if s.kind == thumbs || s.kind == colour {
		return data.CIFARImage()
	}
	return fl.Image{}
}

// shape is that of rows in ten classes.
func (s *domainSet) shape(tested bool) fl.Shape {
	features := map[string]int{squeezenet: 512, googlenet: 1024, surf: 800}[s.kind]
	return fl.Shape{
		Features: max(features, s.image().Len()), Classes: 10, Image: s.image(), Tested: tested,
		Domains: s.domains,
	}
}

// read reads the first n rows of every domain, all when n is 0, from the files with some names,
// once their checksums are right: rows and classes, or a file of images.
func (s *domainSet) read(l *fl.LoadInput, n int, names func(domain string) []string) (
	*fl.Dataset, error,
) {
	set, perDomain := s.only(names)
	paths, err := verified(set, l.Folders)
	if err != nil {
		return nil, err
	}
	all, parts := &fl.Dataset{Shape: s.shape(true)}, []*fl.Dataset{}
	for k := range s.domains {
		own := paths[k*perDomain : (k+1)*perDomain]
		var d *fl.Dataset
		if perDomain == 2 {
			d, _, err = readPair(l, own, n, all.Shape)
		} else {
			layout := cifarFiles{layout: data.CIFAR{Labels: 1, Classes: 10}}
			d, err = layout.read(l, own, n)
		}
		if err != nil {
			return nil, err
		}
		parts, all.Y = append(parts, d), append(all.Y, d.Y...)
		all.Domain = append(all.Domain, slices.Repeat([]int{k}, d.Len())...)
	}
	all.X = fl.Matrix{Rows: len(all.Y), Cols: all.Shape.Features}
	all.Packed = concatenated(parts)
	return all, nil
}

// only returns the files with some names of the domains to use, and how many a domain has.
func (s *domainSet) only(names func(domain string) []string) (set data.Set, perDomain int) {
	set = s.files
	set.Files = nil
	for _, domain := range s.domains {
		own := names(domain)
		perDomain = len(own)
		for _, f := range s.files.Files {
			if slices.Contains(own, f.Name) {
				set.Files = append(set.Files, f)
			}
		}
	}
	return set, perDomain
}

// finish scales rows, in place, and leaves them packed where the caller takes them so and that
// loses nothing.
func (s *domainSet) finish(l *fl.LoadInput, d *fl.Dataset) {
	switch {
	case s.scale == raw:
	case s.image() != fl.Image{}:
		d.Packed.Levels = fl.NewLevels(func(b float64) float64 { return b * (1.0 / 255) })
	default:
		d.Unpack()
		unitRows(d.X)
	}
	if !l.Packed {
		d.Unpack()
	}
}

// unitRows divides every row by its Euclidean length; one of nothing but zeros stays.
func unitRows(x fl.Matrix) {
	for i := range x.Rows {
		row := x.Row(i)
		if length := row.Norm(); length > 0 {
			for k := range row {
				row[k] /= length
			}
		}
	}
}

// holdOut draws a share of the rows of every owner for tests or, where rows have none, of every
// domain and class: at least one of each that has two or more. Rows that are the same count once,
// and stay together.
func holdOut(d *fl.Dataset, share float64, rng *rand.Rand) (train, test *fl.Dataset, err error) {
	if share == 0 {
		return d, nil, nil
	}
	known := map[[sha256.Size]byte]int{}
	first := make([]int, d.Len())      // of the rows that are the same as a row
	classes := max(1, d.Shape.Classes) // targets are one
	groups := make([][]int, max(1, len(d.Shape.Domains))*classes)
	if d.Owner != nil {
		groups = make([][]int, slices.Max(d.Owner)+1)
	}
	room := make(fl.Vector, d.X.Cols)
	for r := range first {
		sum := digest(d, r, room)
		original, copied := known[sum]
		if !copied {
			original, known[sum] = r, r
			group := groupOf(d, r, classes)
			groups[group] = append(groups[group], r)
		}
		first[r] = original
	}
	held := make([]bool, d.Len())
	for _, rows := range groups {
		if len(rows) < 2 {
			continue
		}
		_, out := heldOut(len(rows), share, rng)
		for _, k := range out {
			held[rows[k]] = true
		}
	}
	var parts [2][]int
	for r, original := range first {
		part := 0
		if held[original] {
			part = 1
		}
		parts[part] = append(parts[part], r)
	}
	if len(parts[1]) == 0 {
		return nil, nil, errors.New("held_out: no class has two different rows in a domain, of " +
			"which one could be for tests")
	}
	return d.Pick(parts[0]), d.Pick(parts[1]), nil
}

// groupOf returns which group of rows a row is of, of which a share is held out.
func groupOf(d *fl.Dataset, r, classes int) (group int) {
	if d.Owner != nil {
		return d.Owner[r]
	}
	if d.Y != nil {
		group = d.Y[r]
	}
	if d.Domain != nil {
		group += d.Domain[r] * classes
	}
	return group
}

// digest identifies a row.
func digest(d *fl.Dataset, r int, room fl.Vector) [sha256.Size]byte {
	if b := d.Packed.Bytes; b != nil {
		return sha256.Sum256(b[r*d.X.Cols : (r+1)*d.X.Cols])
	}
	row := d.Row(r, room)
	b := make([]byte, 0, 8*len(row))
	for _, x := range row {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
	}
	return sha256.Sum256(b)
}
