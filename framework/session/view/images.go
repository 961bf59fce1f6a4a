package view

import (
	"errors"
	"fmt"
	"image"
	"image/color"
	"math"
	"slices"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/session/fault"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/figure"
)

// pixelRange is where pixels are colours still: beyond it, what follows in a chain has made numbers
// of them.
const pixelRange = 1

// plotImages shows images of clients before they are moved and after, by every chain of
// preprocessors of the run, for the first seed.
func plotImages(s *Subject, f *FigureOptions) (figure.Drawing, string, error) {
	if f.Images.Clients < 1 || f.Images.Each < 1 {
		return nil, "", fmt.Errorf("--clients %d, --each %d: want at least 1", f.Images.Clients,
			f.Images.Each)
	}
	x, err := s.rebuild()
	if err != nil {
		return nil, "", err
	}
	g := &imageSheet{flags: f.Images, options: worldOptions(x, f)}
	for _, cell := range x.Cells {
		if at := cell.Point; !slices.Equal(at, s.Plan.Cells[0].Point) {
			return nil, "", fmt.Errorf("its training runs are at several points, such as %v and "+
				"%v: "+
				"choose one by --only", labelsOf(s.Plan.Cells[0].Point), labelsOf(at))
		}
	}
	err = x.EachArm(func(_ int, cell *study.Cell, setup *engine.Setup) error {
		return fault.Of(g.addMethod(cell.Method, *setup))
	})
	if err != nil {
		return nil, "", err
	}
	return g.drawing()
}

// A imageSheet is images of clients, before they are moved and after.
type imageSheet struct {
	flags   imageOptions
	options engine.Options
	groups  []imageGroup
	keys    []string // of what was hung or cannot be
	cut     bool     // a chain is shown up to where pixels are colours
}

// A imageGroup has the images of one chain.
type imageGroup struct {
	title string
	pop   *fl.Population
}

// addMethod prepares the data of a method, unless they are there already.
func (g *imageSheet) addMethod(method string, s engine.Setup) error {
	before := s
	before.Preprocess = nil
	known := slices.Contains(g.keys, s.DealtKey)
	if !known {
		title := "as they are"
		if len(g.groups) > 0 {
			title = method + ", as they are"
		}
		if _, err := g.prepare(title, &before, s.DealtKey); err != nil {
			return err
		}
	}
	if len(s.Preprocess) == 0 || slices.Contains(g.keys, s.DataKey) {
		return nil
	}
	for k := len(s.Preprocess); k > 0; k-- {
		part := s
		part.Preprocess = s.Preprocess[:k]
		part.DataKey = fmt.Sprintf("%s, the first %d", s.DataKey, k)
		if ok, err := g.prepare(method, &part, s.DataKey); ok || err != nil {
			return err
		}
		g.cut = true
	}
	return nil
}

// prepare adds what becomes of the data of a setup, if those are images.
func (g *imageSheet) prepare(title string, s *engine.Setup, key string) (bool, error) {
	wide := *s
	wide.Packed = false // pixels are drawn
	w, err := engine.Prepare(&wide, g.options)
	if err != nil {
		return false, err
	}
	train := w.Population.Train
	if train.Shape.Image == (fl.Image{}) {
		return false, nil
	}
	for _, x := range train.X.Data {
		if !(x >= -pixelRange && x <= 1+pixelRange) {
			return false, nil
		}
	}
	g.groups, g.keys = append(g.groups, imageGroup{title, w.Population}), append(g.keys, key)
	return true, nil
}

// drawing lays the gallery out: a row for a client, some images of it for every chain.
func (g *imageSheet) drawing() (figure.Drawing, string, error) {
	if len(g.groups) == 0 {
		return nil, "", errors.New("its data are no images with pixels from 0 to 1")
	}
	m := &figure.Images{}
	first := g.groups[0].pop
	for _, w := range g.groups {
		for k := range g.flags.Each {
			label := ""
			if g.flags.Each > 1 {
				label = fmt.Sprint(k + 1)
			}
			m.Columns = append(m.Columns, figure.Heading{Group: w.title, Label: label})
		}
	}
	for i := range min(g.flags.Clients, first.N()) {
		var row []image.Image
		for _, w := range g.groups {
			own := w.pop.Client(i).Data
			for k := range g.flags.Each {
				if k >= own.Len() {
					row = append(row, nil)
					continue
				}
				row = append(row, g.picture(own.X.Row(k), own.Shape.Image))
			}
		}
		m.Rows = append(m.Rows, fmt.Sprintf("client %d", i))
		m.Cells = append(m.Cells, row)
	}
	return m, g.note(first.N()), nil
}

// note says what is shown.
func (g *imageSheet) note(clients int) string {
	many := fmt.Sprintf("%d training images", g.flags.Each)
	if g.flags.Each == 1 {
		many = "training image"
	}
	note := fmt.Sprintf("the first %s of %d of %d clients, first seed",
		many, min(g.flags.Clients, clients), clients)
	if g.flags.Stretch {
		note += "; every image from its darkest to its brightest pixel"
	} else {
		note += "; pixels below 0 or above 1 are clipped"
	}
	if g.cut {
		note += "; chains are shown as far as pixels are colours"
	}
	return note
}

// picture returns a row as an image: grey, or its first three channels.
func (g *imageSheet) picture(row fl.Vector, shape fl.Image) image.Image {
	low, high := 0.0, 1.0
	if g.flags.Stretch {
		low, high = slices.Min(row), max(slices.Max(row), slices.Min(row)+1e-12)
	}
	n := shape.H * shape.W
	level := func(c, p int) uint8 {
		x := (row[c*n+p] - low) / (high - low)
		return uint8(math.Round(255 * min(1, max(0, x))))
	}
	if shape.C < 3 {
		grey := image.NewGray(image.Rect(0, 0, shape.W, shape.H))
		for p := range n {
			grey.Pix[p] = level(0, p)
		}
		return grey
	}
	m := image.NewNRGBA(image.Rect(0, 0, shape.W, shape.H))
	for p := range n {
		m.Set(p%shape.W, p/shape.W, color.NRGBA{level(0, p), level(1, p), level(2, p), 255})
	}
	return m
}
