package export

import (
	"bufio"
	"encoding/json"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/infer"
)

// TidyJSONL writes a run as TidyCSV does, a line of JSON for every value. JSON has no number
// for what is not finite: its value is null, and the line says what it is by "nan": true or by
// "inf": 1 or −1.
func TidyJSONL(w io.Writer, in infer.Input) error {
	t, err := newLongTable(&in)
	if err != nil {
		return err
	}
	var keys []string
	for _, c := range t.columns() {
		keys = append(keys, jsonText(c)+":")
	}
	out := bufio.NewWriter(w)
	for m := range t.rows() {
		values := []string{jsonText(m.cell), jsonText(m.method)}
		for _, label := range m.point {
			values = append(values, jsonText(label))
		}
		values = append(values, strconv.FormatUint(m.seed, 10), strconv.Itoa(m.round),
			jsonText(m.metric), jsonNumber(m.value))
		for k, v := range values {
			values[k] = keys[k] + v
		}
		if _, err := out.WriteString("{" + strings.Join(values, ",") + "}\n"); err != nil {
			return err
		}
	}
	return out.Flush()
}

// jsonText returns a text as JSON.
func jsonText(text string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(text) // of a text, into memory: neither fails
	return study.Printable(strings.TrimSuffix(b.String(), "\n"))
}

// jsonNumber returns a number as JSON, with what JSON cannot say of it behind it.
func jsonNumber(x float64) string {
	switch {
	case math.IsNaN(x):
		return `null,"nan":true`
	case math.IsInf(x, 1):
		return `null,"inf":1`
	case math.IsInf(x, -1):
		return `null,"inf":-1`
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}
