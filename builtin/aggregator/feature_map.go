package aggregator

import (
	"errors"
	"fmt"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
)

// A featureMap is h(X), what a model or a calibration may use of a client's covariates X: some of
// them, or all, and functions of these beside them.
type featureMap struct {
	columns  []int    // of X; nil: all
	names    []string // of all covariates; nil: not known
	squares  bool     // Xⱼ²
	products bool     // XⱼXₖ, j < k
	above    bool     // 1 where Xⱼ is above the population's mean, 0 elsewhere
}

// newFeatureMap declares h(X) of something: which covariates, and which terms beside them. Terms
// above a mean are for what knows the population's means.
func newFeatureMap(p *fl.Params, of, what string, means bool) featureMap {
	names, terms := of+"_covariates", of+"_terms"
	columns := p.Covariates(names, "names of the covariates that "+what+" may use; [] for none, "+
		"all of the data when it is not given")
	options := []string{"linear", "squares", "interactions", "quadratic"}
	doc := "what " + what + " may use of them: themselves; their squares, too; their products, " +
		"too; both"
	if means {
		options = append(options, "indicators")
		doc += "; whether they are above the population's mean, too"
	}
	chosen := p.Choice(terms, "linear", doc, options...)
	p.Later(terms)
	h := featureMap{names: p.Setting().Shape.Covariates}
	if p.Given(names) {
		h.columns = append([]int{}, columns...)
	}
	h.squares = chosen == "squares" || chosen == "quadratic"
	h.products = chosen == "interactions" || chosen == "quadratic"
	h.above = chosen == "indicators"
	return h
}

// plain reports whether h(X) = X.
func (h *featureMap) plain() bool {
	return h.columns == nil && !h.squares && !h.products && !h.above
}

// count returns how many covariates are used, of so many.
func (h *featureMap) count(cols int) int {
	if h.columns == nil {
		return cols
	}
	return len(h.columns)
}

// column returns the j-th covariate that is used.
func (h *featureMap) column(j int) int {
	if h.columns == nil {
		return j
	}
	return h.columns[j]
}

// width returns the length of h(X), where X has so many covariates.
func (h *featureMap) width(cols int) int {
	n := h.count(cols)
	width := n
	if h.squares {
		width += n
	}
	if h.products {
		width += n * (n - 1) / 2
	}
	if h.above {
		width += n
	}
	return width
}

// add appends h(X) to dst; mean is the population's, for terms above it.
func (h *featureMap) add(dst, x, mean fl.Vector) fl.Vector {
	if h.plain() {
		return append(dst, x...)
	}
	n := h.count(len(x))
	for j := range n {
		dst = append(dst, x[h.column(j)])
	}
	if h.squares {
		for j := range n {
			dst = append(dst, x[h.column(j)]*x[h.column(j)])
		}
	}
	if h.products {
		for j := range n {
			for k := j + 1; k < n; k++ {
				dst = append(dst, x[h.column(j)]*x[h.column(k)])
			}
		}
	}
	if h.above {
		for j := range n {
			one := 0.0
			if c := h.column(j); x[c] > mean[c] {
				one = 1
			}
			dst = append(dst, one)
		}
	}
	return dst
}

// dot returns ⟨c, h(X)⟩, of no terms above a mean.
func (h *featureMap) dot(c, x fl.Vector) float64 {
	n := h.count(len(x))
	if h.plain() {
		return x.Dot(c[:n])
	}
	sum, at := 0.0, n
	for j := range n {
		sum += c[j] * x[h.column(j)]
	}
	if h.squares {
		for j := range n {
			sum += c[at+j] * x[h.column(j)] * x[h.column(j)]
		}
		at += n
	}
	if h.products {
		for j := range n {
			for k := j + 1; k < n; k++ {
				sum += c[at] * x[h.column(j)] * x[h.column(k)]
				at++
			}
		}
	}
	return sum
}

// of returns the matrix of h(X) of all rows of x.
func (h *featureMap) of(x fl.Matrix, mean fl.Vector) fl.Matrix {
	if h.plain() {
		return x
	}
	all := fl.Matrix{Rows: x.Rows, Cols: h.width(x.Cols)}
	for i := range x.Rows {
		all.Data = h.add(all.Data, x.Row(i), mean)
	}
	return all
}

// The errors of moments that the server does not know.
var (
	errNoMeans    = errors.New("the population's mean covariates are not disclosed")
	errNoProducts = errors.New("the population's mean squares and products are not disclosed: " +
		"they are of data with many covariates")
)

// population appends the mean of h(X) over the population to dst.
func (h *featureMap) population(dst fl.Vector, pop *fl.Roster) (fl.Vector, error) {
	mean, n := pop.Moments, h.count(pop.Covariates.Cols)
	if mean == nil && n > 0 {
		return dst, errNoMeans
	}
	for j := range n {
		dst = append(dst, mean[h.column(j)])
	}
	if (h.squares || h.products) && n > 0 && pop.Products.Data == nil {
		return dst, errNoProducts
	}
	if h.squares {
		for j := range n {
			dst = append(dst, pop.Products.Row(h.column(j))[h.column(j)])
		}
	}
	if h.products {
		for j := range n {
			for k := j + 1; k < n; k++ {
				dst = append(dst, pop.Products.Row(h.column(j))[h.column(k)])
			}
		}
	}
	if h.above {
		for j := range n {
			dst = append(dst, pop.Above[h.column(j)])
		}
	}
	return dst, nil
}

// labels name the elements of h(X), as far as names of covariates are known.
func (h *featureMap) labels() []string {
	if h.plain() || h.names == nil {
		return h.names
	}
	var used, list []string
	for j := range h.count(len(h.names)) {
		used = append(used, h.names[h.column(j)])
	}
	list = slices.Clone(used)
	if h.squares {
		for _, name := range used {
			list = append(list, name+"²")
		}
	}
	if h.products {
		for j, name := range used {
			for _, other := range used[j+1:] {
				list = append(list, fmt.Sprintf("%s·%s", name, other))
			}
		}
	}
	return list
}
