// Package selection holds the server's move: who of those available trains in a round.
package selection
