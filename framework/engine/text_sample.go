package engine

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/hansa-fl/hansa/framework/fl"
)

// A TextSample is what the final model of a cell on characters makes of the beginning of a text.
type TextSample struct {
	Prompt string `json:"prompt"` // the first row of test data, or else of training data
	Text   string `json:"text"`   // what the model goes on with
}

const (
	// sampled is how many characters a model goes on with.
	sampled = 160
	// coolness is the temperature by which its scores are divided.
	coolness = 0.8
)

// textSample returns a sample of the model, drawn from a stream of its own; nil where data are no
// characters, or are not those that the model scores the next of.
func (c *Cell) textSample() *TextSample {
	pop := c.world.Population
	from, letters := pop.Test, pop.Alphabet
	if from == nil || from.Len() == 0 {
		from = pop.Train
	}
	shape := from.Shape
	if letters == nil || shape.Classes != len(letters) || shape.Tokens != len(letters) {
		return nil
	}
	var text strings.Builder
	row := slices.Clone(from.Row(0, make(fl.Vector, from.X.Cols))) // which may be packed
	for _, token := range row {
		text.WriteRune(letters[int(token)])
	}
	s := &TextSample{Prompt: text.String()}
	text.Reset()
	rng := fl.NewStream(c.setup.Seed, "sample text").Rand()
	scores := fl.NewMatrix(1, shape.PerRow()*shape.Classes)
	for range sampled {
		x := fl.Matrix{Rows: 1, Cols: len(row), Data: row}
		c.snapshot.Worker.Scores(scores, c.progress.Global, x)
		next := spelled(scores.Data[len(scores.Data)-shape.Classes:], rng)
		text.WriteRune(letters[next])
		copy(row, row[1:])
		row[len(row)-1] = float64(next)
	}
	s.Text = text.String()
	return s
}

// spelled draws a class with probabilities in proportion to e to the scores over the temperature.
// It overwrites the scores; where they are not finite, it returns the first class.
func spelled(scores fl.Vector, rng *rand.Rand) int {
	top, u := slices.Max(scores), rng.Float64()
	for k, v := range scores {
		scores[k] = math.Exp((v - top) / coolness)
	}
	u *= scores.Sum()
	for k, v := range scores {
		if u -= v; u < 0 {
			return k
		}
	}
	return 0
}
