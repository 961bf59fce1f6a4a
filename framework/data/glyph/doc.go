// Package glyph draws digits as a hand, a printer or a camera might have left them.
//
// A digit of a typeface is kept as a distance field: how far a point lies from its outline.
// An image asks the field where each of its pixels comes from under a random affine map and
// a random elastic displacement; one subtraction makes a stroke bolder, one division makes
// its edge softer, and nothing is rasterised twice. What results, the coverage by ink, is
// laid over a background in the colours of a look.
package glyph
