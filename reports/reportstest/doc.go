// Package reportstest holds small experiments whose tables can be checked by hand, and what
// tests of the packages beside it ask of tables.
package reportstest
