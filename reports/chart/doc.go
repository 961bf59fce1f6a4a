// Package chart makes the numbers of charts: curves over rounds, values over a sweep,
// differences with their intervals, how samples are partitioned and what clients weigh. How a
// chart looks is the business of package figure.
package chart
