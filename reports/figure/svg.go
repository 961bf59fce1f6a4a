package figure

import (
	"bytes"
	"encoding/base64"
	"encoding/xml"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"strconv"
	"strings"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// families are what text in SVG is set in, the first that there is.
const families = "Liberation Sans, Arial, Helvetica, sans-serif"

// An svgCanvas is a vg.Canvas that writes SVG. Its unit is the point.
type svgCanvas struct {
	width, height vg.Length
	body          bytes.Buffer
	now           stroke
	saved         []stroke
	err           error // the first
}

// A stroke is how a canvas draws, and for SVG how it is turned.
type stroke struct {
	color  color.NRGBA
	width  vg.Length
	dashes []vg.Length
	turns  []string
}

func newSVG(width, height vg.Length) *svgCanvas {
	c := &svgCanvas{width: width, height: height}
	vg.Initialize(c)
	return c
}

// Size implements vg.CanvasSizer.
func (c *svgCanvas) Size() (width, height vg.Length) { return c.width, c.height }

// WriteTo implements io.WriterTo.
func (c *svgCanvas) WriteTo(w io.Writer) (int64, error) {
	if c.err != nil {
		return 0, c.err
	}
	n, err := fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" `+
		`xmlns:xlink="http://www.w3.org/1999/xlink" width="%[1]spt" height="%[2]spt" `+
		`viewBox="0 0 %[1]s %[2]s" font-family="%[3]s">`+"\n"+
		`<rect width="%[1]s" height="%[2]s" fill="#ffffff"/>`+"\n%[4]s</svg>\n",
		coordinate(c.width), coordinate(c.height), families, c.body.Bytes())
	return int64(n), err
}

// coordinate writes a length in points, with two digits after the point at most.
func coordinate(x vg.Length) string {
	return strconv.FormatFloat(math.Round(x.Points()*100)/100+0, 'f', -1, 64)
}

// SetLineWidth, SetLineDash, SetColor, Push and Pop implement vg.Canvas.
func (c *svgCanvas) SetLineWidth(w vg.Length)               { c.now.width = w }
func (c *svgCanvas) SetLineDash(d []vg.Length, _ vg.Length) { c.now.dashes = d }
func (c *svgCanvas) SetColor(k color.Color)                 { c.now.color = straight(k) }
func (c *svgCanvas) Push()                                  { c.saved = append(c.saved, c.now) }
func (c *svgCanvas) Pop() {
	c.now = c.saved[len(c.saved)-1]
	c.saved = c.saved[:len(c.saved)-1]
}

// straight returns a colour whose parts are not multiplied by its opacity.
func straight(k color.Color) color.NRGBA {
	if k == nil {
		k = color.Black
	}
	return color.NRGBAModel.Convert(k).(color.NRGBA)
}

// Rotate, Translate and Scale implement vg.Canvas, whose second axis points up.
func (c *svgCanvas) Rotate(rad float64) {
	c.turn("rotate(%s 0 %s)", vg.Length(-rad*180/math.Pi), c.height)
}
func (c *svgCanvas) Translate(p vg.Point) { c.turn("translate(%s %s)", p.X, -p.Y) }
func (c *svgCanvas) Scale(x, y float64) {
	c.turn("translate(0 %s) scale(%s %s)", c.height*vg.Length(1-y), vg.Length(x), vg.Length(y))
}

func (c *svgCanvas) turn(form string, numbers ...vg.Length) {
	var words []any
	for _, x := range numbers {
		words = append(words, coordinate(x))
	}
	c.now.turns = append(c.now.turns[:len(c.now.turns):len(c.now.turns)],
		fmt.Sprintf(form, words...))
}

// turned returns the attribute that says how an element is turned.
func (c *svgCanvas) turned() string {
	if len(c.now.turns) == 0 {
		return ""
	}
	return fmt.Sprintf(` transform="%s"`, strings.Join(c.now.turns, " "))
}

// Stroke implements vg.Canvas.
func (c *svgCanvas) Stroke(p vg.Path) {
	if c.now.width <= 0 {
		return
	}
	dashes := ""
	if len(c.now.dashes) > 0 {
		var list []string
		for _, d := range c.now.dashes {
			list = append(list, coordinate(d))
		}
		dashes = fmt.Sprintf(` stroke-dasharray="%s"`, strings.Join(list, " "))
	}
	fmt.Fprintf(&c.body, `<path d="%s" fill="none"%s stroke-width="%s"%s%s/>`+"\n",
		c.path(p), paint("stroke", c.now.color), coordinate(c.now.width), dashes, c.turned())
}

// Fill implements vg.Canvas.
func (c *svgCanvas) Fill(p vg.Path) {
	fmt.Fprintf(&c.body, `<path d="%s"%s%s/>`+"\n",
		c.path(p), paint("fill", c.now.color), c.turned())
}

// paint returns the attributes of a colour.
func paint(attribute string, k color.NRGBA) string {
	text := fmt.Sprintf(` %s="#%02x%02x%02x"`, attribute, k.R, k.G, k.B)
	if k.A < 255 {
		text += fmt.Sprintf(` %s-opacity="%.3g"`, attribute, float64(k.A)/255)
	}
	return text
}

// path returns the steps of a path.
func (c *svgCanvas) path(p vg.Path) string {
	var b strings.Builder
	at := func(letter string, points ...vg.Point) {
		b.WriteString(letter)
		for i, q := range points {
			if i > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(coordinate(q.X) + " " + coordinate(c.height-q.Y))
		}
	}
	for _, s := range curves(p) {
		switch s.Type {
		case vg.MoveComp:
			at("M", s.Pos)
		case vg.LineComp:
			at("L", s.Pos)
		case vg.CurveComp:
			at("C", s.Control[0], s.Control[1], s.Pos)
		case vg.CloseComp:
			b.WriteByte('Z')
		}
	}
	return b.String()
}

// FillString implements vg.Canvas.
func (c *svgCanvas) FillString(f font.Face, p vg.Point, text string) {
	weight := ""
	if f.Font.Weight >= xfont.WeightBold {
		weight = ` font-weight="bold"`
	}
	fmt.Fprintf(&c.body, `<text x="%s" y="%s" font-size="%s"%s%s%s xml:space="preserve">`,
		coordinate(p.X), coordinate(c.height-p.Y), coordinate(f.Font.Size), weight,
		paint("fill", c.now.color), c.turned())
	c.keep(xml.EscapeText(&c.body, []byte(text)))
	c.body.WriteString("</text>\n")
}

// DrawImage implements vg.Canvas.
func (c *svgCanvas) DrawImage(r vg.Rectangle, m image.Image) {
	var b bytes.Buffer
	c.keep(png.Encode(&b, m))
	fmt.Fprintf(&c.body, `<image x="%s" y="%s" width="%s" height="%s" `+
		`preserveAspectRatio="none" style="image-rendering:pixelated" `+
		`xlink:href="data:image/png;base64,%s"%s/>`+"\n",
		coordinate(r.Min.X), coordinate(c.height-r.Max.Y), coordinate(r.Max.X-r.Min.X),
		coordinate(r.Max.Y-r.Min.Y), base64.StdEncoding.EncodeToString(b.Bytes()), c.turned())
}

func (c *svgCanvas) keep(err error) {
	if c.err == nil {
		c.err = err
	}
}
