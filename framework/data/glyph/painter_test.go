package glyph

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func painter(t testing.TB, size, channels int, deform, noise float64) (*Painter, []float64) {
	t.Helper()
	p, err := NewPainter(size, channels, deform, noise)
	if err != nil {
		t.Fatal(err)
	}
	return p, make([]float64, channels*size*size)
}

func stream(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

// TestPaintInRange: pixels are bytes, whatever the look and however wild the hand.
func TestPaintInRange(t *testing.T) {
	for _, c := range []struct {
		size, channels int
		deform, noise  float64
	}{{28, 1, 0, 0}, {28, 1, 2, 1}, {32, 3, 1, 0.04}, {32, 3, 2, 1}, {8, 3, 2, 0}} {
		p, dst := painter(t, c.size, c.channels, c.deform, c.noise)
		for domain, look := range Looks() {
			for digit := range 10 {
				dst[0], dst[len(dst)-1] = math.NaN(), math.NaN()
				p.Paint(dst, digit, domain, stream(uint64(digit)))
				for k, v := range dst {
					if b := math.Round(255 * v); !(v >= 0 && v <= 1) || v != b/255 {
						t.Fatalf("%+v, %s, pixel %d is %v", c, look.Name, k, v)
					}
				}
			}
		}
	}
}

// TestPaintDependsOnTheGeneratorAlone: what was drawn before does not matter.
func TestPaintDependsOnTheGeneratorAlone(t *testing.T) {
	p, first := painter(t, 32, 3, 1, 0.1)
	again := slices.Clone(first)
	for domain, look := range Looks() {
		p.Paint(first, 4, domain, stream(5))
		for other := range Looks() {
			p.Paint(again, 7, other, stream(6))
			p.Paint(again, 4, domain, stream(5))
			if !slices.Equal(first, again) {
				t.Errorf("%s differs after %s", look.Name, Looks()[other].Name)
			}
		}
	}
}

// TestOneHandInEveryLook: the same generator bends a digit in the same way in every domain,
// in grey and in colour.
func TestOneHandInEveryLook(t *testing.T) {
	for _, channels := range []int{1, 3} {
		p, dst := painter(t, 28, channels, 1, 0.1)
		p.Paint(dst, 2, 0, stream(1))
		hand, dx, dy, edge := p.pose, slices.Clone(p.dx), slices.Clone(p.dy), slices.Clone(p.edge)
		for domain, look := range Looks() {
			p.Paint(dst, 2, domain, stream(1))
			h := p.pose
			h.beside, h.gap, h.soft = hand.beside, hand.gap, hand.soft // these belong to looks
			if h != hand || !slices.Equal(dx, p.dx) || !slices.Equal(dy, p.dy) ||
				!slices.Equal(edge, p.edge) {
				t.Errorf("%s has a hand of its own", look.Name)
			}
		}
	}
}

// TestLooksDiffer: the mean colours of any two domains lie apart, further than those of
// two halves of one.
func TestLooksDiffer(t *testing.T) {
	for _, channels := range []int{1, 3} {
		p, dst := painter(t, 32, channels, 1, 0.04)
		mean := make([][2][4]float64, len(Looks())) // red, green, blue; standard deviation
		const images = 400
		for domain := range mean {
			for k := range images {
				p.Paint(dst, k%10, domain, stream(uint64(k)))
				half, share := &mean[domain][k/10%2], 2/float64(images)
				for c := range channels {
					m, square := 0.0, 0.0
					for _, v := range dst[c*1024:][:1024] {
						m += v / 1024
						square += v * v / 1024
					}
					half[c] += share * m
					half[3] += share * math.Sqrt(square-m*m) / float64(channels)
				}
			}
		}
		apart := func(a, b [4]float64) (sum float64) {
			for c := range a {
				sum += math.Abs(a[c] - b[c])
			}
			return sum
		}
		for d, one := range mean {
			for e, other := range mean[:d] {
				between, within := apart(one[0], other[1]), apart(one[0], one[1])
				if between < 0.04 || between < 2*within {
					t.Errorf("%d channels, %s and %s: %.3f apart, halves %.3f", channels,
						Looks()[d].Name, Looks()[e].Name, between, within)
				}
			}
		}
	}
}

func TestPaintAllocatesNothing(t *testing.T) {
	p, dst := painter(t, 32, 3, 1, 0.04)
	rng := stream(1)
	for domain, look := range Looks() {
		if n := testing.AllocsPerRun(10, func() { p.Paint(dst, 5, domain, rng) }); n > 0 {
			t.Errorf("%s: %v allocations", look.Name, n)
		}
	}
}

func TestNewPainterRefuses(t *testing.T) {
	for _, c := range [][2]int{{7, 1}, {28, 2}, {28, 0}} {
		want := fmt.Sprintf("no digits of %d pixels and %d channels", c[0], c[1])
		if _, err := NewPainter(c[0], c[1], 1, 0); err == nil || err.Error() != want {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

func BenchmarkPaint(b *testing.B) {
	for _, c := range []struct{ size, channels int }{{28, 1}, {32, 3}} {
		for domain, look := range Looks() {
			b.Run(fmt.Sprintf("%dx%d/%s", c.channels, c.size, look.Name), func(b *testing.B) {
				p, dst := painter(b, c.size, c.channels, 1, 0.04)
				rng := stream(1)
				for b.Loop() {
					p.Paint(dst, 3, domain, rng)
				}
			})
		}
	}
}

func BenchmarkNewPainter(b *testing.B) {
	for b.Loop() {
		painter(b, 28, 1, 1, 0)
	}
}
