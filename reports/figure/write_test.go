package figure

import (
	"bytes"
	"compress/zlib"
	"encoding/xml"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf16"

	"gonum.org/v1/plot/vg"
)

var update = flag.Bool("update", false, "rewrite the golden files of testdata")

// golden compares what was written with testdata/name; a mismatch leaves it in name.got.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Error(err)
	}
	if bytes.Equal(got, want) {
		return
	}
	t.Errorf("%s differs from %[1]s.got; -update accepts it", path)
	if err := os.WriteFile(path+".got", got, 0o644); err != nil {
		t.Error(err)
	}
}

// written returns a drawing in a format.
func written(t *testing.T, d Drawing, format, size string) []byte {
	t.Helper()
	s, ok := SizeNamed(size)
	if !ok {
		t.Fatalf("no size %s", size)
	}
	var b bytes.Buffer
	if err := Write(&b, d, format, s); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// drawn returns the pen after it has drawn.
func drawn(t *testing.T, d Drawing, s Size) *pen {
	t.Helper()
	f, err := newFonts()
	if err != nil {
		t.Fatal(err)
	}
	p := &pen{Size: s, fonts: f, page: vg.Point{X: s.Width}}
	p.page.Y = max(d.height(p), s.Least)
	p.canvas = newSVG(p.page.X, p.page.Y)
	d.draw(p)
	return p
}

// pdfText returns the text of a PDF, line by line as it was written.
func pdfText(t *testing.T, file []byte) string {
	t.Helper()
	var found []string
	for _, m := range regexp.MustCompile(`(?s)stream\r?\n(.*?)\r?\nendstream`).FindAllSubmatch(file, -1) {
		z, err := zlib.NewReader(bytes.NewReader(m[1]))
		if err != nil {
			continue // what is not compressed is no page
		}
		content, err := io.ReadAll(z)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range regexp.MustCompile(`(?s)Td \((.*?)\) Tj ET`).FindAllSubmatch(content, -1) {
			found = append(found, fromUTF16(s[1]))
		}
	}
	return strings.Join(found, "\n")
}

// fromUTF16 reads a string of PDF.
func fromUTF16(b []byte) string {
	var plain []byte
	for i := 0; i < len(b); i++ {
		if b[i] == '\\' {
			i++
			if b[i] == 'r' {
				b[i] = '\r'
			}
		}
		plain = append(plain, b[i])
	}
	var units []uint16
	for i := 0; i+1 < len(plain); i += 2 {
		units = append(units, uint16(plain[i])<<8|uint16(plain[i+1]))
	}
	return string(utf16.Decode(units))
}

// clients is an example of Images.
func clients() *Images {
	m := &Images{Rows: []string{"client 0", "client 17 with warm colours", "客户 θ"},
		Caption: "Images of three clients, before and after each preprocessor moved them, " +
			"α ± 0.3, −1. A caption may take more than one line."}
	for _, group := range []string{"SLOT-Align (τ = 0.5)", "barycenter"} {
		m.Columns = append(m.Columns, Heading{group, "before"}, Heading{group, "after"})
	}
	m.Columns = append(m.Columns, Heading{Label: "reference"})
	for r := range m.Rows {
		var row []image.Image
		for c := range m.Columns {
			grey := image.NewGray(image.Rect(0, 0, 8, 8))
			for i := range grey.Pix {
				grey.Pix[i] = uint8((i*(r+3) + 40*c) % 256)
			}
			row = append(row, grey)
		}
		m.Cells = append(m.Cells, row)
	}
	m.Cells[1][2] = nil
	return m
}

// examples are one drawing of each kind.
func examples() map[string]Drawing {
	m := clients()
	coloured := image.NewNRGBA(image.Rect(3, 3, 11, 7)) // neither square nor at the origin
	for i := range coloured.Pix {
		coloured.Pix[i] = uint8(i * 5)
	}
	m.Cells[2][4] = coloured
	list := charts()
	list["images"] = m
	return list
}

func TestSameBytes(t *testing.T) {
	for name, d := range examples() {
		for _, format := range Formats() {
			first := written(t, d, format, "column")
			for range 2 {
				if !bytes.Equal(first, written(t, d, format, "column")) {
					t.Errorf("%s.%s is not the same bytes each time", name, format)
				}
			}
		}
	}
}

func TestGolden(t *testing.T) {
	for name, d := range examples() {
		golden(t, name+".svg", written(t, d, "svg", "column"))
	}
}

// No text leaves the page or lies upon another, at any size.
func TestTextHasRoom(t *testing.T) {
	for name, d := range examples() {
		for _, s := range Sizes() {
			checkText(t, fmt.Sprintf("%s, %s", name, s.Name), drawn(t, d, s))
		}
	}
}

func checkText(t *testing.T, name string, p *pen) {
	t.Helper()
	const hair = 0.1
	for i := range p.texts {
		from, to := p.box(&p.texts[i])
		if from.X < -hair || from.Y < -hair || to.X > p.page.X+hair || to.Y > p.page.Y+hair {
			t.Errorf("%s: %q lies at %v to %v of %v", name, p.texts[i].lines, from, to, p.page)
		}
		for k := range p.texts[:i] {
			low, high := p.box(&p.texts[k])
			across := min(to.X, high.X) - max(from.X, low.X)
			down := min(to.Y, high.Y) - max(from.Y, low.Y)
			if across > 0.5 && down > 0.25*p.small() {
				t.Errorf("%s: %q lies on %q", name, p.texts[i].lines, p.texts[k].lines)
			}
		}
	}
}

// Text in PDF is Unicode, whatever it says.
func TestPDFText(t *testing.T) {
	for name, d := range examples() {
		got := pdfText(t, written(t, d, "pdf", "column"))
		for _, text := range drawn(t, d, Sizes()[0]).texts {
			for _, line := range text.lines {
				line = strings.NewReplacer("客", "□", "户", "□", "東", "□", "京", "□").Replace(line)
				if !strings.Contains(got, line) {
					t.Errorf("%s: no %q in %q", name, line, got)
				}
			}
		}
	}
}

func TestSVGIsXML(t *testing.T) {
	for name, d := range examples() {
		r := xml.NewDecoder(bytes.NewReader(written(t, d, "svg", "double")))
		for {
			if _, err := r.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
	}
}

// The pixels of a picture are the pixels of the figure: no colour is new.
func TestHardPixels(t *testing.T) {
	m := &Images{Columns: []Heading{{"", "a"}}, Rows: []string{"b"}}
	board := image.NewGray(image.Rect(0, 0, 4, 4))
	for i := range board.Pix {
		board.Pix[i] = []uint8{90, 170}[(i+i/4)%2]
	}
	m.Cells = [][]image.Image{{board}}
	page, err := png.Decode(bytes.NewReader(written(t, m, "png", "double")))
	if err != nil {
		t.Fatal(err)
	}
	p := drawn(t, m, Sizes()[1])
	a := m.laid(p)
	var pixels [2]int
	for y := int(a.row(0).Dots(dots)) + 2; y < int((a.row(0)+a.cell.Y).Dots(dots))-2; y++ {
		for x := int(a.left[0].Dots(dots)) + 2; x < int((a.left[0]+a.cell.X).Dots(dots))-2; x++ {
			switch g := color.GrayModel.Convert(page.At(x, y)).(color.Gray); g.Y {
			case 90:
				pixels[0]++
			case 170:
				pixels[1]++
			default:
				t.Fatalf("at %d, %d there is %d", x, y, g.Y)
			}
		}
	}
	if pixels[0] < 1000 || pixels[1] < 1000 {
		t.Errorf("%v pixels of the colours", pixels)
	}
	large := enlarged(board, vg.Inch)
	if large.Bounds().Dx() != 300 || large.At(74, 74) != board.At(0, 0) || large.At(75, 0) != board.At(1, 0) {
		t.Errorf("%v is no enlargement", large.Bounds())
	}
}

func TestMissing(t *testing.T) {
	got, err := Missing(clients())
	if err != nil || got != "客户" {
		t.Errorf("the font lacks %q, %v", got, err)
	}
}

func TestSizes(t *testing.T) {
	if s, ok := SizeNamed("IEEE"); !ok || s.Width != 3.5*vg.Inch {
		t.Errorf("IEEE is %v, %t", s, ok)
	}
	if _, ok := SizeNamed("poster"); ok {
		t.Error("there is a size poster")
	}
	var b bytes.Buffer
	if err := Write(&b, clients(), "gif", Sizes()[0]); err == nil {
		t.Error("there is a format gif")
	}
}

// Grids of every shape fit.
func TestImagesOfAnyShape(t *testing.T) {
	for _, shape := range [][2]int{{0, 0}, {1, 1}, {0, 3}, {30, 2}, {3, 16}} {
		m := &Images{}
		for r := range shape[0] {
			m.Rows = append(m.Rows, fmt.Sprint("client ", r))
		}
		for c := range shape[1] {
			m.Columns = append(m.Columns, Heading{fmt.Sprint("m", c/2), fmt.Sprint(c)})
		}
		for _, s := range Sizes() {
			p := drawn(t, m, s)
			checkText(t, fmt.Sprint(shape, s.Name), p)
			if shape[0] < 20 && p.page.Y > 1.2*s.Most {
				t.Errorf("%v at %s is %v high", shape, s.Name, p.page.Y)
			}
		}
	}
}
