package raster

// unfilter makes the bytes of a row of how they differ from those of the pixel to the left, so many
// bytes before, and of the row above.
func unfilter(how byte, row, above []byte, pixel int) bool {
	above = above[:len(row)]
	switch how {
	case 0:
	case 1:
		for k := pixel; k < len(row); k++ {
			row[k] += row[k-pixel]
		}
	case 2:
		for k, b := range above {
			row[k] += b
		}
	case 3:
		for k := range min(pixel, len(row)) {
			row[k] += above[k] / 2
		}
		for k := pixel; k < len(row); k++ {
			row[k] += uint8((int(row[k-pixel]) + int(above[k])) / 2)
		}
	case 4:
		if pixel == 3 {
			paeth3(row, above)
			return true
		}
		for c := range pixel {
			left, corner := 0, 0
			for k := c; k < len(row); k += pixel {
				up := int(above[k])
				left = int(row[k] + paeth(left, up, corner))
				row[k], corner = uint8(left), up
			}
		}
	default:
		return false
	}
	return true
}

// paeth3 undoes Paeth's filter of three channels at once: none waits for the others.
func paeth3(row, above []byte) {
	var a, b, c, p, q, r int
	for len(row) >= 3 && len(above) >= 3 {
		x, y, z := int(above[0]), int(above[1]), int(above[2])
		a = int(row[0] + paeth(a, x, p))
		b = int(row[1] + paeth(b, y, q))
		c = int(row[2] + paeth(c, z, r))
		row[0], row[1], row[2] = uint8(a), uint8(b), uint8(c)
		p, q, r = x, y, z
		row, above = row[3:], above[3:]
	}
}

// paeth returns which of three neighbours is the nearest to left + up − corner, the first of
// equals in this order. Let lo and hi be the smaller and the larger of left and up. That point is
// as far from lo as hi is from the corner, and as far from hi as lo is. So lo is the nearest where
// hi ≤ 3·corner − lo − hi, hi where that is no more than lo, and else the corner.
func paeth(left, up, corner int) uint8 {
	lo, hi, bound := min(left, up), max(left, up), 3*corner-up-left
	best := corner
	if hi <= bound {
		best = lo
	}
	if bound <= lo {
		best = hi
	}
	return uint8(best)
}
