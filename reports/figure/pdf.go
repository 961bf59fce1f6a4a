package figure

import (
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"io"
	"math"
	"time"

	"codeberg.org/go-fonts/liberation/liberationsansbold"
	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"codeberg.org/go-pdf/fpdf"
	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// A pdfCanvas is a vg.Canvas that writes PDF, with text in Unicode and only those letters of a
// font that it needs.
type pdfCanvas struct {
	width, height vg.Length
	doc           *fpdf.Fpdf
	now           stroke
	saved         []stroke
}

func newPDF(width, height vg.Length) *pdfCanvas {
	doc := fpdf.NewCustom(&fpdf.InitType{UnitStr: "pt",
		Size: fpdf.SizeType{Wd: width.Points(), Ht: height.Points()}})
	doc.SetMargins(0, 0, 0)
	doc.SetAutoPageBreak(false, 0)
	doc.SetCatalogSort(true) // the same bytes each time, as no date is
	doc.SetCreationDate(time.Unix(0, 0).UTC())
	doc.SetModificationDate(time.Unix(0, 0).UTC())
	doc.SetProducer("hansa", true)
	doc.AddUTF8FontFromBytes("sans", "", liberationsansregular.TTF)
	doc.AddUTF8FontFromBytes("sans", "B", liberationsansbold.TTF)
	doc.AddPage()
	c := &pdfCanvas{width: width, height: height, doc: doc}
	vg.Initialize(c)
	return c
}

// Size implements vg.CanvasSizer.
func (c *pdfCanvas) Size() (width, height vg.Length) { return c.width, c.height }

// WriteTo implements io.WriterTo.
func (c *pdfCanvas) WriteTo(w io.Writer) (int64, error) {
	var b bytes.Buffer
	if err := c.doc.Output(&b); err != nil {
		return 0, err
	}
	return b.WriteTo(w)
}

// SetLineWidth implements vg.Canvas.
func (c *pdfCanvas) SetLineWidth(w vg.Length) {
	c.now.width = w
	c.doc.SetLineWidth(w.Points())
}

// SetLineDash implements vg.Canvas.
func (c *pdfCanvas) SetLineDash(pattern []vg.Length, _ vg.Length) {
	c.now.dashes = pattern
	lengths := []float64{}
	for _, d := range pattern {
		lengths = append(lengths, d.Points())
	}
	c.doc.SetDashPattern(lengths, 0)
}

// SetColor implements vg.Canvas.
func (c *pdfCanvas) SetColor(k color.Color) {
	n := straight(k)
	c.now.color = n
	c.doc.SetFillColor(int(n.R), int(n.G), int(n.B))
	c.doc.SetDrawColor(int(n.R), int(n.G), int(n.B))
	c.doc.SetTextColor(int(n.R), int(n.G), int(n.B))
	c.doc.SetAlpha(float64(n.A)/255, "Normal")
}

// Rotate, Translate and Scale implement vg.Canvas.
func (c *pdfCanvas) Rotate(rad float64) {
	c.doc.TransformRotate(rad*180/math.Pi, 0, c.height.Points())
}
func (c *pdfCanvas) Translate(p vg.Point) {
	c.doc.TransformTranslate(p.X.Points(), -p.Y.Points())
}
func (c *pdfCanvas) Scale(x, y float64) {
	c.doc.TransformScale(x*100, y*100, 0, c.height.Points())
}

// Push implements vg.Canvas.
func (c *pdfCanvas) Push() {
	c.saved = append(c.saved, c.now)
	c.doc.TransformBegin()
}

// Pop implements vg.Canvas.
func (c *pdfCanvas) Pop() {
	c.doc.TransformEnd()
	s := c.saved[len(c.saved)-1]
	c.saved = c.saved[:len(c.saved)-1]
	c.SetColor(s.color)
	c.SetLineWidth(s.width)
	c.SetLineDash(s.dashes, 0)
}

// Stroke implements vg.Canvas.
func (c *pdfCanvas) Stroke(p vg.Path) {
	if c.now.width > 0 {
		c.path(p)
		c.doc.DrawPath("D")
	}
}

// Fill implements vg.Canvas.
func (c *pdfCanvas) Fill(p vg.Path) {
	c.path(p)
	c.doc.DrawPath("F")
}

func (c *pdfCanvas) path(p vg.Path) {
	for _, s := range curves(p) {
		x, y := c.point(s.Pos)
		switch s.Type {
		case vg.MoveComp:
			c.doc.MoveTo(x, y)
		case vg.LineComp:
			c.doc.LineTo(x, y)
		case vg.CurveComp:
			x0, y0 := c.point(s.Control[0])
			x1, y1 := c.point(s.Control[1])
			c.doc.CurveBezierCubicTo(x0, y0, x1, y1, x, y)
		case vg.CloseComp:
			c.doc.ClosePath()
		}
	}
}

func (c *pdfCanvas) point(p vg.Point) (x, y float64) {
	return p.X.Points(), (c.height - p.Y).Points()
}

// FillString implements vg.Canvas.
func (c *pdfCanvas) FillString(f font.Face, p vg.Point, text string) {
	weight := ""
	if f.Font.Weight >= xfont.WeightBold {
		weight = "B"
	}
	c.doc.SetFont("sans", weight, f.Font.Size.Points())
	x, y := c.point(p)
	c.doc.Text(x, y, text)
}

// DrawImage implements vg.Canvas. Pictures stand where they are drawn: as objects of their own
// they would be in another order each time.
func (c *pdfCanvas) DrawImage(r vg.Rectangle, m image.Image) {
	space, samples := sampled(m)
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	_, err := z.Write(samples)
	if err = errors.Join(err, z.Close()); err != nil {
		c.doc.SetError(err)
		return
	}
	c.SetColor(color.Black) // opaque
	b, size := m.Bounds(), r.Size()
	c.doc.RawWriteStr(fmt.Sprintf("q %.2f 0 0 %.2f %.2f %.2f cm BI /W %d /H %d /CS /%s /BPC 8 "+
		"/F [/AHx /Fl] ID\n%x>\nEI Q\n", size.X.Points(), size.Y.Points(), r.Min.X.Points(),
		r.Min.Y.Points(), b.Dx(), b.Dy(), space, packed.Bytes()))
}

// sampled returns a picture on white as PDF has it: the name of its colours, and its bytes.
func sampled(m image.Image) (space string, samples []byte) {
	b := m.Bounds()
	if m.ColorModel() == color.GrayModel {
		grey := image.NewGray(b)
		draw.Draw(grey, b, m, b.Min, draw.Src)
		return "G", grey.Pix
	}
	page := image.NewRGBA(b)
	draw.Draw(page, b, image.White, image.Point{}, draw.Src)
	draw.Draw(page, b, m, b.Min, draw.Over)
	for i := 0; i < len(page.Pix); i += 4 {
		samples = append(samples, page.Pix[i:i+3]...)
	}
	return "RGB", samples
}
