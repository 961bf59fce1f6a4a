package model

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

// A sequenceCase is a model that PyTorch trained a step of.
type sequenceCase struct {
	Name                  string
	Tokens, Params, Grads []float64
	Scores                []float64
	Y                     []int
	Loss                  float64
}

// Scores, loss and gradient of these models are PyTorch's: nn.LSTM, nn.GRU, and
// nn.TransformerEncoderLayer with norms first and a causal mask.
//
//hansa:verifies source model/lstm model/gru model/transformer
func TestSequencesAgainstPyTorch(t *testing.T) {
	text, err := os.ReadFile("testdata/sequence.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Cases []sequenceCase }
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Cases) != 5 {
		t.Fatalf("%d cases", len(file.Cases))
	}
	for _, c := range file.Cases {
		e, given := LSTM, map[string]any{"embedding": int64(3), "units": int64(4)}
		switch {
		case strings.HasPrefix(c.Name, "gru"):
			e = GRU
		case c.Name == "transformer":
			e, given = Transformer, map[string]any{"layers": int64(2), "width": int64(4),
				"heads": int64(2)}
		}
		d := &fl.Dataset{X: fl.Matrix{Rows: 4, Cols: 6, Data: c.Tokens}, Y: c.Y,
			Shape: fl.Shape{Features: 6, Classes: 5, Tokens: 5, Labels: len(c.Y) / 4}}
		m := made(t, e, given, d.Shape)
		w := m.Worker()
		if m.Layout().Len() != len(c.Params) {
			t.Fatalf("%s: %d parameters, want %d", c.Name, m.Layout().Len(), len(c.Params))
		}
		scores := fl.NewMatrix(4, len(c.Scores)/4)
		w.Scores(scores, c.Params, d.X)
		agree(t, c.Name+": scores", scores.Data, c.Scores)
		agree(t, c.Name+": loss", fl.Vector{w.Loss(c.Params, d)}, fl.Vector{c.Loss})
		grad := make(fl.Vector, len(c.Params))
		w.Gradient(grad, c.Params, d, nil)
		agree(t, c.Name+": gradient", grad, c.Grads)
	}
}

// agree compares numbers of float32 with those of float64.
func agree(t *testing.T, what string, got, want fl.Vector) {
	t.Helper()
	top := 0.0
	for _, v := range want {
		top = max(top, math.Abs(v))
	}
	for i, v := range want {
		if !(math.Abs(got[i]-v) <= 1e-5*top) {
			t.Fatalf("%s: element %d is %v, want %v", what, i, got[i], v)
		}
	}
}

// made returns a model for data of a shape.
func made(t *testing.T, e fl.ModelEntry, given map[string]any, shape fl.Shape) fl.Model {
	t.Helper()
	p := fl.NewParams(given, fl.Setting{}, nil)
	m, err := e.New(p)
	if err == nil {
		m, err = m.For(shape)
	}
	if problems := p.Finish(); err != nil || len(problems) > 0 {
		t.Fatal(err, problems)
	}
	return m
}

// With V tokens, the model of the paper has 8V + 4·256·(8 + 256 + 1) + 4·256·(256 + 256 + 1) + 257V
// parameters.
//
//hansa:verifies theorem model/lstm
func TestSizeOfTheLSTM(t *testing.T) {
	shape := fl.Shape{Features: 80, Classes: 80, Tokens: 80, Labels: 80}
	m := made(t, LSTM, nil, shape)
	if got, want := m.Layout().Len(), 8*80+1024*265+1024*513+257*80; got != want {
		t.Errorf("%d parameters, want %d", got, want)
	}
}

// With V tokens, the model has 8V + 3·256·(8 + 256 + 1) + 256 parameters in its first layer, and
// 3·256·(256 + 256 + 1) + 256 + 257V behind it.
//
//hansa:verifies theorem model/gru
func TestSizeOfTheGRU(t *testing.T) {
	shape := fl.Shape{Features: 80, Classes: 80, Tokens: 80, Labels: 80}
	m := made(t, GRU, nil, shape)
	if got, want := m.Layout().Len(), 8*80+768*265+256+768*513+256+257*80; got != want {
		t.Errorf("%d parameters, want %d", got, want)
	}
}

// A transformer that begins with zero weights behind its embeddings scores a token by the product
// of its embedding with that of the last one, normalised: blocks only add to what passes them.
//
//hansa:verifies equivalence model/transformer
func TestTransformerWithoutBlocksIsItsEmbedding(t *testing.T) {
	shape := fl.Shape{Features: 3, Classes: 4, Tokens: 4, Labels: 3}
	m := made(t, Transformer, map[string]any{"layers": int64(2), "width": int64(4)}, shape)
	theta := m.Init(fl.NewStream(1, "init").Rand())
	layout := m.Layout()
	for k, l := range layout.Layers {
		if w := layout.Block(k, fl.Weight); w != nil && l.Kind == fl.KindConv {
			clear(w.Of(theta).Data)
			clear(layout.Block(k, fl.Bias).Of(theta).Data)
		}
	}
	e, p := layout.Block(0, fl.Weight).Of(theta), layout.Block(1, fl.Weight).Of(theta)
	x := fl.Matrix{Rows: 1, Cols: 3, Data: []float64{2, 0, 3}}
	scores := fl.NewMatrix(1, 12)
	m.Worker().Scores(scores, theta, x)
	var want fl.Vector
	for t, token := range x.Data {
		row := fl.Vector(slices.Clone(e.Row(int(token))))
		row.Add(p.Row(t))
		mean := row.Sum() / 4
		square := 0.0
		for _, v := range row {
			square += (v - mean) * (v - mean) / 4
		}
		for k := range row {
			row[k] = (row[k] - mean) / math.Sqrt(square+1e-5)
		}
		for c := range 4 {
			want = append(want, row.Dot(e.Row(c)))
		}
	}
	agree(t, "scores", scores.Data, want)
}

// What a sequence model cannot take it says.
func TestSequencesSayWhatTheyNeed(t *testing.T) {
	for _, c := range []struct {
		shape fl.Shape
		say   string
	}{
		{fl.Shape{Features: 3, Classes: 4}, "rows must hold tokens"},
		{fl.Shape{Features: 3, Tokens: 4}, "needs classes"},
		{fl.Shape{Features: 3, Classes: 4, Tokens: 4, Labels: 2}, "need one label, or one for each"},
		{fl.Shape{Features: 3, Classes: 2, Tokens: 4, Labels: 3}, "as many classes as tokens"},
	} {
		m, err := Transformer.New(fl.NewParams(nil, fl.Setting{}, nil))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.For(c.shape); err == nil || !strings.Contains(err.Error(), c.say) {
			t.Errorf("%+v: %v, want %s", c.shape, err, c.say)
		}
	}
}
