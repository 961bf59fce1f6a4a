package nn

import (
	"errors"
	"fmt"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/kernel"
)

// A sequence is an image of one column: its rows are positions.

// isSequence reports whether samples are sequences.
func (s Shape) isSequence() bool { return s.W == 1 }

// Positions is a fully connected layer with a bias, on each position of a sequence alone: a
// convolution of 1×1.
func Positions(out int) Layer { return positions{out} }

type positions struct{ out int }

func (l positions) fit(b *builder) error {
	in, out := b.shape, Shape{b.shape.H, 1, l.out}
	if l.out < 1 || !in.isSequence() {
		return fmt.Errorf("positions: turns sequences into sequences, not %v into %v", in, out)
	}
	blocks := b.describeBlocks(fl.Layer{Kind: fl.KindConv, KH: 1, KW: 1, Stride: 1}, out,
		fl.Block{Name: fl.Weight, Rows: l.out, Cols: in.C},
		fl.Block{Name: fl.Bias, Rows: l.out, Cols: 1})
	b.ops = append(b.ops, product{w: blocks[0], positions: in.H}, bias{b: blocks[1]})
	return nil
}

// Embedding gives each token 0 … tokens−1 of a sequence of one channel a trained vector. It begins
// with deviations of spread from 0; PyTorch's default is 1.
func Embedding(tokens, width int, spread float64) Layer { return embeds{tokens, width, spread} }

type embeds struct {
	tokens, width int
	spread        float64
}

func (l embeds) fit(b *builder) error {
	in, out := b.shape, Shape{b.shape.H, 1, l.width}
	const most = 1 << 24 // which float32 tells apart
	if l.tokens < 1 || l.tokens > most || l.width < 1 || !in.isSequence() || in.C != 1 {
		return fmt.Errorf("embedding: turns a sequence of one channel into vectors, not %v into "+
			"%v of %d tokens", in, out, l.tokens)
	}
	if b.from >= 0 {
		return errors.New("embedding: must be the first layer")
	}
	blocks := b.describeBlocks(fl.Layer{Kind: fl.KindEmbedding}, out,
		fl.Block{Name: fl.Weight, Rows: l.tokens, Cols: l.width})
	b.spread[b.from] = l.spread
	b.embedding = &embedding{w: blocks[0], length: in.H}
	b.ops = append(b.ops, b.embedding)
	return nil
}

// embedding looks up rows of a block.
type embedding struct {
	w      *fl.Block
	length int
	tied   bool // a later layer sets the gradient first
}

func (o *embedding) stage(*Tape) stage { return &embeddingStage{embedding: o} }

type embeddingStage struct {
	*embedding
	x, y []float32
}

func (s *embeddingStage) reserve(n int) { s.y = make([]float32, n*s.length*s.w.Cols) }

// row returns the vector of a token.
func (s *embeddingStage) row(v []float32, token float32) []float32 {
	return part(v, s.w)[int(token)*s.w.Cols:][:s.w.Cols]
}

func (s *embeddingStage) forward(p *pass, x []float32) []float32 {
	s.x = x[:p.n*s.length]
	for i, token := range s.x {
		copy(s.y[i*s.w.Cols:], s.row(p.params, token))
	}
	return s.y[:p.n*s.length*s.w.Cols]
}

// backward yields no gradient at tokens.
func (s *embeddingStage) backward(p *pass, dy []float32, _ bool) []float32 {
	if p.grad == nil {
		return nil
	}
	if !s.tied {
		p.adjustBlock(s.w)
		if !p.descends {
			clear(part(p.grad, s.w))
		}
	}
	for i, token := range s.x {
		kernel.Axpy32(s.row(p.grad, token), 1, dy[i*s.w.Cols:][:s.w.Cols])
	}
	return nil
}

// Tied scores the tokens of the embedding at each position, by its weight and without a bias
// (Press, Wolf. Using the Output Embedding to Improve Language Models. EACL 2017).
func Tied() Layer { return tied{} }

type tied struct{}

func (tied) fit(b *builder) error {
	in := b.shape
	if b.embedding == nil || in.C != b.embedding.w.Cols || !in.isSequence() {
		return fmt.Errorf("tied: %v are no vectors as an embedding gives them", in)
	}
	b.embedding.tied = true
	b.describe(fl.Layer{Kind: fl.KindTied}, Shape{in.H, 1, b.embedding.w.Rows})
	b.owns[b.from] = []*fl.Block{b.embedding.w}
	b.ops = append(b.ops, product{w: b.embedding.w, positions: in.H})
	return nil
}

// Position adds a trained vector to each position.
func Position(spread float64) Layer { return placed{spread} }

type placed struct{ spread float64 }

func (l placed) fit(b *builder) error {
	in := b.shape
	if !in.isSequence() {
		return fmt.Errorf("position: %v is no sequence, and would stay %[1]v", in)
	}
	blocks := b.describeBlocks(fl.Layer{Kind: fl.KindPosition}, in,
		fl.Block{Name: fl.Weight, Rows: in.H, Cols: in.C})
	b.spread[b.from] = l.spread
	b.ops = append(b.ops, position{blocks[0]})
	return nil
}

type position struct{ w *fl.Block }

func (o position) stage(*Tape) stage {
	return &positionStage{position: o, sum: make([]float32, o.w.Rows*o.w.Cols)}
}

type positionStage struct {
	position
	y   []float32
	sum []float32 // of the samples of a gradient
}

func (s *positionStage) reserve(n int) { s.y = make([]float32, n*len(s.sum)) }

func (s *positionStage) forward(p *pass, x []float32) []float32 {
	y := s.y[:p.n*len(s.sum)]
	copy(y, x)
	kernel.AddBias32(y, part(p.params, s.w))
	return y
}

func (s *positionStage) backward(p *pass, dy []float32, _ bool) []float32 {
	clear(s.sum)
	kernel.AddColumns32(s.sum, dy)
	p.set(s.w, s.sum)
	return dy
}
