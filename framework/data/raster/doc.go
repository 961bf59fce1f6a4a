// Package raster decodes the pictures that data sets are full of, PNG files with eight bits a
// channel, two and a half times as fast as image/png: what is packed is in memory as a whole, and
// it is known beforehand how much it becomes, so that there are no windows and no streams; and a
// Decoder keeps its memory and tables from one picture to the next.
//
// It decodes the usual, and says of everything else that it does not: what is interlaced, has a
// palette or sixteen bits, or is damaged is left to image/png, whose word on it counts. Sums of
// parts and of pixels are checked as there.
//
//	T. Boutell. PNG (Portable Network Graphics) Specification. RFC 2083, 1997. L. P. Deutsch and
//	J.-L. Gailly. ZLIB Compressed Data Format Specification. RFC 1950, 1996. L. P. Deutsch.
//	DEFLATE Compressed Data Format Specification. RFC 1951, 1996.
package raster
