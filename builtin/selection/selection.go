// Package selection holds the server's selection: which of the available clients participate in a
// round.
package selection
