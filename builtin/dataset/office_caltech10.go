// Office-Caltech-10 — objects of ten classes in four domains: a shop's pictures, pictures from
// the web, and those of two cameras.
//
//	K. Saenko, B. Kulis, M. Fritz, T. Darrell. Adapting Visual Category Models to New Domains.
//	ECCV 2010: amazon, dslr and webcam.
//	B. Gong, Y. Shi, F. Sha, K. Grauman. Geodesic Flow Kernel for Unsupervised Domain
//	Adaptation. CVPR 2012: their classes that Caltech-256 has, too, as caltech10.
//
// Notation: 2,533 images: 958 of amazon, 1,123 of caltech10, 157 of dslr, 295 of webcam. They
// come as features of a frozen encoder — 512 of a SqueezeNet that was trained on ImageNet,
// 1,024 of a GoogLeNet — as 800 bins of a histogram of SURF, or shrunk to 32×32 pixels. There
// are no GoogLeNet features of caltech10.
//
// Features of a row are divided by their Euclidean length unless scale = "raw": that is in the
// middle some 350, 40 and 20 for the three kinds, and differs within a domain by a factor of 2 to
// 40, so that a step size would be right for one kind alone, and images of high contrast would
// count most. A client does that by itself.
//
// Departures: there is no published split into training and test rows. Here a share of every
// class of every domain is drawn for tests. amazon has 25 images twice and caltech10 has one:
// copies are never torn apart, which would test on what was trained on.

package dataset

import (
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
)

// OfficeCaltech10 describes the data set to the registry.
var OfficeCaltech10 = fl.SourceEntry{
	Name:    "office-caltech10",
	Summary: "2,533 images of objects in four domains, as features of frozen encoders",
	Paper:   "gong2012",
	Deviations: "test rows are drawn, as there is no published split, and copies of an image " +
		"stay together",
	New: newOfficeCaltech10,
	Inspect: func(c fl.Source, i *fl.Inspection) {
		s := c.(*officeCaltech10)
		set, _ := s.only(s.names)
		examiner{i, "office-caltech10"}.verified(set)
	},
}

// What images come as.
const (
	squeezenet = "squeezenet512"
	googlenet  = "googlenet1024"
	surf       = "surf800"
	thumbs     = "thumbs32"
)

type officeCaltech10 struct {
	domainSet
	held float64 // share of the rows that are for tests
}

var _ fl.Source = (*officeCaltech10)(nil)

func newOfficeCaltech10(p *fl.Params) (fl.Source, error) {
	s := &officeCaltech10{domainSet: domainSet{files: officeCaltech10Files()}}
	s.kind = p.Choice("features", squeezenet, "what images come as: features of an encoder, of "+
		"which googlenet1024 has three domains, without caltech10; a histogram; or small images",
		squeezenet, googlenet, surf, thumbs)
	all := []string{"amazon", "caltech10", "dslr", "webcam"}
	s.domains = p.Subset("domains", "those to use, of amazon, caltech10, dslr and webcam, all "+
		"when it is not given; clients of the partition domains are in this order", all...)
	s.held = p.Float("held_out", 0.3, fl.RightOpen(0, 1), "share of the rows of every domain and "+
		"class that is drawn for tests")
	s.scale = newLength(p)
	if s.kind == googlenet {
		lacking := slices.Index(s.domains, "caltech10")
		switch {
		case lacking >= 0 && p.Given("domains"):
			p.Clash("domains", "features", "there are no googlenet1024 features of caltech10")
		case lacking >= 0:
			s.domains = slices.Delete(s.domains, lacking, lacking+1)
		}
	}
	return s, nil
}

// Shape is that of features or images in ten classes.
func (s *officeCaltech10) Shape() fl.Shape { return s.shape(s.held > 0) }

// Load reads the files of every domain, and draws what is for tests.
func (s *officeCaltech10) Load(l *fl.LoadInput) (train, test *fl.Dataset, err error) {
	all, err := s.read(l, 0, s.names)
	if err != nil {
		return nil, nil, err
	}
	s.finish(l, all)
	all.Shape = s.Shape()
	return holdOut(all, s.held, l.RNG)
}

// names returns those of the files of a domain.
func (s *officeCaltech10) names(domain string) []string {
	switch s.kind {
	case thumbs:
		return []string{"thumbs32-" + domain + ".bin.gz"}
	case surf:
		return pair(s.kind+"-"+domain, "idx2-ubyte")
	}
	return pair(s.kind+"-"+domain, "idx2-float")
}

// pair returns the names of two files: of rows in a form of IDX, and of their classes.
func pair(name, form string) []string {
	return []string{name + "-features." + form + ".gz", name + "-labels.idx1-ubyte.gz"}
}
