// Package reports is the map of what turns results into tables, figures and files; it holds
// no code.
//
//	infer    results → samples → statistics: tests, intervals, ranks, targets; no prose
//	verdict  claims of papers → statistics → holds, refuted, undecided
//	table    the numeric model of a table, and all that is said of it
//	render   tables in every format: text for a terminal, Markdown, LaTeX and others
//	chart    the numbers of charts
//	figure   charts drawn, as SVG, PDF and PNG
//	page     one page of all of it
//	export   a run in long form
//
// The layers do not know each other's business. Statistics see nothing but numbers; a Table
// holds numbers and notes; a renderer only chooses how they look. Imports point one way:
// infer ← verdict ← table ← render; chart stands on infer and table, export on infer, page on all.
package reports
