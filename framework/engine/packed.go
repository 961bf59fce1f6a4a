package engine

import "github.com/hansa-fl/hansa/framework/fl"

// packs reports whether rows of clients and test rows stay as they are stored: where all that could
// read them says that it reads packed rows. Those of the server and public rows, which aggregators
// read, never do.
func (s *Setup) packs() bool {
	return s.Packed && s.Model.Facts().Packs() && len(s.Preprocess) == 0 &&
		s.Adversary.poisoner() == nil
}

// bytesPerNumber returns how many bytes a number of a row takes in memory.
func (s *Setup) bytesPerNumber(shape fl.Shape) float64 {
	if s.packs() && shape.Stored > 0 {
		return float64(shape.Stored)
	}
	return ofNumber
}
