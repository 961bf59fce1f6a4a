package model

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/hansa-fl/hansa/framework/fl"
)

// A pinballProgram is the linear program min Σ sⱼρ(yⱼ − ⟨aⱼ, θ⟩) at one of its vertices, where the
// residuals of as many rows as there are columns are zero: the basis. Those of all other rows are
// above zero or below it. From vertex to vertex an edge leads along which the objective falls, to
// the least value on it (I. Barrodale, F. D. K. Roberts, SIAM J. Numer. Anal. 10, 1973).
//
// The multipliers u solve Σ uⱼaⱼ = 0, where uⱼ is sⱼτ for a row above and sⱼ(τ − 1) for one below.
// A vertex is optimal where those of the basis lie between: then F(θ) − F* = Σ(sⱼρ(rⱼ) − uⱼrⱼ) for
// any θ with residuals r, a sum without a negative term.
type pinballProgram struct {
	level float64
	a     fl.Matrix // independent columns, each divided by its largest number
	y, s  fl.Vector // targets, and what each row counts: above 0

	basis  []int // rows
	at     []int // where a row stands in the basis; −1: it does not
	above  []bool
	tied   []bool // rows outside the basis whose residual is zero, too
	lu     mat.LU // of the rows of the basis
	theta  fl.Vector
	r, u   fl.Vector // by row
	edge   fl.Vector // direction in which θ moves
	breaks []breakpoint
}

// A breakpoint is where the residual of a row changes its sign on an edge.
type breakpoint struct {
	row   int
	t     float64 // ≥ 0
	bends float64 // what the slope of the objective gains there
}

// nearlyZero is the size below which a number that rounding leaves counts as 0.
const nearlyZero = 1e-11

// solve computes the optimum at a vertex of the linear program. Where there are others, too, it is
// one of them.
func (m *quantile) solve(pop *fl.Population, w fl.Vector) (fl.Optimum, error) {
	d := pop.Train
	share := pop.Shares(w)
	var rows []int // those that count
	for r, s := range share {
		if s > 0 {
			rows = append(rows, r)
		}
	}
	design := fl.NewMatrix(len(rows), m.Layout().Len())
	y, s := make(fl.Vector, len(rows)), make(fl.Vector, len(rows))
	for i, r := range rows {
		row := design.Row(i)
		copy(row, d.Row(r, row[:d.X.Cols]))
		if m.line.intercept {
			row[len(row)-1] = 1
		}
		y[i], s[i] = d.Target[r], share[r]
	}
	if !fl.Vector(design.Data).Finite() || !y.Finite() {
		return fl.Optimum{}, errors.New("some feature or target is no finite number")
	}
	p, cols, scale := newPinball(m.level, design, y, s)
	if err := p.descend(); err != nil {
		return fl.Optimum{}, err
	}
	best := fl.Optimum{Params: make(fl.Vector, design.Cols), Value: p.value(p.r),
		Unique: len(cols) == design.Cols && p.strict()}
	for k, c := range cols {
		best.Params[c] = p.theta[k] / scale[c]
	}
	best.Gap = func(params fl.Vector) float64 {
		r := make(fl.Vector, len(rows))
		design.MulVec(r, params)
		for i := range r {
			r[i] = y[i] - r[i]
		}
		return p.gap(r)
	}
	return best, nil
}

// newPinball returns the program at a vertex, with the columns that it keeps of a design and what
// each column was divided by. The vertex comes from an elimination with complete pivoting: its rows
// are independent, and so are its columns.
func newPinball(level float64, design fl.Matrix, y, s fl.Vector) (
	p *pinballProgram, cols []int, scale fl.Vector,
) {
	n := design.Rows
	p = &pinballProgram{level: level, y: y, s: s, at: slices.Repeat([]int{-1}, n),
		above: make([]bool, n), tied: make([]bool, n), r: make(fl.Vector, n), u: make(fl.Vector, n)}
	scale = make(fl.Vector, design.Cols)
	for i := range n {
		for c, x := range design.Row(i) {
			scale[c] = max(scale[c], math.Abs(x))
		}
	}
	whole := fl.NewMatrix(n, design.Cols)
	for i := range n {
		for c, x := range design.Row(i) {
			if scale[c] > 0 {
				whole.Row(i)[c] = x / scale[c]
			}
		}
	}
	p.basis, cols = pivots(whole)
	p.a = fl.NewMatrix(n, len(cols))
	for i := range n {
		for k, c := range cols {
			p.a.Row(i)[k] = whole.Row(i)[c]
		}
	}
	for k, i := range p.basis {
		p.at[i] = k
	}
	p.theta, p.edge = make(fl.Vector, len(cols)), make(fl.Vector, len(cols))
	return p, cols, scale
}

// pivots returns rows and columns of a matrix that are independent, as many as its rank.
func pivots(a fl.Matrix) (rows, cols []int) {
	work := fl.NewMatrix(a.Rows, a.Cols)
	copy(work.Data, a.Data)
	used := make([]bool, a.Rows)
	for range min(a.Rows, a.Cols) {
		row, col, most := -1, -1, nearlyZero
		for i := range a.Rows {
			if used[i] {
				continue
			}
			for c, x := range work.Row(i) {
				if x = math.Abs(x); x > most {
					row, col, most = i, c, x
				}
			}
		}
		if row < 0 {
			break
		}
		used[row] = true
		rows, cols = append(rows, row), append(cols, col)
		pivot := work.Row(row)
		for i := range a.Rows {
			if !used[i] {
				other := work.Row(i)
				other.AddScaled(-other[col]/pivot[col], pivot)
				other[col] = 0
			}
		}
	}
	return rows, cols
}

// descend goes from vertex to vertex until no edge leads down.
func (p *pinballProgram) descend() error {
	most := 1000 + 100*len(p.theta) + p.a.Rows
	for range most {
		if err := p.stand(); err != nil {
			return err
		}
		out, sign := p.leaving()
		if out < 0 {
			return nil
		}
		if err := p.move(out, sign); err != nil {
			return err
		}
	}
	return fmt.Errorf("the linear program of quantile regression has no end after %d steps", most)
}

// stand computes θ, residuals and multipliers at the vertex of the basis.
func (p *pinballProgram) stand() error {
	if n := len(p.theta); n > 0 {
		b, y := mat.NewDense(n, n, nil), mat.NewVecDense(n, nil)
		for k, i := range p.basis {
			b.SetRow(k, p.a.Row(i))
			y.SetVec(k, p.y[i])
		}
		p.lu.Factorize(b)
		if err := p.solveFor(p.theta, false, y.RawVector().Data); err != nil {
			return err
		}
	}
	p.a.MulVec(p.r, p.theta)
	rest := make(fl.Vector, len(p.theta)) // −Σ uⱼaⱼ of the rows outside the basis
	for j := range p.r {
		size := math.Abs(p.y[j]) + math.Abs(p.r[j])
		p.r[j] = p.y[j] - p.r[j]
		if p.at[j] >= 0 {
			p.r[j], p.tied[j] = 0, false
			continue
		}
		p.tied[j] = math.Abs(p.r[j]) <= nearlyZero*size
		if !p.tied[j] { // else it is on the side on which it came
			p.above[j] = p.r[j] > 0
		}
		p.u[j] = p.s[j] * (p.level - 1)
		if p.above[j] {
			p.u[j] = p.s[j] * p.level
		}
		rest.AddScaled(-p.u[j], p.a.Row(j))
	}
	if err := p.solveFor(rest, true, rest.Clone()); err != nil {
		return err
	}
	for k, i := range p.basis {
		p.u[i] = rest[k]
	}
	return nil
}

// solveFor sets dst to the solution of Bx = b, or of Bᵀx = b, for the rows B of the basis.
func (p *pinballProgram) solveFor(dst fl.Vector, transposed bool, b fl.Vector) error {
	if len(dst) == 0 {
		return nil
	}
	err := p.lu.SolveVecTo(mat.NewVecDense(len(dst), dst), transposed, mat.NewVecDense(len(b), b))
	if err != nil && math.IsInf(p.lu.Cond(), 1) {
		return fmt.Errorf("a vertex of quantile regression is singular: %w", err)
	}
	return nil
}

// excess returns how far the multiplier of a row lies beyond its bounds, below 0 where it lies
// within, and the sign of the change of θ along its edge that lowers the objective.
func (p *pinballProgram) excess(i int) (x, sign float64) {
	under, over := p.s[i]*(p.level-1)-p.u[i], p.u[i]-p.s[i]*p.level
	if under > over {
		return under, 1
	}
	return over, -1
}

// leaving returns the place in the basis whose edge is the steepest one downwards; −1: none is.
func (p *pinballProgram) leaving() (place int, sign float64) {
	most := nearlyZero * p.s.Sum()
	place = -1
	for k, i := range p.basis {
		if x, direction := p.excess(i); x > most {
			place, sign, most = k, direction, x
		}
	}
	return place, sign
}

// move goes along the edge of a place of the basis to where the objective is least.
func (p *pinballProgram) move(place int, sign float64) error {
	out := p.basis[place]
	unit := make(fl.Vector, len(p.edge))
	unit[place] = sign
	if err := p.solveFor(p.edge, false, unit); err != nil {
		return err
	}
	p.breaks = p.breaks[:0]
	for j := range p.r {
		if p.at[j] >= 0 {
			continue
		}
		if p.crosses(j, p.edge) {
			falls := p.a.Row(j).Dot(p.edge)
			p.breaks = append(p.breaks, breakpoint{j, max(0, p.r[j]/falls),
				p.s[j] * math.Abs(falls)})
		}
	}
	slices.SortFunc(p.breaks, func(a, b breakpoint) int {
		return cmp.Or(cmp.Compare(a.t, b.t), a.row-b.row)
	})
	over, _ := p.excess(out)
	slope := -over
	for _, b := range p.breaks {
		p.above[b.row] = !p.above[b.row]
		if slope += b.bends; slope >= 0 {
			p.basis[place], p.at[b.row], p.at[out] = b.row, place, -1
			p.above[out] = sign < 0 // where θ grows along the edge, the residual falls
			return nil
		}
	}
	return errors.New("quantile regression has no optimum: weights or features overflow")
}

// strict reports whether any other θ is known to be worse. The objective can be constant along the
// edge of a row of the basis only where its multiplier is at a bound, and there only if no row
// outside the basis has a residual of zero that the edge takes to the other side. Where there are
// several such edges, one row must stop all of them, and combinations with them.
func (p *pinballProgram) strict() bool {
	var edges []fl.Vector
	for k, i := range p.basis {
		x, sign := p.excess(i)
		if x <= -1e-9*p.s[i] {
			continue
		}
		unit, edge := make(fl.Vector, len(p.basis)), make(fl.Vector, len(p.basis))
		unit[k] = sign
		if p.solveFor(edge, false, unit) != nil {
			return false
		}
		edges = append(edges, edge)
	}
	for j, tied := range p.tied {
		if tied && !slices.ContainsFunc(edges, func(e fl.Vector) bool { return !p.crosses(j, e) }) {
			return true
		}
	}
	return len(edges) == 0
}

// crosses reports whether the residual of a row goes to zero, or beyond, on an edge.
func (p *pinballProgram) crosses(j int, edge fl.Vector) bool {
	falls := p.a.Row(j).Dot(edge) // what the residual loses on the way
	return math.Abs(falls) > nearlyZero*edge.Norm() && (falls > 0) == p.above[j]
}

// value returns Σ sⱼρ(rⱼ).
func (p *pinballProgram) value(r fl.Vector) (sum float64) {
	for j, x := range r {
		sum += p.s[j] * pinball(p.level, x)
	}
	return sum
}

// gap returns the objective at residuals above its minimum.
func (p *pinballProgram) gap(r fl.Vector) (sum float64) {
	for j, x := range r {
		u := min(max(p.u[j], p.s[j]*(p.level-1)), p.s[j]*p.level)
		sum += max(0, p.s[j]*pinball(p.level, x)-u*x)
	}
	return overflown(sum)
}
