// Package page writes all that is known of a run as one self-contained HTML file: tables that can
// be read without JavaScript, and figures that can be asked questions with it. The file requests
// nothing, forbids the browser to request anything, and is the same for the same run, byte by
// byte.
//
//	page.go      what a page is made of, and the template that writes it
//	content.go   what the template is filled with
//	curves.go    the values of every metric over the rounds, thinned
//	charts.go    charts of package reports, as the scripts draw them
//	clients.go   a table with a row for each client
//	pack.go      lists of numbers in few bytes
//	page.html    the template; page.css, how it looks
//	draw.js      draws a panel of marks; scale.js, its axes
//	curves.js    the figure of curves and its controls
//	sorts.js     sorting, light and dark; parts.go, what other pages have of this one
//	page.js      charts that stand still
package page
