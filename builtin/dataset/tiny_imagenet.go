// Tiny ImageNet — 110,000 colour pictures of 64×64 pixels in 200 classes.
//
//	Y. Le, X. Yang. Tiny ImageNet Visual Recognition Challenge. Course report, Stanford
//	University, 2015.
//
// The folder of the unpacked archive tiny-imagenet-200.zip is read: train/CLASS/images has 500
// training pictures of a class, val/images 10,000 pictures whose classes are in
// val/val_annotations.txt; these are the test rows. Classes are in the order of their names, such
// as n01443537. Training pictures come in turns, the first ones of all classes, then the second
// ones, and so on. A relative path is looked for in the folder of the experiment, then in those of
// data sets. With fewer classes than 200 the first ones are used.
//
// Departures: the 10,000 pictures of the archive without classes are not read; content is not
// verified, unless sha256 pins it.

package dataset

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/hansa-fl/hansa/framework/data"
	"github.com/hansa-fl/hansa/framework/fl"
)

// TinyImageNet describes the data set to the registry.
var TinyImageNet = fl.SourceEntry{
	Name:       "tiny-imagenet",
	Summary:    "110,000 colour pictures of 64×64 pixels, in 200 classes",
	Paper:      "le2015",
	Deviations: "pictures without classes are not read; content is not verified unless pinned",
	New:        newTinyImageNet,
	Traits:     fl.SourceTraits{Untested: untested()},
	Inspect: func(c fl.Source, i *fl.Inspection) {
		c.(*tinyImageNet).inspect(examiner{i, "tiny-imagenet"})
	},
	Example: map[string]any{"train": int64(400), "test": int64(100)},
}

const tinyClasses, tinySide = 200, 64

type tinyImageNet struct {
	portion
	pin
	folder  string
	classes int
	image   fl.Image
}

var _ fl.Source = (*tinyImageNet)(nil)

func newTinyImageNet(p *fl.Params) (fl.Source, error) {
	s := new(tinyImageNet)
	s.folder = p.Text("folder", "tiny-imagenet-200", "path of the unpacked archive")
	s.classes = p.Int("classes", tinyClasses, fl.Closed(2, tinyClasses), "number of classes, the "+
		"first ones by name")
	s.image = newPictureSize(p, tinySide)
	s.portion = newPortion(p, fl.Closed(0, 500*tinyClasses), fl.Closed(0, 50*tinyClasses))
	s.pin = newPin(p)
	return s, nil
}

// Shape is that of images.
func (s *tinyImageNet) Shape() fl.Shape {
	return s.stored(fl.Shape{Features: s.image.Len(), Classes: s.classes, Image: s.image,
		Tested: true})
}

// Load reads the pictures to use.
func (s *tinyImageNet) Load(l *fl.LoadInput) (train, test *fl.Dataset, err error) {
	folder, err := located(l.Folders, "tiny-imagenet", s.folder)
	if err != nil {
		return nil, nil, err
	}
	lists, err := s.lists(folder)
	if err != nil {
		return nil, nil, err
	}
	var paths []string
	for _, p := range slices.Concat(lists...) {
		paths = append(paths, p.Path)
	}
	if err := s.check(paths, 3); err != nil {
		return nil, nil, err
	}
	if train, err = developed(l, lists[0], s.Shape()); err == nil {
		test, err = developed(l, lists[1], s.Shape())
	}
	if err != nil {
		return nil, nil, err
	}
	s.finish(l, train, test, 255)
	return train, test, nil
}

// lists returns the training and the test pictures to use.
func (s *tinyImageNet) lists(folder string) ([][]data.Picture, error) {
	classes, train, err := data.TinyImageNet(filepath.Join(folder, "train"))
	if err != nil {
		return nil, err
	}
	if len(classes) < s.classes {
		return nil, fmt.Errorf("%s has %d classes, want %d", folder, len(classes), s.classes)
	}
	test, err := data.TinyImageNetTests(filepath.Join(folder, "val"), classes)
	if err != nil {
		return nil, err
	}
	lists := [][]data.Picture{train, test}
	for k, list := range lists {
		list = slices.DeleteFunc(list, func(p data.Picture) bool { return p.Class >= s.classes })
		n, err := first(folder, []int{s.train, s.test}[k], len(list))
		if err != nil {
			return nil, err
		}
		lists[k] = list[:n]
	}
	return lists, nil
}

// inspect examines the folder, and the pictures as far as the time of a file allows.
func (s *tinyImageNet) inspect(e examiner) {
	folder := e.find("folder", s.folder)
	if folder == "" {
		return
	}
	lists, err := s.lists(folder)
	if err != nil {
		e.report("folder", err)
		return
	}
	var paths []string
	all := slices.Concat(lists...)
	for _, p := range all {
		paths = append(paths, p.Path)
	}
	e.within("folder", folder, func(m *data.Mistakes) error { return legible(all, m) })
	e.pinned(s.pin, paths, 3)
}
