package engine

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/hansa-fl/hansa/framework/fl"
)

// A Result is what a cell produced. It is a function of the cell alone: it holds no
// time, no host and nothing else that differs from run to run.
type Result struct {
	ID         string    `json:"id"` // of the cell
	Seed       uint64    `json:"seed"`
	Parameters int       `json:"parameters"` // length of θ
	Rounds     []int     `json:"rounds"`     // when metrics were taken; 0: before training
	Series     []Series  `json:"series"`     // one per measure, in the experiment's order
	Notes      []string  `json:"notes"`      // footnotes
	Law        LawFacts  `json:"law"`
	Data       DataFacts `json:"data"`

	// Observed are numbers that components had in every round.
	Observed []fl.Observation `json:"observed,omitempty"`

	// Sample is a text of the final model; nil where data are no text.
	Sample *TextSample `json:"sample,omitempty"`

	Volatile []Series `json:"-"` // what differs from run to run, such as seconds
	Cost     *Cost    `json:"-"` // what the cell took
}

// A Series is one measure over the rounds of a Result.
type Series struct {
	Key    string `json:"key"`
	Unit   string `json:"unit"`
	Higher bool   `json:"higher"` // whether higher is better
	Values Floats `json:"values"` // one per round of the Result

	// Describes says that neither is, and that NaN says that there was nothing to tell.
	Describes bool `json:"describes,omitempty"`
}

// InBytes turns counts of numbers into bytes. Their unit is "floats" in older results, and in
// metrics of older strategies.
func (s *Series) InBytes() {
	if s.Unit != "floats" {
		return
	}
	s.Unit = fl.Bytes
	for i := range s.Values {
		s.Values[i] *= fl.BytesPerNumber
	}
}

// LawFacts say how cohorts arose.
type LawFacts struct {
	Known   bool    `json:"known"`   // to the server
	Exact   bool    `json:"exact"`   // false when estimated from simulated rounds
	Cohorts int     `json:"cohorts"` // number listed; 0 when they were not
	Draws   int     `json:"draws"`   // simulated rounds behind an estimate
	Skipped int     `json:"skipped"` // empty rounds of this cell
	Mean    float64 `json:"mean"`    // size of the cohort, averaged over the rounds of this cell
}

// DataFacts say how different the clients' data are. What concerns labels is 0 for
// regression.
type DataFacts struct {
	Samples          int     `json:"samples"`            // Σ nᵢ
	LeftOut          int     `json:"left_out,omitempty"` // training samples that no client has
	SizeCV           float64 `json:"size_cv"`            // coefficient of variation of nᵢ
	EffectiveClasses float64 `json:"effective_classes"`  // mean exp(entropy of a client's labels)
	MeanTV           float64 `json:"mean_tv"`            // mean TV(a client's labels, all labels)
}

// Floats are numbers that survive JSON: NaN and ±Inf are written as strings, all others
// with as many digits as are needed to read back the same bits.
type Floats []float64

// MarshalJSON implements json.Marshaler.
func (f Floats) MarshalJSON() ([]byte, error) {
	b := []byte{'['}
	for i, x := range f {
		if i > 0 {
			b = append(b, ',')
		}
		if math.IsNaN(x) || math.IsInf(x, 0) {
			b = strconv.AppendQuote(b, strconv.FormatFloat(x, 'g', -1, 64))
		} else {
			b = strconv.AppendFloat(b, x, 'g', -1, 64)
		}
	}
	return append(b, ']'), nil
}

// UnmarshalJSON implements json.Unmarshaler. Long series are most of what there is to read of
// a run, so it takes one pass where a list of json.RawMessage would take three.
func (f *Floats) UnmarshalJSON(b []byte) error {
	list := strings.TrimSpace(string(b))
	*f = Floats{}
	if list == "null" {
		return nil
	}
	list, open := strings.CutPrefix(list, "[")
	list, shut := strings.CutSuffix(list, "]")
	if !open || !shut {
		return fmt.Errorf("engine: %s is not a list of numbers", b)
	}
	if strings.TrimSpace(list) == "" {
		return nil
	}
	*f = make(Floats, 0, 1+strings.Count(list, ","))
	for text := range strings.SplitSeq(list, ",") {
		text = strings.TrimSpace(text)
		if n := len(text); n > 1 && text[0] == '"' && text[n-1] == '"' {
			text = text[1 : n-1]
		}
		x, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return fmt.Errorf("engine: %q is not a number", text)
		}
		*f = append(*f, x)
	}
	return nil
}
