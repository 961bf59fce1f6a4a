// Rotated — clusters of clients see images that are turned, each by an angle of its own.
//
//	A. Ghosh, J. Chung, D. Yin, K. Ramchandran. An Efficient Framework for Clustered Federated
//	Learning (IFCA). NeurIPS 2020, Section 6: Rotated MNIST and CIFAR.
//
// Notation: k clusters, a the angle in degrees. Client i is in cluster c = i mod k, and its images
// are turned by c·a, against the clock. Multiples of 90° move pixels and change none; of other
// angles a pixel is interpolated bilinearly between the four around where it comes from, and is 0
// outside. Cluster 0 is as the wrapped data set has it. The clusters are the domains of rows.
//
// The client of a row is the one of the wrapped data set, or else one drawn at random, in equal
// shares but for a row. Test rows belong to clients, too, and are turned like theirs, unless test
// says otherwise.
//
// Departures: rows belong to clients before they are partitioned.

package dataset

import (
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
)

// Rotated describes the data set to the registry.
var Rotated = fl.SourceEntry{
	Name:       "rotated",
	Summary:    "images of another data set, turned by the angle of a cluster of clients",
	Paper:      "ghosh2020",
	Deviations: "rows belong to clients before they are partitioned",
	New:        newRotated,
	Example:    map[string]any{"of": map[string]any{"name": "glyphs", "train": int64(60)}},
}

type rotated struct {
	clusters
	angle float64
}

var _ fl.Source = (*rotated)(nil)

func newRotated(p *fl.Params) (fl.Source, error) {
	s := &rotated{clusters: newClusters(p, newWrapped(p, "of images"), "rotation")}
	s.angle = p.Float("angle", 90, fl.Closed(-360, 360), "degrees from one cluster to the next, "+
		"against the clock")
	if !p.Setting().Known() || s.of == nil {
		return s, nil
	}
	switch m := s.of.Shape().Image; {
	case m == fl.Image{}:
		p.Fail("of", "rotations are of images; the rows of %v are none", wrappedName(p))
	case m.H != m.W:
		p.Fail("of", "rotations are of square images; those of %v have %d×%d pixels",
			wrappedName(p), m.H, m.W)
	}
	return s, nil
}

// right reports whether all angles are multiples of 90°.
func (s *rotated) right() bool { return math.Mod(s.angle, 90) == 0 }

// Shape is that of the wrapped data set, with a natural client and a domain for every row.
func (s *rotated) Shape() fl.Shape {
	shape := s.clusters.Shape()
	if !s.right() {
		shape.Stored = 0
	}
	return shape
}

// Load loads the wrapped data set, and turns its images in place.
func (s *rotated) Load(l *fl.LoadInput) (train, test *fl.Dataset, err error) {
	in := *l
	in.Packed = l.Packed && s.right()
	train, test, err = s.load(&in, func(d *fl.Dataset, _ uint64) error {
		s.turn(d)
		return nil
	})
	for _, d := range []*fl.Dataset{train, test} {
		if d != nil {
			d.Shape = s.Shape()
		}
	}
	return train, test, err
}

// turn turns the images of all clusters.
func (s *rotated) turn(d *fl.Dataset) {
	side, size := d.Shape.Image.W, d.X.Cols
	room := make(fl.Vector, side*side)
	for r, c := range d.Domain {
		lo, hi := r*size, (r+1)*size
		switch p := &d.Packed; {
		case !s.right():
			for k := lo; c > 0 && k < hi; k += side * side {
				tilt(d.X.Data[k:k+side*side], room, side, float64(c)*s.angle)
			}
		case p.Bytes != nil:
			quarters(p.Bytes[lo:hi], side, s.quarters(c))
		case p.Floats != nil:
			quarters(p.Floats[lo:hi], side, s.quarters(c))
		default:
			quarters(d.X.Data[lo:hi], side, s.quarters(c))
		}
	}
}

// quarters returns by how many right angles images of a cluster are turned.
func (s *rotated) quarters(c int) int { return ((c*int(s.angle/90))%4 + 4) % 4 }

// quarters turns square channels by right angles against the clock.
func quarters[T uint8 | float32 | float64](pixels []T, side, times int) {
	for ; len(pixels) > 0; pixels = pixels[side*side:] {
		for range times {
			for y := range side / 2 {
				for x := range (side + 1) / 2 {
					a, b := y*side+x, x*side+side-1-y
					c, e := (side-1-y)*side+side-1-x, (side-1-x)*side+y
					pixels[a], pixels[b], pixels[c], pixels[e] = pixels[b], pixels[c], pixels[e],
						pixels[a]
				}
			}
		}
	}
}

// tilt turns a square channel by an angle against the clock.
func tilt(pixels, room fl.Vector, side int, degrees float64) {
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	middle := float64(side-1) / 2
	at := func(x, y int) float64 {
		if x < 0 || y < 0 || x >= side || y >= side {
			return 0
		}
		return pixels[y*side+x]
	}
	for y := range side {
		for x := range side {
			u, v := float64(x)-middle, float64(y)-middle
			fromX, fromY := middle+cos*u-sin*v, middle+sin*u+cos*v
			left, up := math.Floor(fromX), math.Floor(fromY)
			a, b := fromX-left, fromY-up
			i, j := int(left), int(up)
			room[y*side+x] = (1-b)*((1-a)*at(i, j)+a*at(i+1, j)) +
				b*((1-a)*at(i, j+1)+a*at(i+1, j+1))
		}
	}
	copy(pixels, room)
}
