package figure

import (
	"fmt"
	"io"

	"gonum.org/v1/plot/vg"
)

// A Drawing is a figure that can be written.
type Drawing interface {
	height(p *pen) vg.Length // at the width of the pen's page
	draw(p *pen)             // on a page of that height
	words() []string         // all text of it
}

// Formats returns the names of the formats, which are the extensions of their files.
func Formats() []string { return []string{"pdf", "png", "svg"} }

// Write writes a figure in a format.
func Write(w io.Writer, d Drawing, format string, s Size) error {
	f, err := newFonts()
	if err != nil {
		return err
	}
	p := &pen{Size: s, fonts: f, page: vg.Point{X: s.Width}}
	p.page.Y = max(d.height(p), s.Least)
	var c interface {
		vg.Canvas
		io.WriterTo
	}
	switch format {
	case "pdf":
		c = newPDF(p.page.X, p.page.Y)
	case "png":
		c = newPNG(p.page.X, p.page.Y)
	case "svg":
		c = newSVG(p.page.X, p.page.Y)
	default:
		return fmt.Errorf("figure: no format %q", format)
	}
	p.canvas = c
	d.draw(p)
	_, err = c.WriteTo(w)
	return err
}

// Missing returns the letters of a figure that its font lacks, each once. SVG shows them where
// the reader has a font with them; PNG and PDF show boxes.
func Missing(d Drawing) (string, error) {
	f, err := newFonts()
	if err != nil {
		return "", err
	}
	all := ""
	for _, w := range d.words() {
		all += w
	}
	return f.missing(all), nil
}
