// Package nn holds the layers of neural networks: float32, forward and backward by hand.
//
// A Net is an architecture whose shapes are resolved: immutable, shared by all workers,
// and without parameters of its own. All parameters of a net lie in one flat vector,
// which Net.Layout names block by block. A Tape is the workspace of one worker: it runs
// the net forward and backward and allocates nothing after the first batch of a size.
//
//	net, err := nn.New(nn.Shape{H: 28, W: 28, C: 1},
//		nn.Conv(64, 5, 1, 0), nn.ReLU(), nn.MaxPool(2, 2), nn.Flatten(), nn.Dense(10))
//	tape := net.Tape(16)
//	x := tape.Gather(data, rows)         // rows of a data set → a batch
//	scores := tape.Train(params, x, len(rows))
//	loss := tape.CrossEntropy(scores, y)     // the mean over the batch
//	tape.Backward(grad, params)              // or tape.Descend(params, rate)
//	tape.Track(params)                       // running statistics of batch norms
//
// A tape runs back to the batch, too: BackwardInput returns the gradient at it, of training or of
// evaluation, and Match adds how far a batch is from the running statistics of batch norms. A
// generator is trained by what a net says of its images:
//
//	images := maker.Train(weights, noise, n)
//	scores, distance := tape.Match(params, images, n, 1)
//	tape.CrossEntropy(scores, y)
//	copy(maker.ScoreSlopes(), tape.BackwardInput(nil, params))
//	maker.Backward(grad, weights)
//
// Activations are NHWC: the channels of one pixel lie together, then pixels, rows and
// samples. So a convolution is a matrix product with contiguous runs, a dense layer is a
// product, and whatever works per channel works on rows of a matrix. Data sets hold
// images channels first; Gather turns them once, at the entrance. A flattened image is in
// the order row, column, channel.
//
// A sequence is an image of one column: positions are its rows. Its tokens are whole numbers in one
// channel, until an Embedding gives them vectors. Scores may be those of every position; then
// CrossEntropy takes a label of each. Sequence makes positions of the pixels of an image, or of its
// patches behind a convolution. A Dropout draws its masks from the stream that Tape.Mask names, one
// batch after another, and does nothing without one.
//
// Weights are outgoing × incoming: a dense layer's out×in, a convolution's
// out × (height·width·in) in the order row, column, channel of its window.
//
// What batch norm keeps between steps, its running mean and variance, are parameters,
// too: a method that averages models averages them like everything else. They are not
// trained by a gradient, so they lie at the end of the vector, behind Net.Trained, where
// an optimiser does not reach them; their gradient is zero. Tape.Track moves them towards
// the moments of the last batch.
//
// Convolutions of 3×3 or 5×5 with step 1 and at least 32 channels before and after are done
// in tiles, by the algorithm of Toom, Cook and Winograd, where that takes at most half of the
// multiplications. In float32 their errors are then about 1e-6 of the deviation of what they
// yield, three to six times those of the definition. Images of 2×2 and less are convolved pixel by
// pixel, without what surrounds them. Which way is taken depends on shapes only.
//
// The order of every sum is fixed: the same input gives the same bits on all paths of the
// kernels, whatever the other samples of an evaluation and however many workers there are.
package nn
