package weights

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hansa-fl/hansa/framework/fl"
)

// roles are the names of blocks in PyTorch, where they differ.
var roles = map[string]string{
	fl.NormScale: "weight", fl.NormOffset: "bias",
	fl.RunningMean: "running_mean", fl.RunningVariance: "running_var",
}

// A part is a block and where it belongs.
type part struct {
	*fl.Block
	layer *fl.Layer // nil where the layout has none
	name  string
	shape []int
	// Elements lie in PyTorch as a row of so many channels of so many pixels, here as pixels of
	// channels; 0 where the order is the same.
	pixels, channels int
}

// parts returns the blocks of a layout by their names in PyTorch.
func parts(l fl.Layout) ([]part, error) {
	owner := make([]int, len(l.Blocks))
	for i := range owner {
		owner[i] = -1
	}
	for k := range l.Layers {
		for _, i := range l.Layers[k].Blocks {
			owner[i] = k
		}
	}
	var all []part
	taken := map[string]bool{}
	for i := range l.Blocks {
		p := part{Block: &l.Blocks[i], name: l.Blocks[i].Name}
		p.shape = []int{p.Rows, p.Cols}
		if role, ok := roles[p.Name]; ok {
			p.name = role
		}
		if k := owner[i]; k >= 0 {
			p.layer = &l.Layers[k]
			p.place(l)
		}
		switch {
		case p.layer != nil && p.layer.Name != "":
			p.name = p.layer.Name + "." + p.name
		case p.layer == nil || len(l.Layers) > 1:
			p.name = fmt.Sprintf("layer%d.%s", p.Layer, p.name)
		}
		if taken[p.name] {
			return nil, fmt.Errorf("two blocks are named %s", p.name)
		}
		taken[p.name] = true
		all = append(all, p)
	}
	return all, nil
}

// place says how the elements of a block of a layer lie in PyTorch.
func (p *part) place(l fl.Layout) {
	switch {
	case p.Block.Name != fl.Weight:
		if p.Cols == 1 {
			p.shape = []int{p.Rows}
		}
	case p.layer.Kind == fl.KindConv && p.layer.KH*p.layer.KW == 1 && p.layer.In.W == 1:
		// Every position of a sequence alone: of PyTorch's Linear, which has no window.
	case p.layer.Kind == fl.KindDepthwise:
		p.shape = []int{p.Rows, 1, p.layer.KH, p.layer.KW}
	case p.layer.Kind == fl.KindConv:
		c := p.Cols / (p.layer.KH * p.layer.KW)
		p.shape = []int{p.Rows, c, p.layer.KH, p.layer.KW}
		p.pixels, p.channels = p.layer.KH*p.layer.KW, c
	case p.layer.Kind == fl.KindDense:
		from := p.layer.From[0]
		for from >= 0 && l.Layers[from].Kind == fl.KindReLU {
			from = l.Layers[from].From[0]
		}
		if from >= 0 && l.Layers[from].Kind == fl.KindFlatten {
			in := l.Layers[from].In
			p.pixels, p.channels = in.H*in.W, in.C
		}
	}
}

// turn calls a function for the index of every element here, and that in PyTorch.
func (p *part) turn(visit func(here, there int)) {
	if p.pixels < 2 {
		for i := range p.Rows * p.Cols {
			visit(i, i)
		}
		return
	}
	for r := range p.Rows {
		for k := range p.pixels {
			for c := range p.channels {
				visit(r*p.Cols+k*p.channels+c, r*p.Cols+c*p.pixels+k)
			}
		}
	}
}

// Names returns the names of a layout's blocks in PyTorch, in order.
func Names(l fl.Layout) ([]string, error) {
	all, err := parts(l)
	var names []string
	for _, p := range all {
		names = append(names, p.name)
	}
	return names, err
}

// Tensors returns parameters of a layout as PyTorch holds them.
func Tensors(l fl.Layout, params fl.Vector) ([]Tensor, error) {
	all, err := parts(l)
	if err != nil {
		return nil, err
	}
	if len(params) != l.Len() {
		return nil, fmt.Errorf("%d parameters, and a layout of %d", len(params), l.Len())
	}
	var made []Tensor
	for _, p := range all {
		t := Tensor{Name: p.name, Shape: p.shape, Data: make([]float32, p.Rows*p.Cols)}
		p.turn(func(here, there int) { t.Data[there] = float32(params[p.Offset+here]) })
		made = append(made, t)
	}
	return made, nil
}

// Fill sets parameters of a layout to those of a file. A block takes the tensor of its name, or the
// one that renamed has for it. Every block has one, of its shape, and all are finite. Tensors of no
// block are an error, too, but for those whose names begin with one of beside, and for counters of
// batches, which PyTorch stores and does not use here.
func Fill(
	params fl.Vector, l fl.Layout, f *File, renamed map[string]string, beside ...string,
) error {
	all, err := parts(l)
	if err != nil {
		return err
	}
	if len(params) != l.Len() {
		return fmt.Errorf("%d parameters, and a layout of %d", len(params), l.Len())
	}
	var wrong []error
	used := map[string]bool{}
	for _, p := range all {
		name := p.name
		if other, ok := renamed[name]; ok {
			name = other
		}
		used[name] = true
		if err := p.fill(params, f, name); err != nil {
			wrong = append(wrong, err)
		}
	}
	for _, name := range f.Names() {
		spare := strings.HasSuffix(name, "num_batches_tracked")
		for _, prefix := range beside {
			spare = spare || strings.HasPrefix(name, prefix)
		}
		if !used[name] && !spare {
			wrong = append(wrong, fmt.Errorf("tensor %s belongs to no block of the model",
				short(name)))
		}
	}
	if n := len(wrong); n > few {
		wrong = append(wrong[:few], fmt.Errorf("and %d more", n-few))
	}
	return errors.Join(wrong...)
}

// few is how many complaints about a file are made at most.
const few = 5

// windowless returns a shape without the dimensions of a window of one pixel: a matrix is as good
// as the weights of a convolution of 1×1.
func windowless(shape []int) []int {
	if n := len(shape); n == 4 && shape[2] == 1 && shape[3] == 1 {
		return shape[:2]
	}
	return shape
}

func (p *part) fill(params fl.Vector, f *File, name string) error {
	shape, ok := f.Shape(name)
	if !ok {
		return fmt.Errorf("has no tensor %s, of shape %d", short(name), p.shape)
	}
	if !slices.Equal(windowless(shape), windowless(p.shape)) {
		return fmt.Errorf("tensor %s has shape %d, the model needs %d", short(name), shape, p.shape)
	}
	v, err := f.Floats(name)
	if err != nil {
		return err
	}
	if !fl.Vector(v).Finite() {
		return fmt.Errorf("tensor %s has NaN or Inf", short(name))
	}
	p.turn(func(here, there int) { params[p.Offset+here] = v[there] })
	return nil
}
