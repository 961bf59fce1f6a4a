// Package figure draws figures for papers: PNG, SVG and PDF at the sizes of journals.
//
// A Drawing knows how it looks at a width; Write chooses the format. All formats come from the
// same strokes, texts and pictures, which a pen puts on a canvas of gonum.org/v1/plot/vg. Of
// that module this package uses the canvas, the raster backend and the fonts. It has its own
// canvas for PDF, since the one of the module writes UTF-8 into a font that is no Unicode font
// and gives translucent colours as grey; its own canvas for SVG, since text needs families to
// fall back on and pictures must not be blurred; and its own axes, which are measured before
// they are drawn, so that no text leaves the canvas and logarithms need no data that are
// positive.
//
// The same figure is the same bytes, whenever and wherever it is written. Text is text in SVG
// and PDF: it can be searched and copied. Colours are Okabe and Ito's, which colour-blind
// readers can tell apart, and dashes and shapes differ as well, for printers without colour.
package figure
