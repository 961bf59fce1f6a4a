// Package table is the numeric model of a table and all that is said of it.
//
// Build makes tables of an infer.Input: means over seeds, what they are compared with, and
// notes that say what a reader would otherwise have to ask. Compare compares methods over all
// conditions of an experiment, as tables of the same model. A Table holds numbers; Layout
// arranges one in words, the same for every renderer. Bounds and numbers from the literature
// are shown and never ranked. The claims of an experiment stand below its last table, with what
// package verdict finds of them.
//
// All prose of reports is here: footnotes, legends, notes of rows and columns, audits in words.
package table
