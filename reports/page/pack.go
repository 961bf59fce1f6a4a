package page

import (
	"encoding/json"
	"math"
	"strconv"
)

// numbers is a list of numbers that are written in few bytes: NaN and ±Inf are no numbers and
// become gaps.
type numbers []float64

// fewNumbers is how many are written as they are, with six significant digits.
const fewNumbers = 40

// A packed list has two characters for each number: how far it is from Low to High, in 4094 steps.
// On a logarithmic scale these are logarithms to base 10.
type packed struct {
	Low  float64 `json:"lo"`
	High float64 `json:"hi"`
	Log  bool    `json:"log,omitempty"`
	Data string  `json:"d"`
}

const (
	alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	gap      = 1<<12 - 1 // stands for no number; what stands for High is one less
	decades  = 2         // a range of positive numbers that is wider is packed by logarithms
)

// MarshalJSON implements json.Marshaler.
func (n numbers) MarshalJSON() ([]byte, error) {
	if len(n) > fewNumbers {
		return json.Marshal(pack(n))
	}
	b := []byte{'['}
	for i, x := range n {
		if i > 0 {
			b = append(b, ',')
		}
		if !finite(x) {
			b = append(b, "null"...)
			continue
		}
		b = strconv.AppendFloat(b, rounded(x), 'g', -1, 64)
	}
	return append(b, ']'), nil
}

// rounded returns a number with six significant digits.
func rounded(x float64) float64 {
	y, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 6, 64), 64)
	if err != nil {
		return x // it is near the largest there is
	}
	return y
}

func pack(values []float64) packed {
	low, high := math.Inf(1), math.Inf(-1)
	for _, x := range values {
		if finite(x) {
			low, high = min(low, x), max(high, x)
		}
	}
	if low > high {
		low, high = 0, 0
	}
	p := packed{Low: low, High: high}
	if p.Log = low > 0 && math.Log10(high/low) > decades; p.Log {
		p.Low, p.High = math.Log10(low), math.Log10(high)
	}
	b := make([]byte, 0, 2*len(values))
	for _, x := range values {
		k := gap
		if finite(x) {
			k = p.step(x)
		}
		b = append(b, alphabet[k>>6], alphabet[k&63])
	}
	p.Data = string(b)
	return p
}

// step returns which step of the range a number is nearest to.
func (p *packed) step(x float64) int {
	if p.Log {
		x = math.Log10(x)
	}
	wide := p.High - p.Low
	if !(wide > 0) {
		return 0
	}
	if math.IsInf(wide, 1) {
		x, wide = x/2-p.Low/2, p.High/2-p.Low/2
	} else {
		x -= p.Low
	}
	return int(math.Round(min(max(x/wide, 0), 1) * (gap - 1)))
}

// finite reports whether x is a number that a figure can show.
func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
