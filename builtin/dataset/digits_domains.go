// Digits in several domains — handwritten, from envelopes, on photographs, and printed.
//
//	Y. Ganin et al. Domain-Adversarial Training of Neural Networks. JMLR 17, 2016, Section
//	5.2.4: MNIST-M, digits that invert patches of photographs.
//
// Notation: the domains mnist, usps, mnistm and rendered have 4,000, 7,291, 4,000 and 4,000
// training images of 32×32 pixels in red, green and blue, and 1,000, 2,007, 1,000 and 1,000 for
// tests. Features are 512 of a SqueezeNet that was trained on ImageNet, of the first 1,500 and
// the first 500 of these; see office-caltech10 for their scale.
//
// Departures: the benchmark that others call Digits has SVHN and other synthetic digits.
// mnistm is made again by the published recipe, from other photographs; rendered is drawn anew.
// Results cannot be compared with published ones.

package dataset

import (
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
)

// DigitsDomains describes the data set to the registry.
var DigitsDomains = fl.SourceEntry{
	Name:    "digits-domains",
	Summary: "digits in four domains, as images or as features of a frozen encoder",
	Paper:   "ganin2016",
	Deviations: "mnistm and rendered are not the published files, and SVHN is not there: results " +
		"cannot be compared with published ones",
	New: newDigitsDomains,
	Inspect: func(c fl.Source, i *fl.Inspection) {
		c.(*digitsDomains).inspect(examiner{i, "digits-domains"})
	},
	Example: map[string]any{"train": int64(200), "test": int64(50)},
}

type digitsDomains struct {
	domainSet
	train, test int // rows of each domain to use, the first ones; 0 for all
}

var _ fl.Source = (*digitsDomains)(nil)

func newDigitsDomains(p *fl.Params) (fl.Source, error) {
	s := &digitsDomains{domainSet: domainSet{files: digitsDomainsFiles()}}
	s.kind = p.Choice("features", squeezenet, "what digits come as: features of an encoder, or "+
		"images of 32×32 pixels in colour", squeezenet, colour)
	s.domains = p.Subset("domains", "those to use, of mnist, usps, mnistm and rendered, all when "+
		"it is not given; clients of the partition domains are in this order",
		"mnist", "usps", "mnistm", "rendered")
	s.train = p.Int("train", 0, fl.AtLeast(0), "first training rows of each domain; 0 for all")
	s.test = p.Int("test", 0, fl.AtLeast(0), "first test rows of each domain; 0 for all")
	s.scale = newLength(p)
	return s, nil
}

// Shape is that of features or images in ten classes.
func (s *digitsDomains) Shape() fl.Shape { return s.shape(true) }

// Load reads the files of every domain.
func (s *digitsDomains) Load(l *fl.LoadInput) (train, test *fl.Dataset, err error) {
	if train, err = s.part(l, s.train, "train"); err == nil {
		test, err = s.part(l, s.test, "test")
	}
	return train, test, err
}

// names returns those of the files of one part of a domain.
func (s *digitsDomains) names(domain, part string) []string {
	if s.kind == colour {
		return []string{domain + "_" + part + ".bin.gz"}
	}
	return pair(s.kind+"-"+domain+"-"+part, "idx2-float")
}

// part reads the first n rows of one part of every domain, all when n is 0.
func (s *digitsDomains) part(l *fl.LoadInput, n int, part string) (*fl.Dataset, error) {
	d, err := s.read(l, n, func(domain string) []string { return s.names(domain, part) })
	if err == nil {
		s.finish(l, d)
	}
	return d, err
}

// inspect examines the files by their checksums, and whether they have the rows that are asked for.
func (s *digitsDomains) inspect(e examiner) {
	set, _ := s.only(func(domain string) []string {
		return slices.Concat(s.names(domain, "train"), s.names(domain, "test"))
	})
	if !e.verified(set) {
		return
	}
	for _, domain := range s.domains {
		train, test := 4_000, 1_000
		switch {
		case s.kind == squeezenet:
			train, test = 1_500, 500
		case domain == "usps":
			train, test = uspsTrain, uspsTest
		}
		e.rows("train", domain, s.train, train)
		e.rows("test", domain, s.test, test)
	}
}
