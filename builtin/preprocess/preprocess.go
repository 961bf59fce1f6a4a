// Package preprocess holds what moves the clients' data once, before the first round.
package preprocess

import "github.com/hansa-fl/hansa/framework/fl"

// vector returns a vector as it travels: a matrix of one row.
func vector(v fl.Vector) fl.Matrix { return fl.Matrix{Rows: 1, Cols: len(v), Data: v} }

// Packed returns what lies on and below the diagonal of a symmetric matrix, row by row: all that
// needs to travel of it.
func Packed(m fl.Matrix) fl.Matrix {
	var v fl.Vector
	for i := range m.Rows {
		v = append(v, m.Row(i)[:i+1]...)
	}
	return vector(v)
}

// Unpacked returns the symmetric matrix of d rows of which v is on and below the diagonal.
func Unpacked(v fl.Vector, d int) fl.Matrix {
	m := fl.NewMatrix(d, d)
	for i := range d {
		for j := range i + 1 {
			m.Row(i)[j], m.Row(j)[i] = v[0], v[0]
			v = v[1:]
		}
	}
	return m
}
