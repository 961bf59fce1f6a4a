// Package leaderboard writes a static site that compares the methods of one or several runs: a few
// HTML files beside each other that request nothing, need no server and are the same for the same
// runs, byte by byte.
//
// There is no single winner: of every condition the site shows the set of methods that do not
// differ significantly from the best, and how every method differs from a baseline, with seeds as
// the unit of replication. All statistics are those of package table.
//
//	record.go      what a site needs of a run: final values in place of curves
//	encode.go      a file of records, and stored.go, what it consists of; decode.go reads it
//	board.go       what a site is made of, and its files
//	group.go       runs whose settings agree are compared with each other
//	condition.go   a page for every condition: a point of the sweep of a run
//	row.go         a method in a condition: number of seeds, mean, interval, difference
//	cost.go        what methods send and take, against what they reach
//	heat.go        all methods in all conditions
//	audited.go     what an audit says of a method
//	claims.go      the page of claims and their verdicts
//	method.go      a page for every method
//	standing.go    where one method stands among all, with the confidence set of its rank
//	write.go       a site in a folder, in place of an earlier one
//	site.html      the templates; board.css, what they look like beyond the pages of runs
//	board.js       search; sorting is that of package page
package leaderboard
