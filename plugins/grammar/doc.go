// Package grammar writes random Go programs that cover the grammar: every production in every
// context, for every type that it is there for. Tests compile and interpret them.
//
// A production is a piece of a program: a form of a statement, an expression, a declaration. The
// files in productions hold them as templates. A context is what surrounds it: a loop, a method,
// a deferred call, the initialisation of a package. A cell is a pair of both. A program holds
// several cells, whose operands are random; the programs of one seed go through all cells, and
// then again with other operands.
//
// Programs avoid what the specification of Go leaves open: the order of a map's elements, the
// order in which operands are read beside calls, the bits of a NaN, conversions of floats that
// are out of range. They end. What they compute they hand to the package see, number by number.
package grammar
