package figure

import (
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"
)

// A scale says where numbers are on a page.
type scale struct {
	log       bool
	low, high float64 // of the axis; their logarithms to base 10 on a logarithmic one
	from, to  vg.Length
}

// on returns a number as the scale has it, and whether it can be shown.
func (s *scale) on(x float64) (float64, bool) {
	if s.log {
		x = math.Log10(x) // NaN for what is negative, −∞ for 0
	}
	return x, !math.IsNaN(x) && !math.IsInf(x, 0)
}

// at returns where a number is, and whether it can be shown.
func (s *scale) at(x float64) (vg.Length, bool) {
	v, ok := s.on(x)
	return s.place(v), ok
}

// edge returns where the end of an interval is: at the end of the axis where it cannot be shown.
func (s *scale) edge(x float64) vg.Length {
	v, ok := s.on(x)
	if !ok {
		v = s.low
	}
	return s.place(min(max(v, s.low), s.high))
}

func (s *scale) place(v float64) vg.Length {
	return s.from + (s.to-s.from)*vg.Length((v-s.low)/(s.high-s.low))
}

// include widens the scale so that it shows a number, if it can.
func (s *scale) include(x float64) {
	if v, ok := s.on(x); ok {
		s.low, s.high = min(s.low, v), max(s.high, v)
	}
}

// nothing is a scale without any number.
func nothing(log bool) scale {
	return scale{log: log, low: math.Inf(1), high: math.Inf(-1)}
}

// settle makes sure that a scale has a range, and leaves room at its ends: a share of it.
func (s *scale) settle(before, after float64) {
	if s.low > s.high {
		s.low, s.high = 0, 1
	}
	if wide := s.high - s.low; wide <= 1e-12*max(math.Abs(s.low), math.Abs(s.high)) {
		half := 0.5
		if !s.log && s.low != 0 {
			half = math.Abs(s.low) / 10
		}
		s.low, s.high = s.low-half, s.high+half
		return
	}
	wide := s.high - s.low
	s.low, s.high = s.low-before*wide, s.high+after*wide
}

// A tick is a place on an axis; a minor one has no label.
type tick struct {
	value  float64 // as the scale has it
	label  string
	raised string // a power after the label
}

// ticks returns the ticks of a scale, with about n labels at most, and more where else there
// would be a single one.
func (s *scale) ticks(n int) []tick {
	list := s.some(n)
	for more := n + 1; labels(list) < 2 && more < n+6; more++ {
		list = s.some(more)
	}
	return list
}

// labels counts ticks with a label.
func labels(list []tick) (n int) {
	for _, t := range list {
		if t.label != "" {
			n++
		}
	}
	return n
}

func (s *scale) some(n int) []tick {
	if s.log {
		return s.decades(n)
	}
	step := stepOf((s.high - s.low) / float64(max(1, n)))
	unit := math.Pow(10, float64(s.power()))
	digits := max(0, -int(math.Floor(math.Log10(step/unit)+1e-9)))
	if last := step / unit * math.Pow(10, float64(digits)); math.Abs(last-math.Round(last)) > 1e-6 {
		digits++ // 2.5
	}
	var list []tick
	for k := math.Ceil(s.low/step - 1e-9); k*step <= s.high+1e-9*step; k++ {
		list = append(list, tick{value: k * step, label: number(k*step/unit, digits)})
	}
	return list
}

// power is the power of ten that the labels of a linear scale are multiples of: a multiple of
// three, and 0 where they are neither long nor small.
func (s *scale) power() int {
	size := max(math.Abs(s.low), math.Abs(s.high))
	if s.log || size < 1e5 && size >= 1e-2 {
		return 0
	}
	return int(math.Floor(math.Log10(size)/3)) * 3
}

// stepOf returns the least of 1, 2, 2.5 and 5 times a power of ten that is not below a length.
func stepOf(least float64) float64 {
	ten := math.Pow(10, math.Floor(math.Log10(least)))
	for _, m := range []float64{1, 2, 2.5, 5} {
		if m*ten >= least*(1-1e-9) {
			return m * ten
		}
	}
	return 10 * ten
}

// decades returns the ticks of a logarithmic scale: labels at powers of ten, or also between
// them where there are fewer than two.
func (s *scale) decades(n int) []tick {
	first, last := math.Ceil(s.low-1e-9), math.Floor(s.high+1e-9)
	every := max(1, math.Ceil((last-first+1)/float64(max(1, n))))
	short := first >= -3 && last <= 3
	var list []tick
	for e := math.Floor(s.low); e <= last; e++ {
		for m := 1.; m < 10; m++ {
			v := e + math.Log10(m)
			if v < s.low-1e-9 || v > s.high+1e-9 || m > 1 && every > 1 {
				continue
			}
			t := tick{value: v}
			between := last-first < 1 && (m == 2 || m == 5 || s.high-s.low < 0.5)
			if m == 1 && math.Mod(e-first, every) == 0 || between {
				t.label, t.raised = powered(m, int(e), short)
			}
			list = append(list, t)
		}
	}
	return list
}

// powered writes m·10ᵉ, or as a decimal number where those of the axis are short.
func powered(m float64, e int, short bool) (label, raised string) {
	if short {
		return number(m*math.Pow(10, float64(e)), max(0, -e)), ""
	}
	label = "10"
	if m != 1 {
		label = number(m, 0) + "·10"
	}
	return label, number(float64(e), 0)
}

// number writes a number with digits after the point, and a minus sign that is none of the
// keyboard's.
func number(x float64, digits int) string {
	text := strconv.FormatFloat(x, 'f', digits, 64)
	if strings.Trim(text, "-0.") == "" {
		return "0"
	}
	return strings.Replace(text, "-", "−", 1)
}
