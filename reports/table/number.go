package table

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/reports/infer"
)

// An Entry is a cell as every renderer shows it: in pieces that line up with those above
// and below.
type Entry struct {
	Word   string // instead of a number: "failed", "—"
	Whole  string // up to the decimal point, with the sign
	Frac   string // from the decimal point on
	Spread string // what follows ±
	Scale  string // what both are multiplied with: "e−5", " k", " %"
	Delta  *Entry // the difference in parentheses behind it; nil for none
	Aside  string // "(3/5)", "(p = 0.04)"
	Star   string // "**", "~"
	Best   bool
	Notes  []int
}

// scientific reports whether a number is so large or small that it needs an exponent.
func scientific(mean, spread float64) bool {
	m := math.Abs(mean)
	if spread > m && infer.Finite(spread) {
		m = spread
	}
	return m >= 1e5 || m > 0 && m < 1e-3
}

// ownDigits is how many digits after the point a number needs by itself: for two
// significant ones in its spread, or four in itself where there is none.
func ownDigits(mean, spread float64) int {
	d := 0
	switch {
	case spread > 0 && infer.Finite(spread):
		d = decimals(spread, 2)
	case mean != 0:
		d = decimals(mean, 4)
	}
	if mean != 0 {
		d = min(d, decimals(mean, 6))
	}
	return max(0, d)
}

// decimals is how many digits after the point give x ≠ 0 the wanted significant ones;
// negative when the last of them stands before it.
func decimals(x float64, significant int) int { return significant - 1 - exponent(x, significant) }

// exponent is that of x ≠ 0 in scientific notation, once rounded.
func exponent(x float64, significant int) int {
	text := strconv.FormatFloat(x, 'e', significant-1, 64)
	e, _ := strconv.Atoi(text[strings.IndexByte(text, 'e')+1:])
	return e
}

// fixed writes numbers with a given number of digits after the point. A spread that this
// would round to nothing keeps two significant digits of its own.
func fixed(mean, spread float64, digits int) Entry {
	e := Entry{}
	e.Whole, e.Frac = cutAtPoint(mean, digits)
	switch {
	case math.IsNaN(spread):
	case spread == 0:
		e.Spread = "0"
	case spread < 0.5*math.Pow10(-digits):
		e.Spread = strconv.FormatFloat(spread, 'f', decimals(spread, 2), 64)
	default:
		e.Spread = strconv.FormatFloat(spread, 'f', digits, 64)
	}
	return e
}

// cutAtPoint writes x and cuts it before the decimal point. Zero has no sign.
func cutAtPoint(x float64, digits int) (whole, frac string) {
	text := strconv.FormatFloat(x, 'f', digits, 64)
	if strings.Trim(text, "-0.") == "" {
		text = strings.TrimPrefix(text, "-")
	}
	text = strings.Replace(text, "-", "−", 1)
	if i := strings.IndexByte(text, '.'); i >= 0 {
		return text[:i], text[i:]
	}
	return text, ""
}

// powerOf is the power of ten of a number or, where that is larger, of its spread.
func powerOf(mean, spread float64) int {
	if spread > math.Abs(mean) && infer.Finite(spread) {
		return exponent(spread, 2)
	}
	return exponent(mean, 6)
}

// powered writes numbers as multiples of a power of ten, with a given number of digits
// after the point.
func powered(mean, spread float64, power, digits int) Entry {
	e := fixed(timesPowerOfTen(mean, -power), timesPowerOfTen(spread, -power), digits)
	e.Scale = "e" + strings.Replace(strconv.Itoa(power), "-", "−", 1)
	return e
}

// timesPowerOfTen returns x · 10ᵖ, also where 10ᵖ alone is out of range.
func timesPowerOfTen(x float64, p int) float64 { return x * math.Pow10(p/2) * math.Pow10(p-p/2) }

// byteUnits are powers of 1000.
var byteUnits = []string{" B", " kB", " MB", " GB", " TB", " PB", " EB"}

// prefixed writes bytes with SI prefixes: 80.0 kB, 1.0 MB.
func prefixed(mean, spread float64) Entry {
	digits := 1
	if mean == math.Trunc(mean) && math.Abs(mean) < 1000 {
		digits = 0
	}
	k := 0
	for k+1 < len(byteUnits) && math.Abs(mean) >= 999.95 {
		mean, spread, k = mean/1000, spread/1000, k+1
	}
	if spread == 0 {
		spread = math.NaN() // the rule for a count: nothing to say
	}
	e := fixed(mean, spread, digits)
	e.Scale = byteUnits[k]
	return e
}

// quantity writes one number with two significant digits and its unit.
func quantity(x float64, unit string) string {
	if unit == fl.Bytes || !infer.Finite(x) || x == 0 {
		return style{unit: unit, digits: -1}.entry(x, math.NaN()).String()
	}
	if unit == "%" {
		return fixed(x, math.NaN(), max(0, decimals(x, 2))).String() + " pp"
	}
	// Given as a spread, the number gets two significant digits.
	e := style{digits: -1}.entry(0, math.Abs(x))
	text := e.Spread + e.Scale
	if unit != "" {
		text += " " + unit
	}
	return text
}

// String writes an entry in one piece, without difference, stars, notes and emphasis.
func (e Entry) String() string {
	text := e.Word + e.Whole + e.Frac
	switch {
	case e.Spread != "" && e.Scale != "":
		text = "(" + text + " ± " + e.Spread + ")" + e.Scale
	case e.Spread != "":
		text += " ± " + e.Spread
	default:
		text += e.Scale
	}
	if e.Aside != "" {
		text += " " + e.Aside
	}
	return text
}

// Pieces cuts an entry where those of a column line up: before the decimal point and
// before ±.
func (e Entry) Pieces() (lead, rest, tail string) {
	switch {
	case e.Spread == "":
		return e.Whole, e.Frac + e.Scale, ""
	case e.Scale == "":
		return e.Whole, e.Frac, " ± " + e.Spread
	default:
		return "(" + e.Whole, e.Frac, " ± " + e.Spread + ")" + e.Scale
	}
}

// Value returns the number that an entry shows, rounded as it is; NaN for none.
func (e Entry) Value() Number {
	text := strings.Replace(e.Whole+e.Frac, "−", "-", 1)
	if rest, ratio := strings.CutPrefix(text, "×"); ratio {
		text = rest
	}
	scale := strings.Replace(strings.TrimSpace(e.Scale), "−", "-", 1)
	if k := slices.Index(byteUnits, e.Scale); k >= 0 {
		scale = "e" + strconv.Itoa(3*k)
	}
	if strings.HasPrefix(scale, "e") {
		text += scale
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return Number(math.NaN())
	}
	return Number(x)
}
