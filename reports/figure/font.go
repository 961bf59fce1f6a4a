package figure

import (
	"strings"
	"unicode"

	"codeberg.org/go-fonts/liberation/liberationsansbold"
	"codeberg.org/go-fonts/liberation/liberationsansregular"
	xfont "golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// fonts are the faces of Liberation Sans, whose letters are as wide as those of Arial and
// Helvetica.
type fonts struct {
	regular, bold *opentype.Font
	widths        map[set]vg.Length // that were asked for before: a layout asks often
}

// A set is a line of text as it is set.
type set struct {
	line string
	size vg.Length
	bold bool
}

func newFonts() (*fonts, error) {
	regular, err := opentype.Parse(liberationsansregular.TTF)
	if err != nil {
		return nil, err
	}
	bold, err := opentype.Parse(liberationsansbold.TTF)
	return &fonts{regular, bold, map[set]vg.Length{}}, err
}

// face returns a face at a size.
func (f *fonts) face(size vg.Length, bold bool) font.Face {
	face := font.Face{Font: font.Font{Typeface: "Liberation", Variant: "Sans", Size: size},
		Face: f.regular}
	if bold {
		face.Font.Weight, face.Face = xfont.WeightBold, f.bold
	}
	return face
}

// has reports whether the font has a glyph for a letter.
func (f *fonts) has(r rune) bool {
	var b sfnt.Buffer
	i, err := f.regular.GlyphIndex(&b, r)
	return err == nil && i != 0
}

// width returns how wide a line of text is. A letter that the font lacks is shown in another font
// of the viewer, and is at most as wide as high.
func (f *fonts) width(line string, size vg.Length, bold bool) vg.Length {
	key := set{line, size, bold}
	if w, ok := f.widths[key]; ok {
		return w
	}
	face := f.face(size, bold)
	known := strings.Map(func(r rune) rune {
		if !f.has(r) {
			return -1
		}
		return r
	}, line)
	missing := 0
	for _, r := range line {
		if !f.has(r) && !unicode.Is(unicode.Mn, r) {
			missing++
		}
	}
	f.widths[key] = face.Width(known) + vg.Length(missing)*size
	return f.widths[key]
}

// missing returns the letters of a text that the font lacks, each once.
func (f *fonts) missing(text string) string {
	var b strings.Builder
	for _, r := range text {
		if !f.has(r) && !strings.ContainsRune(b.String(), r) {
			b.WriteRune(r)
		}
	}
	return b.String()
}
