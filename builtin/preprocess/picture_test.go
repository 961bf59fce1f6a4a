package preprocess

import "github.com/hansa-fl/hansa/framework/fl"

// A picture is an image by its definition: pixels by channel, row and column.
type picture [][][]float64

// unfold returns the picture in a row of a data set.
func unfold(row []float64, i fl.Image) picture {
	p := make(picture, i.C)
	for c := range p {
		for r := range i.H {
			p[c] = append(p[c], row[(c*i.H+r)*i.W:][:i.W])
		}
	}
	return p
}

// windowed returns a picture whose pixels are f of windows of h×w pixels, step apart, of which each
// channel has the place where the window begins.
func (p picture) windowed(channels, h, w, step int, f func(c, r, col int) float64) picture {
	q := make(picture, channels)
	for c := range q {
		for r := 0; r+h <= len(p[0]); r += step {
			var line []float64
			for col := 0; col+w <= len(p[0][0]); col += step {
				line = append(line, f(c, r, col))
			}
			q[c] = append(q[c], line)
		}
	}
	return q
}

// convolved returns the picture under a layer of rectified k×k convolutions; weights lie by output
// channel, row, column, input channel.
func (p picture) convolved(weight, bias []float32, k int) picture {
	return p.windowed(len(bias), k, k, 1, func(c, r, col int) float64 {
		sum := float64(bias[c])
		for y := range k {
			for x := range k {
				for in := range p {
					sum += float64(weight[((c*k+y)*k+x)*len(p)+in]) * p[in][r+y][col+x]
				}
			}
		}
		return max(sum, 0)
	})
}

// halved returns the largest of 2×2 pixels.
func (p picture) halved() picture {
	return p.windowed(len(p), 2, 2, 2, func(c, r, col int) float64 {
		return max(p[c][r][col], p[c][r][col+1], p[c][r+1][col], p[c][r+1][col+1])
	})
}

// meaned returns means of h×w pixels.
func (p picture) meaned(h, w, step int) picture {
	return p.windowed(len(p), h, w, step, func(c, r, col int) (mean float64) {
		for y := range h {
			for x := range w {
				mean += p[c][r+y][col+x] / float64(h*w)
			}
		}
		return mean
	})
}

// list returns the pixels by row, column and channel.
func (p picture) list() (list []float64) {
	for r := range p[0] {
		for col := range p[0][r] {
			for c := range p {
				list = append(list, p[c][r][col])
			}
		}
	}
	return list
}
