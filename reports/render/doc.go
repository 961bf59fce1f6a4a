// Package render writes tables in the formats that Formats lists, such as text for a terminal,
// Markdown and LaTeX, and audits and differences of runs as text. All formats show the same grid of
// the same words; a renderer only chooses how it looks.
//
// On a terminal tablewriter finds the widths of columns and aligns cells. Two things it cannot
// do, as tests show: it merges no headings of several levels (TestTablewriterMergesNoLevels), and
// lines nothing up at decimal points (TestTablewriterAlignsNoPoints). These stay ours, and so
// does stacking what is wider than the terminal.
package render
