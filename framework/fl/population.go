package fl

// A Client is one member of the population. Only its own code sees its data.
type Client struct {
	ID   int     // position in the population, 0 ≤ ID < N
	Data Dataset // its training samples; a view into the population's
}

// A Population is every client's data, in one piece of memory ordered by client, so
// that a million clients cost no more objects than one.
type Population struct {
	Train     *Dataset  // all clients' samples: client 0's, then client 1's, …
	Start     []int     // length N+1: client i owns rows Start[i] to Start[i+1] of Train
	Test      *Dataset  // held out; never trained on
	Held      *Dataset  // training samples of the server; nil when it has none
	Public    *Dataset  // of no client; nil where there are none
	TestStart []int     // the same for Test; nil when test rows have no natural client
	Own       *Dataset  // test samples of clients beside Test: dealt of it, or held out; or nil
	OwnStart  []int     // client i's are rows OwnStart[i] to OwnStart[i+1] of Own
	Moments   []Moments // of each client's samples; nil when they were not computed

	// Blends are those of the clients' training samples, see Dataset; nil where none are blended.
	Blends  []func(epoch, epochs int) float64
	LeftOut int // training samples that the partition assigned to no client

	Remarks []string // on the data, by their source

	Alphabet []rune // the characters that tokens stand for; nil where they stand for none
}

// N returns the number of clients.
func (p *Population) N() int { return len(p.Start) - 1 }

// Client returns client i.
func (p *Population) Client(i int) (c Client) {
	p.Open(&c, i)
	return c
}

// Open makes c client i. It copies less than Client does.
func (p *Population) Open(c *Client, i int) {
	c.ID = i
	p.Train.view(&c.Data, p.Start[i], p.Start[i+1])
	if p.Moments != nil {
		c.Data.Moments = &p.Moments[i]
	}
	if p.Blends != nil {
		c.Data.Blend = p.Blends[i]
	}
}

// ClientTests returns the test samples that belong to clients, and where those of each begin:
// length N+1. They are Own, or else rows of Test. start is nil where there are none.
func (p *Population) ClientTests() (tests *Dataset, start []int) {
	if p.OwnStart != nil {
		return p.Own, p.OwnStart
	}
	return p.Test, p.TestStart
}

// ClientTest returns the test samples of client i. It may be called only where ClientTests returns
// some.
func (p *Population) ClientTest(i int) Dataset {
	tests, start := p.ClientTests()
	return tests.Rows(start[i], start[i+1])
}

// Shares returns the weight of every row of Train in Σ wᵢ fᵢ: the rows of client i share wᵢ.
func (p *Population) Shares(w Vector) Vector {
	share := make(Vector, p.Train.Len())
	for i, weight := range w {
		lo, hi := p.Start[i], p.Start[i+1]
		share[lo:hi].Fill(weight / float64(hi-lo))
	}
	return share
}

// Mix returns the moments of the mixture Σ wᵢ Dᵢ of the clients' regression data: of the
// data set of which client i's samples are a share wᵢ.
func (p *Population) Mix(w Vector) *Moments { return NewMoments(p.Train, p.Shares(w)) }

// A Roster is what the server knows of the population in every round. Components of the
// environment, enrolment and availability, have a Roster of their own, in which the covariates of
// every client are known.
type Roster struct {
	N          int
	Importance Vector // p, length N, non-negative, sums to 1
	Samples    []int  // nᵢ, length N
	Enrolled   []bool // enrolled clients, length N; nil when all are
	Covariates Matrix // Xᵢ, N×k; rows of clients not enrolled are NaN unless disclosed
	Moments    Vector // Σ pᵢXᵢ over all clients, length k; nil unless disclosed
	Products   Matrix // Σ pᵢXᵢXᵢᵀ, k×k; as Moments, and none where k is above MostProducts
	Above      Vector // Σ pᵢ over the clients whose Xᵢⱼ is above Moments[j], length k; as Moments
}

// MostProducts is the largest number of covariates whose products are disclosed.
const MostProducts = 100

// SetMoments sets Moments, Products and Above to those of the covariates of all clients, by
// Importance.
func (r *Roster) SetMoments(x Matrix) {
	r.Moments, r.Products, r.Above = make(Vector, x.Cols), Matrix{}, make(Vector, x.Cols)
	x.AddMulTVec(r.Moments, r.Importance)
	if x.Cols <= MostProducts {
		r.Products = NewMatrix(x.Cols, x.Cols)
	}
	for i, p := range r.Importance {
		for j, v := range x.Row(i) {
			if v > r.Moments[j] {
				r.Above[j] += p
			}
			if r.Products.Data != nil {
				r.Products.Row(j).AddScaled(p*v, x.Row(i))
			}
		}
	}
}

// Reaches reports whether client i is enrolled.
func (r *Roster) Reaches(i int) bool { return r.Enrolled == nil || r.Enrolled[i] }

// Enrolment returns how many clients are enrolled.
func (r *Roster) Enrolment() int {
	if r.Enrolled == nil {
		return r.N
	}
	n := 0
	for _, in := range r.Enrolled {
		if in {
			n++
		}
	}
	return n
}
