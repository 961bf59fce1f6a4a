// Package preprocess holds what moves the clients' data once, before the first round.
package preprocess

import (
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// vector returns a vector as it travels: a matrix of one row.
func vector(v fl.Vector) fl.Matrix { return fl.Matrix{Rows: 1, Cols: len(v), Data: v} }

// packed returns what lies on and below the diagonal of a symmetric matrix, row by row: all that
// needs to travel of it.
func packed(m fl.Matrix) fl.Matrix {
	v := make(fl.Vector, tensor.Packed(m.Rows))
	m.Pack(v)
	return vector(v)
}

// unpacked returns the symmetric matrix of d rows of which v is on and below the diagonal.
func unpacked(v fl.Vector, d int) fl.Matrix {
	m := fl.NewMatrix(d, d)
	m.Unpack(v)
	return m
}

func copied(m fl.Matrix) fl.Matrix {
	return fl.Matrix{Rows: m.Rows, Cols: m.Cols, Data: fl.Vector(m.Data).Clone()}
}
