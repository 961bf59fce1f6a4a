// Image domains — pictures in a folder per domain, each with a folder per class.
//
//	K. Saenko, B. Kulis, M. Fritz, T. Darrell. Adapting Visual Category Models to New Domains.
//	ECCV 2010: the form in which Office and sets like it are published.
//
// Pictures are those of the data set images: PNG or JPEG files of any sizes, brought to one. Every
// domain has the same classes. Clients of the partition domains are in the order of domains.
//
// Departures: results are found again by the names of the folders and not by what is in them,
// unless sha256 pins it.

package dataset

import (
	"fmt"
	"path"
	"slices"

	"github.com/hansa-fl/hansa/framework/data"
	"github.com/hansa-fl/hansa/framework/fl"
)

// ImageDomains describes the data set to the registry.
var ImageDomains = fl.SourceEntry{
	Name:       "image-domains",
	Summary:    "PNG and JPEG pictures in a folder for each domain and class, brought to one size",
	Paper:      "saenko2010",
	Deviations: unpinned,
	New:        newImageDomains,
	Inspect: func(c fl.Source, i *fl.Inspection) {
		c.(*imageDomains).inspect(examiner{i, "image-domains"})
	},
	Example: map[string]any{"folder": "office", "domains": []any{"dslr", "webcam"}},
}

type imageDomains struct {
	pictures // of a domain
	folder   string
	domains  []string
}

var _ fl.Source = (*imageDomains)(nil)

func newImageDomains(p *fl.Params) (fl.Source, error) {
	s := &imageDomains{folder: p.Text("folder", "", "path of the folder with those of the domains"),
		domains: p.Texts("domains", "names of the folders of the domains")}
	if len(s.domains) == 0 && p.Setting().Known() {
		p.Fail("domains", "are required: the folders in folder that are domains")
	}
	for k, d := range s.domains {
		if slices.Contains(s.domains[:k], d) || d == "" {
			p.Fail("domains", "%q stands there twice, or is empty", d)
		}
	}
	s.classes = p.Int("classes", 10, fl.Closed(2, 1<<16), "number of classes")
	size := p.Int("size", 32, fl.Closed(1, 4096), "height and width that pictures are brought to")
	s.image = fl.Image{C: 3, H: size, W: size}
	if p.Bool("grey", false, "one channel of brightness, not red, green and blue") {
		s.image.C = 1
	}
	s.train = p.Int("train", 0, fl.AtLeast(0), "first pictures of each domain to use; 0 for all")
	s.scale, s.table = unit, none
	s.held = p.Float("held_out", 0.3, fl.RightOpen(0, 1), "share of the pictures of every "+
		"domain and class that is drawn for tests")
	s.pin = newPin(p)
	return s, nil
}

// Shape is that of images of domains.
func (s *imageDomains) Shape() fl.Shape {
	shape := s.pictures.Shape()
	shape.Domains = s.domains
	return shape
}

// of returns the pictures of a domain.
func (s *imageDomains) of(domain string) *pictures {
	one := s.pictures
	one.pin, one.folders = whatever, []string{path.Join(s.folder, domain)}
	return &one
}

// Load reads the pictures, one at a time.
func (s *imageDomains) Load(l *fl.LoadInput) (train, test *fl.Dataset, err error) {
	var paths []string
	var lists [][]data.Picture
	var classes []string
	for k, domain := range s.domains {
		one := s.of(domain)
		folder, err := located(l.Folders, "image-domains", one.folders[0])
		if err != nil {
			return nil, nil, err
		}
		found, _, err := data.Pictures(folder)
		if err != nil {
			return nil, nil, err
		}
		if k > 0 && !slices.Equal(found, classes) {
			return nil, nil, fmt.Errorf("%s has other classes than %s: %v, not %v", domain,
				s.domains[0], found, classes)
		}
		list, err := one.list(l.Folders)
		if err != nil {
			return nil, nil, err
		}
		classes, lists = found, append(lists, list[0])
		for _, p := range list[0] {
			paths = append(paths, p.Path)
		}
	}
	if err := s.check(paths, 3); err != nil {
		return nil, nil, err
	}
	all, err := developed(l, slices.Concat(lists...), s.Shape())
	if err != nil {
		return nil, nil, err
	}
	for k, list := range lists {
		all.Domain = append(all.Domain, slices.Repeat([]int{k}, len(list))...)
	}
	if train, test, err = holdOut(all, s.held, l.RNG); err != nil {
		return nil, nil, err
	}
	s.remark(l, "images", train, 255)
	s.finish(l, train, test, 255)
	return train, test, nil
}

// inspect examines the folder of each domain.
func (s *imageDomains) inspect(e examiner) {
	var all, classes []string
	for k, domain := range s.domains {
		folder := e.find("folder", s.of(domain).folders[0])
		if folder == "" {
			continue
		}
		found, list, err := data.Pictures(folder)
		if err != nil {
			e.report("folder", err)
			continue
		}
		if len(found) != s.classes {
			e.Fail("classes", "%s has %d classes, want %d", folder, len(found), s.classes)
		} else if k > 0 && classes != nil && !slices.Equal(found, classes) {
			e.Fail("folder", "%s has other classes than %s: %v, not %v", domain, s.domains[0],
				found, classes)
		}
		classes = found
		e.rows("train", folder, s.train, len(list))
		if s.train > 0 {
			list = list[:min(s.train, len(list))]
		}
		for _, p := range list {
			all = append(all, p.Path)
		}
		e.within("folder", folder, func(m *data.Mistakes) error { return legible(list, m) })
	}
	e.pinned(s.pin, all, 3)
}
