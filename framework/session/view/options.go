package view

import "github.com/hansa-fl/hansa/reports/chart"

// FigureOptions say what a figure shows.
type FigureOptions struct {
	Chart    chart.Options
	Baseline string // differences from this method; "": that of the report
	Array    string // of a matrix: its name; "": the first by name, "sent" after all others
	Round    int    // of a matrix; 0: the last that was kept
	Data     string // a list of folders with data
	Images   imageOptions

	Highlight []string // of a chart: the entries that are not grey; none: none is
}

// imageOptions say what of the clients' images is shown.
type imageOptions struct {
	Clients, Each int  // so many clients, so many images of each
	Stretch       bool // each from its darkest to its brightest pixel
}

// PageOptions say what a page shows.
type PageOptions struct {
	Baseline    string // differences from this method; "": that of the report
	Data        string // a list of folders with data
	ResultsOnly bool   // neither clients nor how they participate
}
