// Package study turns an experiment file into cells. It is pure data: it knows the
// form of an experiment — setting, methods, ablations, sweep, references, report —
// and where everything was written, but no component.
//
// A cell is one method in one setting with one seed. Everything that decides its
// numbers is in it; titles, labels, roles, what a table shows and how many workers
// there are is not, and does not enter its identity.
package study
