package nn

import (
	"fmt"

	"github.com/hansa-fl/hansa/framework/fl"
)

// steadier is added to variances (ε of PyTorch's norms).
const steadier = 1e-5

// momentum is the share of the last batch in running statistics.
const momentum = 0.1

// GroupNorm gives every group of channels of a sample mean 0 and variance 1, and then every
// channel a trained scale and offset (Wu, He. Group Normalization. ECCV 2018). Groups are
// runs of neighbouring channels; their number divides that of channels.
func GroupNorm(groups int) Layer { return norming{groups: groups} }

// BatchNorm gives every channel of a batch mean 0 and variance 1, and then a trained scale
// and offset (Ioffe, Szegedy. Batch Normalization. ICML 2015). Outside of training it uses
// running statistics, which Tape.Track updates.
func BatchNorm() Layer { return norming{batch: true} }

type norming struct {
	groups int
	batch  bool
}

func (l norming) fit(b *builder) error {
	in := b.shape
	names := []string{fl.NormScale, fl.NormOffset}
	info := fl.Layer{Kind: fl.KindGroupNorm, Groups: l.groups}
	if l.batch {
		l.groups = in.C
		names = append(names, fl.RunningMean, fl.RunningVariance)
		info = fl.Layer{Kind: fl.KindBatchNorm}
	}
	if l.groups < 1 || in.C%l.groups != 0 {
		return fmt.Errorf("%s: %d groups do not divide the channels of %v, which would stay %v",
			info.Kind, l.groups, in, in)
	}
	var blocks []fl.Block
	for _, name := range names {
		blocks = append(blocks, fl.Block{Name: name, Rows: in.C, Cols: 1})
	}
	placed := b.describeBlocks(info, in, blocks...)
	o := norm{shape: in, groups: l.groups, scale: placed[0], offset: placed[1]}
	if l.batch {
		o.mean, o.variance = placed[2], placed[3]
	}
	b.ops = append(b.ops, o)
	return nil
}

// norm normalises sets of numbers: the groups of channels of one sample, or the single
// channels of all samples at once.
type norm struct {
	shape          Shape
	groups         int
	scale, offset  *fl.Block
	mean, variance *fl.Block // nil for group norm
	relu           bool
}

func (o norm) rectify() op {
	o.relu = true
	return o
}

func (o norm) stage(t *Tape) stage {
	c := o.shape.C
	s := &normStage{
		norm: o, sum: make([]float64, c), dot: make([]float64, c),
		scaleSlope: make([]float64, c), offsetSlope: make([]float64, c),
		a: make([]float32, c), b: make([]float32, c), e: make([]float32, c),
	}
	if o.mean != nil {
		t.norms = append(t.norms, s)
	}
	return s
}
