package aggregator

import (
	"math/rand/v2"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/kernel"
	"github.com/hansa-fl/hansa/framework/nn"
)

// A generator is a network that makes rows of noise: numbers between low and high. It is trained by
// what others say of the rows, and so is the noise. It is memory that lasts, and says nothing from
// one round to the next.
type generator struct {
	low, high float64
	rate      float64 // of its steps by Adam
	samples   int     // rows that it makes at a time

	net          *nn.Net
	tape         *nn.Tape
	weights, z   trainable
	rows, atRows fl.Matrix // what it made, and the gradient there
	step         int
}

// A trainable is numbers that Adam moves.
type trainable struct{ at, grad, mean, square []float32 }

func newTrainable(n int) trainable {
	return trainable{make([]float32, n), make([]float32, n), make([]float32, n), make([]float32, n)}
}

// begin forgets the steps before.
func (v *trainable) begin() {
	clear(v.mean)
	clear(v.square)
}

// layersOf are those of a generator of samples of a shape: of images two convolutions that double
// the pixels, and one that makes channels; of vectors two hidden layers.
func layersOf(out nn.Shape, channels int) []nn.Layer {
	wide := 2 * channels
	if out.H*out.W == 1 {
		return []nn.Layer{nn.Dense(wide), nn.BatchNorm(), nn.LeakyReLU(), nn.Dense(wide),
			nn.BatchNorm(), nn.LeakyReLU(), nn.Dense(out.C), nn.Sigmoid()}
	}
	h, w := (out.H+3)/4, (out.W+3)/4
	return []nn.Layer{
		nn.Dense(wide * h * w), nn.Unflatten(h, w), nn.BatchNorm(),
		nn.Upsample((out.H+1)/2, (out.W+1)/2),
		nn.ConvBare(wide, 3, 1, 1), nn.BatchNorm(), nn.LeakyReLU(),
		nn.Upsample(out.H, out.W),
		nn.ConvBare(channels, 3, 1, 1), nn.BatchNorm(), nn.LeakyReLU(),
		nn.Conv(out.C, 3, 1, 1), nn.Sigmoid(),
	}
}

// build makes the network for rows of a shape and so many numbers of noise, unless it is there.
func (g *generator) build(in fl.Image, noise, channels int) error {
	out := nn.Shape{H: in.H, W: in.W, C: in.C}
	if g.net != nil && g.net.Out() == out {
		return nil
	}
	net, err := nn.New(nn.Shape{H: 1, W: 1, C: noise}, layersOf(out, channels)...)
	if err != nil {
		return err
	}
	n := g.samples
	g.net, g.tape = net, net.Tape(n)
	g.weights, g.z = newTrainable(net.Params()), newTrainable(n*noise)
	g.rows, g.atRows = fl.NewMatrix(n, out.Len()), fl.NewMatrix(n, out.Len())
	return nil
}

// begin draws weights and noise anew: weights with the deviation 0.02, as authors of such networks
// do (Radford et al. Unsupervised Representation Learning with Deep Convolutional Generative
// Adversarial Networks. ICLR 2016), and noise with 1.
func (g *generator) begin(rng *rand.Rand) {
	for _, b := range g.net.Layout().Blocks {
		mean, deviation := 0.0, 0.0
		switch b.Name {
		case fl.Weight:
			deviation = 0.02
		case fl.NormScale:
			mean, deviation = 1, 0.02
		case fl.RunningVariance:
			mean = 1
		}
		for i := range b.Rows * b.Cols {
			g.weights.at[b.Offset+i] = float32(mean + deviation*rng.NormFloat64())
		}
	}
	for i := range g.z.at {
		g.z.at[i] = float32(rng.NormFloat64())
	}
	g.weights.begin()
	g.z.begin()
	g.step = 0
}

// make makes rows, and clears the gradient there, to which losses are added.
func (g *generator) make() {
	batch := g.tape.Train(g.weights.at, g.z.at, g.samples)
	clear(g.rows.Data)
	clear(g.atRows.Data)
	g.net.Out().AddRows(g.rows.Data, batch)
	for i, x := range g.rows.Data {
		g.rows.Data[i] = g.low + (g.high-g.low)*x
	}
}

// descend makes a step of weights and noise along the gradient at the rows that it made last.
func (g *generator) descend() {
	fl.Vector(g.atRows.Data).Scale(g.high - g.low)
	g.net.Out().Interleave(g.tape.ScoreSlopes(), g.atRows.Data)
	copy(g.z.grad, g.tape.BackwardInput(g.weights.grad, g.weights.at))
	g.step++
	adam := kernel.Adam{Rate: g.rate, Beta1: 0.5, Beta2: 0.999, Epsilon: 1e-8}
	for _, v := range []*trainable{&g.weights, &g.z} {
		n := len(v.at)
		if v == &g.weights {
			n = g.net.Trained() // running statistics are of no use, as it is never evaluated
		}
		adam.Step(g.step, v.at[:n], v.grad[:n], v.mean[:n], v.square[:n])
	}
}
