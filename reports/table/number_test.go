package table

import (
	"math"
	"testing"

	"github.com/hansa-fl/hansa/reports/infer"
)

var nan = math.NaN()

// column makes cells with the given means and spreads: mean, spread, mean, spread, …
func column(numbers ...float64) []*Cell {
	var cells []*Cell
	for i := 0; i < len(numbers); i += 2 {
		cells = append(cells, &Cell{Mean: Number(numbers[i]), Spread: Number(numbers[i+1])})
	}
	return cells
}

// TestColumnsReadWell writes whole columns, because digits are chosen for a column.
func TestColumnsReadWell(t *testing.T) {
	for _, c := range []struct {
		name, unit string
		cells      []*Cell
		want       []string
	}{
		{"two digits of ±", "", column(0.34721, 0.00312), []string{"0.3472 ± 0.0031"}},
		{"common digits", "", column(4.8121, 1.9304, 4.0312, 0.2012),
			[]string{"4.81 ± 1.93", "4.03 ± 0.20"}},
		{"rounding up to a new digit", "", column(1, 0.0996), []string{"1.00 ± 0.10"}},
		{"too far apart for common digits", "", column(0.3165, 0.0011, 16900, 250),
			[]string{"0.3165 ± 0.0011", "16900 ± 250"}},
		{"six digits at most", "", column(1234.56789, 0.00012), []string{"1234.57 ± 0.00012"}},
		{"one seed", "", column(0.34721, nan, 0.5, nan), []string{"0.3472", "0.5000"}},
		{"one seed each of its own", "", column(0.34721, nan, 16900, nan),
			[]string{"0.3472", "16900"}},
		{"deterministic", "", column(0.34721, 0), []string{"0.3472 ± 0"}},
		{"deterministic beside noisy", "", column(205.1, 0, 278.02, 1.5),
			[]string{"205.1 ± 0", "278.0 ± 1.5"}},
		{"deterministic but small beside noisy", "", column(0.03123, 0, 278.02, 1.5),
			[]string{"0.03123 ± 0", "278.0 ± 1.5"}},
		{"zero", "", column(0, 0, 0, nan), []string{"0 ± 0", "0"}},
		{"zero mean", "", column(1e-18, 0.012), []string{"0.000 ± 0.012"}},
		{"no negative zero", "", column(-1e-9, 0.012), []string{"0.000 ± 0.012"}},
		{"minus", "", column(-1.25, 0.12), []string{"−1.25 ± 0.12"}},
		{"tiny", "", column(3.4218e-5, 2.14e-6), []string{"(3.42 ± 0.21)e−5"}},
		{"tiny, one seed", "", column(3.4218e-5, nan), []string{"3.422e−5"}},
		{"tiny with a larger spread", "", column(2e-5, 3e-4), []string{"(0.2 ± 3.0)e−4"}},
		{"small with a large spread", "", column(2e-5, 0.3), []string{"0.00 ± 0.30"}},
		{"huge", "", column(1.2346e7, 4.2e5), []string{"(1.235 ± 0.042)e7"}},
		{"just below the exponent", "", column(99999.4, 120), []string{"99999 ± 120"}},
		{"rounds up into it", "", column(999999.9, 0), []string{"(1.000 ± 0)e6"}},
		{"smallest", "", column(5e-324, nan), []string{"4.941e−324"}},
		{"largest", "", column(math.MaxFloat64, math.MaxFloat64/8), []string{"(1.80 ± 0.22)e308"}},
		{"one size, one exponent", "", column(1.06e-5, 1.9e-6, 9.8e-6, 1.8e-6, 0, 0),
			[]string{"(1.06 ± 0.19)e−5", "(0.98 ± 0.18)e−5", "0 ± 0"}},
		{"on both sides of the border", "", column(1.06e-3, 1.9e-4, 9.8e-4, 1.8e-5),
			[]string{"(1.060 ± 0.190)e−3", "(0.980 ± 0.018)e−3"}},
		{"exponents too far apart", "", column(1.06e-5, 1.9e-6, 9.8e-9, 1.8e-10),
			[]string{"(1.06 ± 0.19)e−5", "(9.80 ± 0.18)e−9"}},
		{"mixed with an exponent", "", column(0.41, 0.012, 1.7e6, 2.5e5),
			[]string{"0.410 ± 0.012", "(1.70 ± 0.25)e6"}},
		{"percent", "%", column(97.214, 0.183, 8, nan), []string{"97.21 ± 0.18", "8.00"}},
		{"percent, tiny spread", "%", column(97.2, 0.0012), []string{"97.20 ± 0.0012"}},
		{"bytes", "B", column(20000, 0, 1e6, 0, 512, 0, 1.55e9, 0),
			[]string{"20.0 kB", "1.0 MB", "512 B", "1.6 GB"}},
		{"bytes that vary", "B", column(20512.4, 312), []string{"(20.5 ± 0.3) kB"}},
		{"bytes that hardly vary", "B", column(20512.4, 3), []string{"(20.5 ± 0.0030) kB"}},
		{"few bytes that vary", "B", column(51.25, 3.1), []string{"(51.2 ± 3.1) B"}},
		{"bytes at the border", "B", column(999_949, 0, 999_951, 0, 0, 0),
			[]string{"999.9 kB", "1.0 MB", "0 B"}},
		{"seconds", "s", column(12.345, 0.87), []string{"12.35 ± 0.87"}},
		{"not numbers", "", column(nan, nan, math.Inf(1), nan, math.Inf(-1), nan, 1.5, 0.1),
			[]string{"NaN", "∞", "−∞", "1.50 ± 0.10"}},
		{"mean with an infinite spread", "", column(1.5, math.Inf(1)), []string{"1.500 ± ∞"}},
	} {
		s := styleOf(c.unit, c.cells)
		for i, cell := range c.cells {
			got := s.entry(float64(cell.Mean), float64(cell.Spread)).String()
			if got != c.want[i] {
				t.Errorf("%s: %q, want %q", c.name, got, c.want[i])
			}
		}
	}
}

func TestQuantity(t *testing.T) {
	for _, c := range []struct {
		x    float64
		unit string
		want string
	}{
		{0.02149, "", "0.021"}, {17.4, "", "17"}, {1234, "", "1234"}, {3.14e-7, "", "3.1e−7"},
		{0.2149, "%", "0.21 pp"}, {12, "%", "12 pp"}, {21490, "B", "21.5 kB"},
		{0.5, "s", "0.50 s"}, {2.7e8, "", "2.7e8"}, {0, "", "0"},
	} {
		if got := quantity(c.x, c.unit); got != c.want {
			t.Errorf("%v %s: %q, want %q", c.x, c.unit, got, c.want)
		}
	}
}

func TestChange(t *testing.T) {
	told := func(delta, relative, p float64, o infer.Outcome) *PairedDifference {
		return &PairedDifference{Delta: Number(delta), Relative: Number(relative), P: Number(p),
			Outcome: o}
	}
	for _, c := range []struct {
		versus *PairedDifference
		unit   string
		want   string
	}{
		{nil, "", "—"},
		{told(-4.8, -0.9936, 0.00102, infer.Significant), "", "−99.4 % (p = 0.001)"},
		{told(0.1, 0.02, 0.4149, infer.NotSignificant), "", "~ (p = 0.41)"},
		{told(0.1, 0.02, nan, infer.Untested), "", "+2.0 %"},
		{told(0.1, 0.02, nan, infer.Constant), "", "+2.0 % (always)"},
		{told(0, 0, nan, infer.Identical), "", "identical"},
		{told(0, 0, nan, infer.Untested), "", "0.0 %"},
		{told(1, 0.00031, 2e-7, infer.Significant), "", "+0.031 % (p < 0.001)"},
		{told(-1, -0.99998, 2e-7, infer.Significant), "", "−99.998 % (p < 0.001)"},
		{told(-1, -1, 2e-7, infer.Significant), "", "−100.0 % (p < 0.001)"},
		{told(9, 8.99, 0.02, infer.Significant), "", "+899.0 % (p = 0.020)"},
		{told(9, 9.04, 0.02, infer.Significant), "", "×10.0 (p = 0.020)"},
		{told(9, 50379.2, 0.02, infer.Significant), "", "×50400 (p = 0.020)"},
		{told(9, 4.8e6, 0.02, infer.Significant), "", "×4.8e6 (p = 0.020)"},
		{told(7.856, nan, 0.0004, infer.Significant), "%", "+7.86 pp (p < 0.001)"},
		{told(-0.5, nan, 0.012, infer.Significant), "", "−0.5000 (p = 0.012)"},
		{told(20512, nan, 0.012, infer.Significant), "B", "+20.5 kB (p = 0.012)"},
		{told(math.Inf(1), nan, nan, infer.Untested), "", "∞"},
	} {
		if got := changeEntry(c.versus, c.unit).String(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// TestChanceShowsItsSide: what is printed is below 0.05 exactly when p is.
func TestChanceShowsItsSide(t *testing.T) {
	for _, c := range []struct {
		p    float64
		want string
	}{
		{0, "p < 0.001"}, {0.00099, "p < 0.001"}, {0.001, "p = 0.001"}, {0.0449, "p = 0.045"},
		{0.04999, "p = 0.04999"}, {0.05, "p = 0.05000"}, {0.05001, "p = 0.05001"},
		{0.0994, "p = 0.099"}, {0.0996, "p = 0.10"}, {0.999, "p = 1.00"}, {1, "p = 1.00"},
	} {
		if got := pValueText(c.p); got != c.want {
			t.Errorf("%v: %q, want %q", c.p, got, c.want)
		}
	}
}

func TestStars(t *testing.T) {
	for _, c := range []struct {
		p    float64
		o    infer.Outcome
		want string
	}{
		{0.0009, infer.Significant, "***"}, {0.001, infer.Significant, "**"}, {0.01, infer.Significant, "*"},
		{0.2, infer.NotSignificant, "~"},
		{nan, infer.Constant, "†"}, {nan, infer.Identical, "="}, {nan, infer.Untested, ""},
	} {
		if got := significanceMark(&PairedDifference{P: Number(c.p), Outcome: c.o}); got != c.want {
			t.Errorf("%s with p = %v: %q, want %q", c.o, c.p, got, c.want)
		}
	}
}

// TestDifferencesReadWell: a difference has the digits of its cell.
func TestDifferencesReadWell(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		unit                string
		mean, spread, delta float64
		outcome             infer.Outcome
		want                string
	}{
		{"%", 72.05, 0.41, 7.86, infer.Significant, "(+7.86)"},
		{"%", 72.05, 0.41, -12.345, infer.NotSignificant, "(−12.35)"},
		{"%", 72.05, nan, 0.002, infer.Untested, "(0.00)"},
		{"%", 72.05, 0.41, 0.002, infer.Significant, "(+0.0020)"},
		{"%", 72.05, 0.41, -1e-9, infer.Constant, "(0.000000)"},
		{"%", 72.05, 0.41, -1e-17, infer.Identical, "(0.00)"},
		{"", 0.3472, 0.0031, -0.00094, infer.Significant, "(−0.0009)"},
		{"", 0.3472, 0.0031, 0.00004, infer.Significant, "(+0.000040)"},
		{"", 0.3472, 0.0031, 0.00004, infer.NotSignificant, "(0.0000)"},
		{"", 16900, 250, -16899.7, infer.Significant, "(−16900)"},
		{"", 0.41, 0.012, -1.7e6, infer.Significant, "(−1.700e6)"},
		{"", 9.8e-6, 1.8e-6, -8e-7, infer.Significant, "(−0.8e−6)"},
		{"", 1.7e6, 2.5e5, 1.7e6, infer.Significant, "(+1.70e6)"},
		{"", 6.4e-5, 0, -0.8178652, infer.Constant, "(−0.8179)"},
		{"B", 20512, 0, 512, infer.Constant, "(+512 B)"},
		{"B", 20512, 0, -20000, infer.Constant, "(−20.0 kB)"},
		{"s", 12.3, 0.9, 1.25, infer.Significant, "(+1.25)"},
		{"", 0, 0, -3.5, infer.Constant, "(−3.500)"},
		{"", 1.5, 0.1, -inf, infer.Untested, "(−∞)"},
	} {
		cell := &Cell{Mean: Number(c.mean), Spread: Number(c.spread),
			Versus: &PairedDifference{Delta: Number(c.delta), Outcome: c.outcome}}
		e := Entry{Delta: styleOf(c.unit, []*Cell{cell}).delta(cell)}
		if got := e.Parentheses(); got != c.want {
			t.Errorf("%v ± %v %s: %q, want %q", c.mean, c.spread, c.unit, got, c.want)
		}
	}
	if e := (style{}).delta(&Cell{}); e != nil {
		t.Errorf("nothing is compared, and it reads %+v", e)
	}
}

// An interval in words never hides on which side of zero it ends.
func TestIntervalsShowTheirSide(t *testing.T) {
	for _, c := range []struct {
		unit      string
		low, high float64
		want      string
	}{
		{"", -0.04, 2.04, "[−0.04, 2.04]"}, {"", 0, 2, "[0.0, 2.0]"}, {"", 0.004, 2, "[0.004, 2.000]"},
		{"%", -0.0004, 1, "[−0.0004, 1.0000]"}, {"%", 1, 2, "[1.00, 2.00]"},
		{"", -2e-9, 3e-5, "[−0.0002, 3.0000]e−5"}, {"", -1e6, 3e6, "[−1.0, 3.0]e6"},
		{"", 5, 5, "[5.000, 5.000]"}, {"", nan, 1, "—"}, {"", 0, math.Inf(1), "—"},
	} {
		s := style{unit: c.unit, digits: -1}
		if c.unit == "%" {
			s.digits = 2
		}
		if got := s.interval(c.low, c.high); got != c.want {
			t.Errorf("%v to %v: %s, want %s", c.low, c.high, got, c.want)
		}
	}
}

func TestEntryValue(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		e    Entry
		want float64
	}{
		{prefixed(20_512, nan), 20_500}, {prefixed(3, nan), 3}, {prefixed(1.36e6, nan), 1.4e6},
		{powered(-1.5e-7, 2e-8, -7, 1), -1.5e-7}, {fixed(-0.25, nan, 2), -0.25},
		{signed(-99.4, 1, " %"), -99.4}, {Entry{Whole: "×17", Frac: ".5"}, 17.5},
		{Entry{Word: "failed"}, nan}, {Entry{Word: "∞"}, nan}, {Entry{}, nan},
	} {
		got := float64(c.e.Value())
		if math.Abs(got-c.want) > 1e-9*math.Abs(c.want) || math.IsNaN(got) != math.IsNaN(c.want) {
			t.Errorf("%q is sorted by %g, not %g", c.e, got, c.want)
		}
	}
}
