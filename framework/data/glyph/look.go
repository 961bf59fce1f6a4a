package glyph

// A Look is how the images of a domain come about: what ink lies on what paper, and how
// sharply it is seen.
type Look struct {
	Name       string
	Ink        Colour
	Paper      Colour
	Other      Colour  // the far end of a gradient, or the lines of ruled paper
	Spread     float64 // standard deviation of all colours from image to image
	Ground     Ground
	Blur       float64 // width of edges beyond that of a sharp image, pixels
	Grain      float64 // share of the ink that specks of paper take away
	Neighbours bool    // parts of other digits stand to the left and to the right
}

// A Colour is red, green and blue, each between 0 and 1.
type Colour [3]float64

// grey returns the colour's brightness (Rec. ITU-R BT.601) in all three.
func (c Colour) grey() Colour {
	y := 0.299*c[0] + 0.587*c[1] + 0.114*c[2]
	return Colour{y, y, y}
}

// A Ground is what the paper shows.
type Ground int

// The grounds.
const (
	Plain    Ground = iota // one colour
	Gradient               // from one colour to the other, in a random direction
	Ruled                  // lines
	Photo                  // soft-edged shapes and fine structure; ink inverts it
)

// Looks returns the domains in their order.
func Looks() []Look {
	return []Look{
		{Name: "ink", Ink: Colour{1, 1, 1}},
		{Name: "print", Ink: Colour{0.16, 0.12, 0.10}, Paper: Colour{0.86, 0.80, 0.67},
			Spread: 0.03, Grain: 0.15},
		{Name: "photo", Ground: Photo},
		{Name: "sign", Ink: Colour{0.92, 0.88, 0.80}, Paper: Colour{0.22, 0.36, 0.55},
			Other: Colour{0.36, 0.43, 0.52}, Spread: 0.08,
			Ground: Gradient, Blur: 1.6, Neighbours: true},
		{Name: "notebook", Ink: Colour{0.10, 0.18, 0.62}, Paper: Colour{0.97, 0.97, 0.95},
			Other: Colour{0.70, 0.82, 0.93}, Spread: 0.02, Ground: Ruled},
		{Name: "chalk", Ink: Colour{0.93, 0.94, 0.86}, Paper: Colour{0.13, 0.29, 0.21},
			Spread: 0.03, Blur: 0.4, Grain: 0.6},
		{Name: "dusk", Ink: Colour{1.00, 0.93, 0.62}, Paper: Colour{0.88, 0.38, 0.20},
			Other: Colour{0.22, 0.08, 0.36}, Spread: 0.05, Ground: Gradient},
		{Name: "neon", Ink: Colour{1.00, 0.38, 0.78}, Paper: Colour{0.05, 0.04, 0.14},
			Spread: 0.06, Blur: 3},
	}
}
