package figure

import (
	"image"
	"image/color"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"gonum.org/v1/plot/vg"

	"github.com/hansa-fl/hansa/framework/study"
)

// A pen draws on a page. Its points have their origin at the top left, and their second axis
// points down. Without a canvas it only measures.
type pen struct {
	Size
	fonts  *fonts
	page   vg.Point // width and height
	canvas vg.Canvas
	texts  []text // what was written
}

// A text is one or more lines, and where they are.
type text struct {
	lines  []string
	raised string // a power after the last line
	size   vg.Length
	bold   bool
	color  color.Color // nil for black
	at     vg.Point
	across float64 // where at is across the text: 0 left, 0.5 in the middle, 1 right
	down   float64 // and down it: 0 top, 0.5 in the middle, 1 bottom
	turned bool    // by a quarter, to be read from the right
}

const (
	spacing = 1.2  // of lines, in sizes of the font
	capital = 0.72 // height of a capital letter

	unbroken = '\u00a0' // a space at which no line ends
)

// pt returns a length that is so many points where text has 8 points, and in proportion where it
// is larger.
func (p *pen) pt(n float64) vg.Length { return vg.Length(n/8) * p.Text }

// small is the size of ticks, legends and captions.
func (p *pen) small() vg.Length { return p.Text * 7 / 8 }

// extent returns how wide and high a text is.
func (p *pen) extent(t *text) (width, height vg.Length) {
	for _, line := range t.lines {
		width = max(width, p.fonts.width(line, t.size, t.bold))
	}
	width += p.fonts.width(t.raised, raisedSize(t.size), t.bold)
	height = vg.Length(len(t.lines)) * spacing * t.size
	if t.turned {
		return height, width
	}
	return width, height
}

// raisedSize is the size of a power beside text of a size.
func raisedSize(size vg.Length) vg.Length { return size * 0.7 }

// box returns the corners of a text.
func (p *pen) box(t *text) (from, to vg.Point) {
	w, h := p.extent(t)
	across, down := t.across, t.down
	if t.turned {
		across, down = t.down, 1-t.across
	}
	from = vg.Point{X: t.at.X - vg.Length(across)*w, Y: t.at.Y - vg.Length(down)*h}
	return from, from.Add(vg.Point{X: w, Y: h})
}

// write writes a text, if there is any.
func (p *pen) write(t text) {
	if len(t.lines) == 0 {
		return
	}
	if t.size == 0 {
		t.size = p.small()
	}
	p.texts = append(p.texts, t)
	if t.color == nil {
		t.color = color.Black
	}
	from, to := p.box(&t)
	for i, line := range t.lines {
		w := p.fonts.width(line, t.size, t.bold)
		raised := ""
		if i == len(t.lines)-1 {
			raised = t.raised
			w += p.fonts.width(raised, raisedSize(t.size), t.bold)
		}
		below := (vg.Length(i)*spacing + (spacing-capital)/2 + capital) * t.size
		at := vg.Point{X: from.X + (to.X-from.X-w)*vg.Length(t.across), Y: from.Y + below}
		if t.turned {
			at = vg.Point{X: from.X + below, Y: to.Y - (to.Y-from.Y-w)*vg.Length(t.across)}
		}
		p.line(&t, p.shown(line), raised, at)
	}
}

// line writes one line of a text, and a power after it.
func (p *pen) line(t *text, line, raised string, at vg.Point) {
	p.canvas.Push()
	p.canvas.SetColor(t.color)
	at = p.flip(at)
	if t.turned {
		p.canvas.Translate(at)
		p.canvas.Rotate(math.Pi / 2)
		at = vg.Point{}
	}
	p.canvas.FillString(p.fonts.face(t.size, t.bold), at, study.Printable(line))
	if raised != "" {
		at = at.Add(vg.Point{X: p.fonts.width(line, t.size, t.bold), Y: 0.35 * t.size})
		p.canvas.FillString(p.fonts.face(raisedSize(t.size), t.bold), at, raised)
	}
	p.canvas.Pop()
}

// shown returns a line with a box for each letter that the font lacks, as viewers without another
// font show it.
func (p *pen) shown(line string) string {
	if _, ok := p.canvas.(*svgCanvas); ok {
		return line
	}
	return strings.Map(func(r rune) rune {
		if !p.fonts.has(r) {
			return '□'
		}
		return r
	}, line)
}

// flip returns a point as a canvas has it.
func (p *pen) flip(at vg.Point) vg.Point { return vg.Point{X: at.X, Y: p.page.Y - at.Y} }

// wrap breaks a text between words and after hyphens into lines of at most a width, and within
// words that are wider than that.
func (p *pen) wrap(s string, width, size vg.Length) []string {
	var lines []string
	line := ""
	for _, word := range words(s) {
		joined := strings.TrimSpace(line + " " + word)
		if strings.HasSuffix(line, "-") {
			joined = line + word
		}
		if p.fonts.width(joined, size, false) <= width {
			line = joined
			continue
		}
		if line != "" {
			lines = append(lines, line)
		}
		line = word
		for line != "" && p.fonts.width(line, size, false) > width {
			n := p.fits(line, width, size)
			lines, line = append(lines, line[:n]), line[n:]
		}
	}
	return append(lines, line)
}

// words splits a text where a line may end: at spaces and after hyphens between letters.
func words(s string) (list []string) {
	space := func(r rune) bool { return unicode.IsSpace(r) && r != unbroken }
	for word := range strings.FieldsFuncSeq(s, space) {
		for {
			i := strings.IndexByte(word, '-') + 1
			next, _ := utf8.DecodeRuneInString(word[i:])
			if i < 2 || !unicode.IsLetter(next) {
				break
			}
			list, word = append(list, word[:i]), word[i:]
		}
		list = append(list, word)
	}
	return list
}

// fits returns how many bytes of a word fit into a width: at least one letter.
func (p *pen) fits(word string, width, size vg.Length) int {
	n := 0
	for i, r := range word {
		end := i + len(string(r))
		if n > 0 && !unicode.Is(unicode.Mn, r) && p.fonts.width(word[:end], size, false) > width {
			break
		}
		n = end
	}
	return n
}

// A line is how lines are drawn.
type line struct {
	color  color.Color
	width  vg.Length
	dashes []vg.Length
}

// stroke draws a line through points.
func (p *pen) stroke(l line, points ...vg.Point) {
	if len(points) < 2 {
		return
	}
	p.canvas.SetColor(l.color)
	p.canvas.SetLineWidth(l.width)
	p.canvas.SetLineDash(l.dashes, 0)
	p.canvas.Stroke(p.through(points))
}

// fill fills a polygon.
func (p *pen) fill(k color.Color, points ...vg.Point) {
	p.canvas.SetColor(k)
	path := p.through(points)
	path.Close()
	p.canvas.Fill(path)
}

// rectangle returns the corners of one, from its upper left to its lower right.
func rectangle(from, to vg.Point) []vg.Point {
	return []vg.Point{from, {X: to.X, Y: from.Y}, to, {X: from.X, Y: to.Y}}
}

// disc fills a circle.
func (p *pen) disc(k color.Color, at vg.Point, radius vg.Length) {
	p.canvas.SetColor(k)
	var path vg.Path
	centre := p.flip(at)
	path.Move(centre.Add(vg.Point{X: radius}))
	path.Arc(centre, radius, 0, 2*math.Pi)
	path.Close()
	p.canvas.Fill(path)
}

func (p *pen) through(points []vg.Point) vg.Path {
	var path vg.Path
	for i, q := range points {
		if i == 0 {
			path.Move(p.flip(q))
		} else {
			path.Line(p.flip(q))
		}
	}
	return path
}

// picture draws a picture with hard pixels.
func (p *pen) picture(m image.Image, from, to vg.Point) {
	low, high := p.flip(vg.Point{X: from.X, Y: to.Y}), p.flip(vg.Point{X: to.X, Y: from.Y})
	if _, raster := p.canvas.(*pngCanvas); !raster {
		m = enlarged(m, high.X-low.X)
	}
	p.canvas.DrawImage(vg.Rectangle{Min: low, Max: high}, m)
}
