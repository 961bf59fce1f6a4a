package contract

import (
	"fmt"
	"math"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/registry"
)

func models() exam[fl.Model] {
	return exam[fl.Model]{
		of:   registry.Models(),
		data: true,
		checks: []check[*subject[fl.Model]]{
			{"sized", "For returns a model for the data that Fits accepts", "", sizedModel},
			{"layout", "the blocks of the layout tile the parameter vector without gap or " +
				"overlap, and its layers, where it has any, make a graph that owns them all",
				"sized", onModel(tiles)},
			{"init", "Init returns finite parameters as long as the layout, the same bits from " +
				"the same stream", "layout", initialises},
			{readOnly, "a Worker modifies neither parameters nor data nor the list of rows",
				"init", onModel(readsAll)},
			{"scores", "the scores of a row are finite and do not depend on the rows beside it",
				"init", onModel(scoresRows)},
			{"gradient", "Gradient is the derivative of Loss on the same rows: nil, all listed, " +
				"or some (central differences, 1e-6; in float32 along lines, 1e-2)",
				"init", onModel(derives)},
			{"inputs", "InputGradient of an InputWorker adds the derivative of the scores, and " +
				"of the distance that it returns, at rows of numbers (along lines, 2e-2)",
				"init", onModel(derivesInputs)},
			{"adds", "Gradient adds to what it is given", "init", onModel(adds)},
			{"batch", "loss and gradient of several rows are the means over the rows alone, " +
				"whose losses SampleLosses of a SampleWorker gives, too (within 1e-12; 1e-4 in " +
				"float32)",
				"init", onModel(averages)},
			{"descends", "five steps of Descend train what those by Gradient train, with " +
				"each correction, and take a snapshot on the way (within 1e-12; 1e-4 in float32)",
				"init", onModel(descends)},
			{"moments", "moments beside the rows change neither loss nor gradient, within 1e-9",
				"init", onModel(usesMoments)},
			{"pooled", "where its Facts say that moments suffice, Loss needs no rows: the " +
				"engine measures the objective by moments alone", "init", onModel(measuresPool)},
			{"workers", "two Workers at once give the bits that each gives alone",
				readOnly, onModel(worksAtOnce)},
			{"optimum", "where there is a solver, the objective has a gradient of at most 1e-8 " +
				"at its optimum, or where it is not smooth, no lower value at 1,000 points about " +
				"it, and the value that it says", "moments", onModel(solves)},
			{"gap", "where an Optimum has a Gap, it is the objective less its minimum, within " +
				"1e-8", "optimum", onModel(knowsGap)},
		},
	}
}

// A bench is a model at work on a toy's data.
type bench struct {
	toy    *fixture
	model  fl.Model // made for the toy
	data   *fl.Dataset
	points []fl.Vector // parameters to look at

	options *Options
}

func sizedModel(s *subject[fl.Model]) string {
	m, err := s.build().For(s.toy.setting.Shape)
	switch {
	case err != nil:
		return "error: " + err.Error()
	case m == nil:
		return "For returned nil"
	}
	return ""
}

// large is how many parameters a model may have and still be examined when its entry has
// an Example, which says how to make it small.
const large = 100_000

// onModel asks about a fresh instance, at θ⁰ and elsewhere.
func onModel(ask func(b *bench) string) func(s *subject[fl.Model]) string {
	return func(s *subject[fl.Model]) string {
		m, err := s.build().For(s.toy.setting.Shape)
		if err != nil {
			return "error: " + err.Error()
		}
		if len(s.entry.Example) > 0 && m.Layout().Len() > large {
			return ""
		}
		b := &bench{toy: s.toy.copy(), model: m, data: s.toy.population.Train.Pick(upTo(40)),
			options: &s.options}
		for k, deviation := range []float64{0, 0.1, 1} {
			theta, rng := m.Init(s.stream("init").Rand()), s.stream("parameters").At(k, 0).Rand()
			away := normals(rng, len(theta), deviation)
			for _, block := range m.Layout().Blocks {
				if block.Name == fl.RunningVariance { // which is not negative
					clear(away[block.Offset : block.Offset+block.Rows*block.Cols])
				}
			}
			theta.AddScaled(1, away)
			b.points = append(b.points, theta)
		}
		return ask(b)
	}
}

// tolerance returns how far numbers may be apart that differ by rounding alone.
func (b *bench) tolerance() float64 {
	if b.model.Facts().Single {
		return 1e-4
	}
	return 1e-12
}

func tiles(b *bench) string {
	next := 0
	for _, block := range b.model.Layout().Blocks {
		switch {
		case block.Rows < 1 || block.Cols < 1:
			return fmt.Sprintf("block %s is %d×%d", block.Name, block.Rows, block.Cols)
		case block.Offset != next:
			return fmt.Sprintf("block %s begins at %d, the one before ends at %d",
				block.Name, block.Offset, next)
		}
		next += block.Rows * block.Cols
	}
	if next == 0 {
		return "there are no blocks"
	}
	return graph(b.model.Layout())
}

// graph says what is wrong with the layers of a layout, where there are any.
func graph(l fl.Layout) string {
	owner := map[int]int{}
	for k, layer := range l.Layers {
		where := fmt.Sprintf("layer %d, %s", k, layer.Kind)
		if len(layer.From) == 0 {
			return where + ": nothing feeds it"
		}
		for _, from := range layer.From {
			if from < -1 || from >= k {
				return fmt.Sprintf("%s: layer %d feeds it, which does not come before it",
					where, from)
			}
		}
		for _, i := range layer.Blocks {
			if i < 0 || i >= len(l.Blocks) {
				return fmt.Sprintf("%s: block %d of %d", where, i, len(l.Blocks))
			}
			if other, taken := owner[i]; taken && layer.Kind != fl.KindTied {
				return fmt.Sprintf("%s: block %d is of layer %d, too", where, i, other)
			}
			owner[i] = k
		}
	}
	if len(l.Layers) > 0 && len(owner) < len(l.Blocks) {
		return fmt.Sprintf("%d of %d blocks are of no layer",
			len(l.Blocks)-len(owner), len(l.Blocks))
	}
	return ""
}

func initialises(s *subject[fl.Model]) string {
	var first fl.Vector
	for k := range 2 {
		m, err := s.build().For(s.toy.setting.Shape)
		if err != nil {
			return "error: " + err.Error()
		}
		theta, want := m.Init(s.stream("init").Rand()), m.Layout().Len()
		switch {
		case len(theta) != want:
			return fmt.Sprintf("%d parameters, the layout has %d", len(theta), want)
		case !theta.Finite():
			return "NaN or Inf"
		case k == 0:
			first = theta.Clone()
		}
		if d := apart(first, theta, 0); d != "" {
			return d
		}
	}
	return ""
}

// width returns the number of scores of a row.
func (b *bench) width() int {
	return max(1, b.toy.setting.Shape.Classes) * b.toy.setting.Shape.PerRow()
}

// gradient returns the gradient at theta, by a Worker of its own.
func (b *bench) gradient(theta fl.Vector, d *fl.Dataset, rows []int) fl.Vector {
	grad := make(fl.Vector, len(theta))
	b.model.Worker().Gradient(grad, theta, d, rows)
	return grad
}

// loss returns the loss at theta, by a Worker of its own.
func (b *bench) loss(theta fl.Vector, d *fl.Dataset) float64 {
	return b.model.Worker().Loss(theta, d)
}

func readsAll(b *bench) string {
	theta, data, rows := b.points[1].Clone(), b.data.Pick(upTo(b.data.Len())), []int{4, 1, 7}
	w := b.model.Worker()
	w.Scores(fl.NewMatrix(data.Len(), b.width()), theta, data.X)
	w.Loss(theta, data)
	w.Gradient(make(fl.Vector, len(theta)), theta, data, nil)
	w.Gradient(make(fl.Vector, len(theta)), theta, data, rows)
	before, after := newDigest(), newDigest()
	before.dataset(b.data)
	after.dataset(data)
	switch {
	case apart(theta, b.points[1], 0) != "":
		return "the parameters changed"
	case before.sum() != after.sum():
		return "the data changed"
	case !slices.Equal(rows, []int{4, 1, 7}):
		return "the list of rows changed"
	}
	return ""
}

func scoresRows(b *bench) string {
	const few = 5
	w, theta := b.model.Worker(), b.points[1]
	all := fl.NewMatrix(b.data.Len(), b.width())
	w.Scores(all, theta, b.data.X)
	if !fl.Vector(all.Data).Finite() {
		return "NaN or Inf"
	}
	part := fl.NewMatrix(few, b.width())
	w.Scores(part, theta, b.data.X.Slice(3, 3+few))
	return at("scored alone", apart(all.Slice(3, 3+few).Data, part.Data, 1e-12))
}

func derives(b *bench) string {
	if off := derivesGuided(b); off != "" {
		return off
	}
	if b.model.Facts().Single {
		return derivesAlong(b)
	}
	some := []int{3, 17, 8, 30, 5}
	picked := b.data.Pick(some)
	for k, theta := range b.points {
		whole := b.slope(theta, b.data)
		for _, c := range []struct {
			name  string
			rows  []int
			slope fl.Vector
		}{
			{"all rows", nil, whole},
			{"all rows, listed", upTo(b.data.Len()), whole},
			{"some rows", some, b.slope(theta, picked)},
		} {
			away := c.slope.Clone()
			away.AddScaled(-1, b.gradient(theta, b.data, c.rows))
			// Differences have an error of their own, about ε^⅔ of the loss.
			if off := away.Norm(); !(off <= 1e-6*c.slope.Norm()+1e-9) {
				return fmt.Sprintf("%s, point %d: off by %.2g where the slope is %.2g",
					c.name, k+1, off, c.slope.Norm())
			}
		}
	}
	return ""
}

// slope returns the gradient of Loss by central differences, of one Worker: making one may take
// longer than the loss.
func (b *bench) slope(theta fl.Vector, d *fl.Dataset) fl.Vector {
	w, slope, x := b.model.Worker(), make(fl.Vector, len(theta)), theta.Clone()
	for k := range x {
		h := 6e-6 * math.Max(1, math.Abs(theta[k])) // ε^⅓
		x[k] = theta[k] + h
		up, above := w.Loss(x, d), x[k]
		x[k] = theta[k] - h
		slope[k] = (up - w.Loss(x, d)) / (above - x[k])
		x[k] = theta[k]
	}
	return slope
}

func adds(b *bench) string {
	for _, rows := range [][]int{nil, {4, 1, 7}} {
		want := b.gradient(b.points[1], b.data, rows)
		grad := make(fl.Vector, len(want))
		for k := range grad {
			grad[k] = float64(k + 1)
			want[k] += grad[k]
		}
		b.model.Worker().Gradient(grad, b.points[1], b.data, rows)
		if d := apart(want, grad, 1e-12); d != "" {
			return d
		}
	}
	return ""
}

func averages(b *bench) string {
	rows, theta := []int{3, 17, 8, 30, 5}, b.points[1]
	loss, grad := 0.0, make(fl.Vector, len(theta))
	for _, r := range rows {
		loss += b.loss(theta, b.data.Pick([]int{r})) / float64(len(rows))
		grad.AddScaled(1/float64(len(rows)), b.gradient(theta, b.data, []int{r}))
	}
	if d := differ(loss, b.loss(theta, b.data.Pick(rows)), b.tolerance()); d != "" {
		return at("loss", d)
	}
	if d := apart(grad, b.gradient(theta, b.data, rows), b.tolerance()); d != "" {
		return at("gradient", d)
	}
	return samplesAlone(b, theta)
}

// samplesAlone compares what a SampleWorker says of rows with the loss of each.
func samplesAlone(b *bench, theta fl.Vector) string {
	w, ok := b.model.Worker().(fl.SampleWorker)
	if !ok {
		return ""
	}
	losses := make(fl.Vector, b.data.Len())
	w.SampleLosses(losses, theta, b.data)
	for r, x := range losses {
		if d := differ(b.loss(theta, b.data.Pick([]int{r})), x, b.tolerance()); d != "" {
			return at(fmt.Sprintf("SampleLosses of row %d", r), d)
		}
	}
	return ""
}

func usesMoments(b *bench) string {
	if b.data.Target == nil {
		return ""
	}
	both := *b.data
	both.Moments = fl.NewMoments(b.data, nil)
	for _, theta := range b.points {
		if d := differ(b.loss(theta, b.data), b.loss(theta, &both), 1e-9); d != "" {
			return at("loss", d)
		}
		for _, rows := range [][]int{nil, {4, 1, 7}} {
			without, beside := b.gradient(theta, b.data, rows), b.gradient(theta, &both, rows)
			if d := apart(without, beside, 1e-9); d != "" {
				return at("gradient", d)
			}
		}
	}
	return ""
}

func measuresPool(b *bench) string {
	if b.data.Target == nil || !b.model.Facts().Moments {
		return ""
	}
	alone := &fl.Dataset{Shape: b.data.Shape, Moments: fl.NewMoments(b.data, nil)}
	for _, theta := range b.points {
		if d := differ(b.loss(theta, b.data), b.loss(theta, alone), 1e-9); d != "" {
			return d
		}
	}
	return ""
}
