package nn

import (
	"fmt"
	"strconv"

	"github.com/hansa-fl/hansa/framework/fl"
)

// A Layer is one layer of an architecture, before it knows the shape of its input.
type Layer interface {
	// fit resolves the layer for the builder's shape and adds what it computes.
	fit(b *builder) error
}

// An op is a resolved layer, or a part of one. It is immutable; what lasts from forward to
// backward is in its stage.
type op interface {
	stage(t *Tape) stage
}

// A stage is an op on a tape.
type stage interface {
	// reserve makes room for batches of n samples.
	reserve(n int)
	// forward returns the output for a batch x, NHWC. The stage may keep x until
	// backward. The output belongs to the stage.
	forward(p *pass, x []float32) []float32
	// backward takes the gradient at the output, which it may overwrite, writes the
	// gradient at its parameters, and returns the gradient at its input where it is
	// needed. Parameters change after their last use only: p may descend on them.
	backward(p *pass, dy []float32, needed bool) []float32
}

// A rectifier is an op that can take the ReLU after it upon itself.
type rectifier interface {
	op
	rectify() op
}

// builder resolves layers one after another.
type builder struct {
	shape  Shape // of what the next layer gets
	from   int   // the layer that yields it, -1 for the input
	graph  []fl.Layer
	owns   [][]*fl.Block // by layer of the graph
	blocks []*fl.Block
	ops    []op   // of the sequence at hand
	layers int    // with parameters, so far
	path   string // of the sequence at hand, which names of its layers begin with
	widest int

	spread    map[int]float64 // deviations of weights to begin with, by layer of the graph
	embedding *embedding      // of tokens; nil: none
}

// sequence fits layers one after another and returns what computes them. Their names follow their
// numbers, as in a Sequential of PyTorch.
func (b *builder) sequence(layers []Layer) ([]op, error) {
	outer, path := b.ops, b.path
	b.ops = nil
	for i, l := range layers {
		b.path = path + strconv.Itoa(i)
		from := len(b.graph)
		if err := l.fit(b); err != nil {
			return nil, fmt.Errorf("layer %d: %w", i, err)
		}
		b.name(b.path, from)
	}
	ops := b.ops
	b.ops, b.path = outer, path
	return ops, nil
}

// branch is sequence for a part of a layer, with a name of its own unless that is empty.
func (b *builder) branch(name string, layers []Layer) ([]op, error) {
	path := b.path
	defer func() { b.path = path }()
	b.path += "."
	if name != "" {
		b.path += name + "."
	}
	return b.sequence(layers)
}

// name names the first layer with parameters from one of them on, unless it has a name.
func (b *builder) name(name string, from int) {
	for k := from; k < len(b.graph); k++ {
		if l := &b.graph[k]; b.owns[k] != nil && l.Name == "" {
			l.Name = name
			return
		}
	}
}

// Named is a layer whose parameters PyTorch would hold in a module of a name.
func Named(name string, l Layer) Layer { return named{name, l} }

type named struct {
	as string
	Layer
}

func (l named) fit(b *builder) error {
	from := len(b.graph)
	if err := l.Layer.fit(b); err != nil {
		return fmt.Errorf("%s: %w", l.as, err)
	}
	b.name(l.as, from)
	return nil
}

// describe adds a layer without parameters to the graph.
func (b *builder) describe(l fl.Layer, out Shape) {
	l.From = append(l.From, b.from)
	l.In, l.Out = b.shape.image(), out.image()
	b.from, b.shape = len(b.graph), out
	b.graph, b.owns = append(b.graph, l), append(b.owns, nil)
	b.widest = max(b.widest, out.Len())
}

// describeBlocks adds a layer with parameters to the graph and returns its blocks.
func (b *builder) describeBlocks(l fl.Layer, out Shape, blocks ...fl.Block) []*fl.Block {
	b.describe(l, out)
	start := len(b.blocks)
	for _, block := range blocks {
		block.Layer = b.layers
		b.blocks = append(b.blocks, &block)
	}
	b.layers++
	b.owns[b.from] = b.blocks[start:]
	return b.blocks[start:]
}

// place gives every block its offset, running statistics behind all others, and tells the
// graph. It returns the layout and the length of what is trained.
func (b *builder) place() (layout fl.Layout, trained int) {
	index := map[*fl.Block]int{}
	lay := func(statistics bool) (end int) {
		end = layout.Len()
		for _, block := range b.blocks {
			if statistics != (block.Name == fl.RunningMean || block.Name == fl.RunningVariance) {
				continue
			}
			block.Offset, index[block] = end, len(layout.Blocks)
			layout.Blocks = append(layout.Blocks, *block)
			end += block.Rows * block.Cols
		}
		return end
	}
	trained = lay(false)
	lay(true)
	layout.Layers = b.graph
	for k, blocks := range b.owns {
		for _, block := range blocks {
			layout.Layers[k].Blocks = append(layout.Layers[k].Blocks, index[block])
		}
	}
	return layout, trained
}

// last returns the last op of the sequence at hand, nil when there is none.
func (b *builder) last() op {
	if len(b.ops) == 0 {
		return nil
	}
	return b.ops[len(b.ops)-1]
}
