// Package render writes tables as text for a terminal, Markdown, LaTeX, HTML, CSV and JSON, and
// audits and differences of runs as text. All formats show the same grid of the same words; a
// renderer only chooses how it looks.
package render
