// Fashion-MNIST — 70,000 pictures of clothes of 28×28 pixels.
//
//	H. Xiao, K. Rasul, R. Vollgraf. Fashion-MNIST: a Novel Image Dataset for Benchmarking
//	Machine Learning Algorithms. arXiv:1708.07747, 2017.
//
// The four original files are read, also unpacked or packed anew, and no other content is accepted.
// They have the names of those of MNIST, and lie in a folder of their own. Images can be put on a
// canvas, too.
//
// Departures: none.

package dataset

import "github.com/hansa-fl/hansa/framework/fl"

// FashionMNIST describes the data set to the registry.
var FashionMNIST = fl.SourceEntry{
	Name:    "fashion-mnist",
	Summary: "70,000 pictures of clothes of 28×28 pixels, in 10 classes",
	Paper:   "xiao2017",
	New:     newFashionMNIST,
	Traits:  fl.SourceTraits{Untested: untested()},
	Inspect: func(_ fl.Source, i *fl.Inspection) {
		examiner{i, "fashion-mnist"}.verified(fashionMNISTFiles())
	},
}

func newFashionMNIST(p *fl.Params) (fl.Source, error) {
	q := newPortion(p, fl.Closed(0, mnistTrain), fl.Closed(0, mnistTest))
	return &mnist{q, newCanvas(p, mnistSide), fashionMNISTFiles()}, nil
}
