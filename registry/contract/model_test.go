package contract

import (
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

// bent is a line of which parts are replaced; those that are nil are the line's.
type bent struct {
	toyLinear
	sized  func(in fl.Shape) (fl.Model, error)
	layout func(l fl.Layout) fl.Layout
	init   func(theta fl.Vector) fl.Vector
	worker func(w fl.Worker) fl.Worker
	solver func(s fl.Solver) fl.Solver
	kinks  bool // its gradient is called a subgradient
}

func (m bent) For(in fl.Shape) (fl.Model, error) {
	if m.sized != nil {
		return m.sized(in)
	}
	m.toyLinear = newToyLinear(in)
	return m, nil
}

func (m bent) Layout() fl.Layout {
	if m.layout != nil {
		return m.layout(m.toyLinear.Layout())
	}
	return m.toyLinear.Layout()
}

func (m bent) Init(rng *rand.Rand) fl.Vector {
	if m.init != nil {
		return m.init(m.toyLinear.Init(rng))
	}
	return m.toyLinear.Init(rng)
}

func (m bent) Worker() fl.Worker {
	if m.worker != nil {
		return m.worker(m.toyLinear.Worker())
	}
	return m.toyLinear.Worker()
}

func (m bent) Facts() fl.ModelFacts {
	theory := m.toyLinear.Facts()
	theory.Nonsmooth = m.kinks
	if m.solver != nil {
		theory.Solve = m.solver(theory.Solve)
	}
	return theory
}

// hired is a Worker of which parts are replaced.
type hired struct {
	fl.Worker
	scores   func(w fl.Worker, dst fl.Matrix, params fl.Vector, x fl.Matrix)
	loss     func(w fl.Worker, params fl.Vector, d *fl.Dataset) float64
	gradient func(w fl.Worker, grad, params fl.Vector, d *fl.Dataset, rows []int)
	descend  func(w fl.Worker, d *fl.Descent)
}

func (h hired) Scores(dst fl.Matrix, params fl.Vector, x fl.Matrix) {
	if h.scores != nil {
		h.scores(h.Worker, dst, params, x)
		return
	}
	h.Worker.Scores(dst, params, x)
}

func (h hired) Loss(params fl.Vector, d *fl.Dataset) float64 {
	if h.loss != nil {
		return h.loss(h.Worker, params, d)
	}
	return h.Worker.Loss(params, d)
}

func (h hired) Gradient(grad, params fl.Vector, d *fl.Dataset, rows []int) {
	if h.gradient != nil {
		h.gradient(h.Worker, grad, params, d, rows)
		return
	}
	h.Worker.Gradient(grad, params, d, rows)
}

func (h hired) Descend(d *fl.Descent) {
	if h.descend != nil {
		h.descend(h.Worker, d)
		return
	}
	d.Follow(h)
}

func bending(breaks, found string, m bent) citizen[fl.Model] {
	return made(breaks, found, func() fl.Model { return m })
}

func hiring(breaks, found string, h hired) citizen[fl.Model] {
	return bending(breaks, found, bent{worker: func(w fl.Worker) fl.Worker {
		h.Worker = w
		return h
	}})
}

// ignoring is a worker whose descent of a variant forgets what was asked for.
func ignoring(variant string, forget func(d *fl.Descent)) citizen[fl.Model] {
	return hiring("descends", "batches of 0, "+variant+": element ", hired{
		descend: func(w fl.Worker, d *fl.Descent) {
			forget(d)
			d.Follow(w)
		}})
}

func laying(found string, do func(l fl.Layout) fl.Layout) citizen[fl.Model] {
	return bending("layout", found, bent{layout: do})
}

// drawing changes a graph of one dense layer.
func drawing(found string, do func(l []fl.Layer) []fl.Layer) citizen[fl.Model] {
	return laying(found, func(l fl.Layout) fl.Layout {
		l.Layers = do([]fl.Layer{{Kind: fl.KindDense, From: []int{-1}, Blocks: []int{0, 1}}})
		return l
	})
}

// solving changes the optimum of the line.
func solving(breaks, found string, do func(best *fl.Optimum) error) citizen[fl.Model] {
	return bending(breaks, found, bent{solver: func(solve fl.Solver) fl.Solver {
		return func(pop *fl.Population, w fl.Vector) (fl.Optimum, error) {
			best, err := solve(pop, w)
			if err == nil {
				err = do(&best)
			}
			return best, err
		}
	}})
}

func TestBadModels(t *testing.T) {
	calls, shared := 0.0, new(crowding)
	catches(t, models(), models().checks, append(blindModels(), []citizen[fl.Model]{
		bending("sized", "regression: error: too large", bent{
			sized: func(fl.Shape) (fl.Model, error) { return nil, errors.New("too large") }}),
		bending("sized", "For returned nil", bent{sized: func(fl.Shape) (fl.Model, error) {
			return nil, nil
		}}),

		laying("block weight begins at 1, the one before ends at 0", func(l fl.Layout) fl.Layout {
			l.Blocks[0].Offset = 1
			return l
		}),
		laying("block again begins at 0, the one before ends at 4", func(l fl.Layout) fl.Layout {
			l.Blocks = append(l.Blocks, fl.Block{Name: "again", Rows: 1, Cols: 1})
			return l
		}),
		laying("block weight is 0×3", func(l fl.Layout) fl.Layout {
			l.Blocks[0].Rows = 0
			return l
		}),
		drawing("layer 1, relu: nothing feeds it", func(l []fl.Layer) []fl.Layer {
			return append(l, fl.Layer{Kind: fl.KindReLU})
		}),
		drawing("layer 0, dense: layer 0 feeds it, which does not come before it",
			func(l []fl.Layer) []fl.Layer {
				l[0].From[0] = 0
				return l
			}),
		drawing("layer 0, dense: block 2 of 2", func(l []fl.Layer) []fl.Layer {
			l[0].Blocks[0] = 2
			return l
		}),
		drawing("layer 1, dense: block 0 is of layer 0, too", func(l []fl.Layer) []fl.Layer {
			return append(l, l[0])
		}),
		drawing("2 of 2 blocks are of no layer", func(l []fl.Layer) []fl.Layer {
			l[0].Blocks = nil
			return l
		}),
		laying("there are no blocks", func(fl.Layout) fl.Layout { return fl.Layout{} }),

		bending("init", "3 parameters, the layout has 4", bent{
			init: func(theta fl.Vector) fl.Vector { return theta[1:] }}),
		bending("init", "NaN or Inf", bent{init: func(theta fl.Vector) fl.Vector {
			theta[0] = math.NaN()
			return theta
		}}),
		bending("init", "element 0 is", bent{init: func(theta fl.Vector) fl.Vector {
			calls++
			theta[0] = calls
			return theta
		}}),

		hiring("read-only", "the list of rows changed", hired{
			gradient: func(w fl.Worker, grad, params fl.Vector, d *fl.Dataset, rows []int) {
				slices.Sort(rows)
				w.Gradient(grad, params, d, rows)
			}}),
		hiring("read-only", "the data changed", hired{
			loss: func(w fl.Worker, params fl.Vector, d *fl.Dataset) float64 {
				if d.Owner != nil {
					d.Owner[0]++
				}
				return w.Loss(params, d)
			}}),

		bending("read-only", "the parameters changed", bent{worker: func(w fl.Worker) fl.Worker {
			calls := 0 // the fourth is to be Gradient, where only one check has it
			return hired{Worker: w,
				scores: func(w fl.Worker, dst fl.Matrix, params fl.Vector, x fl.Matrix) {
					calls++
					w.Scores(dst, params, x)
				},
				loss: func(w fl.Worker, params fl.Vector, d *fl.Dataset) float64 {
					calls++
					return w.Loss(params, d)
				},
				gradient: func(w fl.Worker, grad, params fl.Vector, d *fl.Dataset, rows []int) {
					calls++
					w.Gradient(grad, params, d, rows)
					if calls == 4 {
						params[0]++
					}
				}}
		}}),

		hiring("scores", "scored alone: element 0", hired{
			scores: func(w fl.Worker, dst fl.Matrix, params fl.Vector, x fl.Matrix) {
				w.Scores(dst, params, x)
				dst.Data[0] = fl.Vector(dst.Data).Sum()
			}}),
		hiring("scores", "NaN or Inf", hired{
			scores: func(_ fl.Worker, dst fl.Matrix, _ fl.Vector, _ fl.Matrix) {
				dst.Data[3] = math.NaN()
			}}),

		hiring("gradient", "all rows, point 1: off by", hired{
			gradient: func(w fl.Worker, grad, params fl.Vector, d *fl.Dataset, rows []int) {
				w.Gradient(grad, params, d, rows)
				w.Gradient(grad, params, d, rows)
			}}),
		hiring("gradient", "some rows, point 1: off by", hired{
			gradient: func(w fl.Worker, grad, params fl.Vector, d *fl.Dataset, _ []int) {
				w.Gradient(grad, params, d, nil)
			}}),

		hiring("descends", "batches of 3, plain: element ", hired{
			descend: func(w fl.Worker, d *fl.Descent) {
				d.Batches = fl.Batches{} // all rows
				d.Follow(w)
			}}),
		ignoring("projected", func(d *fl.Descent) { d.Radius = 0 }),
		ignoring("shifted", func(d *fl.Descent) { d.Shift = nil }),
		ignoring("proximal", func(d *fl.Descent) { d.Pull = 0 }),
		ignoring("anchored", func(d *fl.Descent) { d.Anchor = nil }),
		ignoring("clipped", func(d *fl.Descent) { d.Clip = 0 }),
		ignoring("ascending", func(d *fl.Descent) { d.Ascent = 0 }),
		ignoring("frozen", func(d *fl.Descent) { d.Freeze = nil }),

		hiring("adds", "element 0", hired{
			gradient: func(w fl.Worker, grad, params fl.Vector, d *fl.Dataset, rows []int) {
				clear(grad)
				w.Gradient(grad, params, d, rows)
			}}),

		bending("batch", "SampleLosses of row 0", bent{
			worker: func(w fl.Worker) fl.Worker { return averaging{w} }}),
		bending("batch", "loss: ", bent{
			solver: func(fl.Solver) fl.Solver { return nil },
			worker: func(w fl.Worker) fl.Worker {
				return hired{Worker: w,
					loss: func(w fl.Worker, params fl.Vector, d *fl.Dataset) float64 {
						return math.Sqrt(w.Loss(params, d))
					},
					gradient: func(w fl.Worker, grad, params fl.Vector, d *fl.Dataset, rows []int) {
						inner, batch := make(fl.Vector, len(grad)), d
						w.Gradient(inner, params, d, rows)
						if rows != nil {
							batch = d.Pick(rows)
						}
						grad.AddScaled(0.5/math.Sqrt(w.Loss(params, batch)), inner)
					}}
			}}),

		hiring("moments", "regression: loss: ", hired{
			loss: func(w fl.Worker, params fl.Vector, d *fl.Dataset) float64 {
				if d.Moments != nil && d.Len() > 0 {
					return d.Moments.YY
				}
				return w.Loss(params, d)
			}}),
		hiring("moments", "regression: gradient: ", hired{
			gradient: func(w fl.Worker, grad, params fl.Vector, d *fl.Dataset, rows []int) {
				if d.Moments != nil {
					rows = nil // as if moments held for any rows
				}
				w.Gradient(grad, params, d, rows)
			}}),

		hiring("pooled", "regression: ", hired{
			loss: func(w fl.Worker, params fl.Vector, d *fl.Dataset) float64 {
				if d.Len() == 0 {
					return 0
				}
				return w.Loss(params, d)
			}}),

		hiring("workers", "beside another: element", hired{
			scores: func(w fl.Worker, dst fl.Matrix, params fl.Vector, x fl.Matrix) {
				w.Scores(dst, params, x)
				if shared.enter(runtime.Gosched) {
					dst.Data[0]++
				}
			}}),

		solving("optimum", "error: it does not converge", func(*fl.Optimum) error {
			return errors.New("it does not converge")
		}),
		solving("optimum", "3 parameters for 4", func(best *fl.Optimum) error {
			best.Params = best.Params[1:]
			return nil
		}),
		solving("optimum", "the gradient is", func(best *fl.Optimum) error {
			best.Params[0] += 1e-6
			return nil
		}),
		bending("optimum", "at a distance of", bent{kinks: true, solver: func(solve fl.Solver) fl.Solver {
			return func(pop *fl.Population, w fl.Vector) (fl.Optimum, error) {
				best, err := solve(pop, w)
				best.Params[0] += 1e-2
				return best, err
			}
		}}),
		solving("optimum", "value: ", func(best *fl.Optimum) error {
			best.Value += 1e-6
			return nil
		}),
		solving("gap", "against 0.0", func(best *fl.Optimum) error {
			best.Gap = func(params fl.Vector) float64 { return 1e-3 * params.Distance(best.Params) }
			return nil
		}),
	}...))
}

// averaging says of each row the mean loss of all.
type averaging struct{ fl.Worker }

func (w averaging) SampleLosses(dst, params fl.Vector, d *fl.Dataset) {
	dst.Fill(w.Loss(params, d))
}
