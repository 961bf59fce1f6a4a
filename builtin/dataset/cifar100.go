// CIFAR-100 — 60,000 colour pictures of 32×32 pixels in 100 classes of 20 superclasses.
//
//	A. Krizhevsky. Learning Multiple Layers of Features from Tiny Images. Technical
//	report, University of Toronto, 2009.
//
// The binary version is read: from the original archive, whose content is verified, or from its
// parts train.bin and test.bin that lie unpacked, each packed by gzip or not. A record has the
// superclass, the class and the pixels. Classes are the labels, and superclasses the domains of
// rows: so the partitions pachinko and domains know them.
//
// Departures: the content of parts that lie unpacked is not verified: no checksum of them is
// published.

package dataset

import (
	"cmp"
	"fmt"
	"io"

	"github.com/hansa-fl/hansa/framework/data"
	"github.com/hansa-fl/hansa/framework/fl"
)

// CIFAR100 describes the data set to the registry.
var CIFAR100 = fl.SourceEntry{
	Name:       "cifar100",
	Summary:    "60,000 colour pictures of 32×32 pixels, in 100 classes of 20 superclasses",
	Paper:      "krizhevsky2009",
	Deviations: "parts that lie unpacked are not verified",
	New:        newCIFAR100,
	Traits:     fl.SourceTraits{Untested: untested()},
	Inspect: func(c fl.Source, i *fl.Inspection) {
		c.(*cifar100).inspect(examiner{i, "cifar100"})
	},
	Example: map[string]any{"train": int64(200), "test": int64(100)},
}

const (
	cifar100Train, cifar100Test   = 50_000, 10_000
	cifar100Classes, superclasses = 100, 20
)

type cifar100 struct {
	portion
	files data.Set
}

var _ fl.Source = (*cifar100)(nil)

func newCIFAR100(p *fl.Params) (fl.Source, error) {
	q := newPortion(p, fl.Closed(0, cifar100Train), fl.Closed(0, cifar100Test))
	return &cifar100{q, cifar100Files()}, nil
}

// superclassNames are those of coarse_label_names.txt, in its order.
func superclassNames() []string {
	return []string{
		"aquatic_mammals", "fish", "flowers", "food_containers", "fruit_and_vegetables",
		"household_electrical_devices", "household_furniture", "insects", "large_carnivores",
		"large_man-made_outdoor_things", "large_natural_outdoor_scenes",
		"large_omnivores_and_herbivores", "medium_mammals", "non-insect_invertebrates", "people",
		"reptiles", "small_mammals", "trees", "vehicles_1", "vehicles_2",
	}
}

// Shape is that of colour images of superclasses.
func (c *cifar100) Shape() fl.Shape {
	s := cifarShape(cifar100Classes, true)
	s.Domains = superclassNames()
	return c.sized(s, cifar100Train, cifar100Test)
}

// parts are the files of the archive that hold rows.
func (c *cifar100) parts() []string { return []string{"train.bin", "test.bin"} }

// Load reads the rows to use of both parts.
func (c *cifar100) Load(l *fl.LoadInput) (train, test *fl.Dataset, err error) {
	train = byteImages(cmp.Or(c.train, cifar100Train), c.Shape())
	test = byteImages(cmp.Or(c.test, cifar100Test), c.Shape())
	layout := data.CIFAR{Labels: 2, Classes: cifar100Classes}
	err = c.files.Read(l.Folders, c.parts(), func(k int, r io.Reader) error {
		d := []*fl.Dataset{train, test}[k]
		d.Domain = make([]int, len(d.Y))
		if err := layout.ReadBoth(r, d.Packed.Bytes, d.Domain, d.Y); err != nil {
			return err
		}
		for i, s := range d.Domain {
			if s >= superclasses {
				return fmt.Errorf("superclass %d of record %d is outside [0, %d)", s, i,
					superclasses)
			}
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	c.finish(l, train, test, 255)
	return train, test, nil
}

// inspect reads both parts.
func (c *cifar100) inspect(e examiner) {
	e.within("name", "cifar100", func(m *data.Mistakes) error {
		return c.files.Examine(e.Folders, c.parts(), m)
	})
}
