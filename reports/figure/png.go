package figure

import (
	"image"
	"image/draw"
	"image/png"
	"io"
	"math"

	xdraw "golang.org/x/image/draw"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
)

// dots are the pixels of a PNG per inch.
const dots = 300

// A pngCanvas is the raster canvas of gonum, with pictures whose pixels stay pixels.
type pngCanvas struct{ *vgimg.Canvas }

func newPNG(width, height vg.Length) *pngCanvas {
	return &pngCanvas{vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(dots))}
}

// DrawImage implements vg.Canvas, without regard to how the canvas is turned.
func (c *pngCanvas) DrawImage(r vg.Rectangle, m image.Image) {
	page := c.Image()
	high := float64(page.Bounds().Dy())
	to := image.Rect(
		int(math.Round(r.Min.X.Dots(dots))), int(math.Round(high-r.Max.Y.Dots(dots))),
		int(math.Round(r.Max.X.Dots(dots))), int(math.Round(high-r.Min.Y.Dots(dots))))
	xdraw.NearestNeighbor.Scale(page, to, m, m.Bounds(), draw.Over, nil)
}

// WriteTo implements io.WriterTo.
func (c *pngCanvas) WriteTo(w io.Writer) (int64, error) {
	return 0, png.Encode(w, c.Image())
}
