// Images — pictures in a folder per class.
//
// Pictures are PNG or JPEG files of any sizes, brought to one with the bilinear kernel:
// what is made smaller is averaged over the area, and no aspect ratio is kept. Classes are
// in the order of the names of their folders; pictures come in turns, the first ones of all
// classes, then the second ones, and so on. A path may be a pattern that one folder fits; a
// relative one is looked for in the folder of the experiment, then in those of data sets. A table
// with the columns file and owner says whose pictures are, by the name of a file or by folder and
// name, such as cat/1.png.
//
// Departures: results are found again by the names of the folders and not by what is in
// them, unless sha256 pins it.

package dataset

import (
	"fmt"
	"slices"

	"github.com/hansa-fl/hansa/framework/data"
	"github.com/hansa-fl/hansa/framework/fl"
)

// Images describes the data set to the registry.
var Images = fl.SourceEntry{
	Name:       "images",
	Summary:    "PNG and JPEG pictures in one folder per class, brought to one size",
	Deviations: unpinned,
	New:        newImages,
	Inspect: func(c fl.Source, i *fl.Inspection) {
		c.(*pictures).inspect(examiner{i, "images"})
	},
	Example: map[string]any{"train_folder": "images/train", "test_folder": "images/test"},
}

type pictures struct {
	portion
	pin
	folders []string // for training, and for tests where there is one
	classes int
	image   fl.Image
	held    float64 // share of the training rows that is held out for tests
	table   string  // path of the table of owners
	owners  ownership
}

var _ fl.Source = (*pictures)(nil)

func newImages(p *fl.Params) (fl.Source, error) {
	s := &pictures{folders: []string{
		p.Text("train_folder", "", "path of the training pictures"+anyPath),
		p.Text("test_folder", none, "path of the test pictures, of the same classes"),
	}}
	s.classes = p.Int("classes", 10, fl.Closed(2, 1<<16), "number of classes")
	size := p.Int("size", 32, fl.Closed(1, 4096), "height and width that pictures are brought to")
	s.image = fl.Image{C: 3, H: size, W: size}
	if p.Bool("grey", false, "one channel of brightness, not red, green and blue") {
		s.image.C = 1
	}
	s.portion = newFilePortion(p)
	s.held = newHeldOut(p, "test_folder", s.folders[1] != none)
	s.table = p.Text("owner_table", none, "path of a table with the columns file and owner")
	s.owners = newOwnership(p)
	s.pin = newPin(p)
	if s.folders[1] == none {
		s.folders = s.folders[:1]
	}
	return s, nil
}

// Shape is that of colour or grey images.
func (s *pictures) Shape() fl.Shape {
	m := s.image
	return s.stored(fl.Shape{
		Features: m.C * m.H * m.W, Classes: s.classes, Image: m,
		Tested: len(s.folders) == 2 || s.held > 0, Owned: s.table != none,
	})
}

// Load reads the pictures.
func (s *pictures) Load(l *fl.LoadInput) (train, test *fl.Dataset, err error) {
	lists, err := s.list(l.Folders)
	if err != nil {
		return nil, nil, err
	}
	lists, owners, err := s.assign(l.Folders, l.Clients, lists)
	if err != nil {
		return nil, nil, err
	}
	if train, err = developed(l, lists[0], s.Shape()); err == nil && len(lists) == 2 {
		test, err = developed(l, lists[1], s.Shape())
		test = owned(test, owners[1])
	}
	train = owned(train, owners[0])
	if err == nil && test == nil {
		train, test, err = holdOut(train, s.held, l.RNG)
	}
	if err != nil {
		return nil, nil, err
	}
	s.remark(l, "images", train, 255)
	s.finish(l, train, test, 255)
	return train, test, nil
}

// inspect examines the folders, and the pictures as far as the time of a file allows.
func (s *pictures) inspect(e examiner) {
	var all, classes []string
	var listed [][]data.Picture
	for i, name := range s.folders {
		param := []string{"train_folder", "test_folder"}[i]
		folder := e.find(param, name)
		if folder == "" {
			continue
		}
		found, list, err := data.Pictures(folder)
		if err != nil {
			e.report(param, err)
			continue
		}
		if len(found) != s.classes {
			e.Fail("classes", "%s has %d classes, want %d", folder, len(found), s.classes)
		} else if classes != nil && !slices.Equal(found, classes) {
			e.Fail(param, "%s has other classes than the training pictures: %v, not %v", folder,
				found, classes)
		}
		classes = found
		used := []int{s.train, s.test}[i]
		e.rows([]string{"train", "test"}[i], folder, used, len(list))
		if used > 0 {
			list = list[:min(used, len(list))]
		}
		listed = append(listed, list)
		for _, p := range list {
			all = append(all, p.Path)
		}
		e.within(param, folder, func(m *data.Mistakes) error { return legible(list, m) })
	}
	e.pinned(s.pin, all, 2)
	if len(listed) == len(s.folders) {
		if _, _, err := s.assign(e.Folders, e.Clients, listed); err != nil {
			e.report("owner_table", err)
		}
	}
}

// legible reads pictures, and collects which cannot be read.
func legible(list []data.Picture, m *data.Mistakes) error {
	for i, p := range list {
		if m.Over() {
			m.Partial = fmt.Sprintf("the first %d pictures", i)
			return nil
		}
		if _, err := data.ReadPicture(p.Path); err != nil {
			m.Add("picture", func() error { return err })
		}
	}
	return nil
}

// list returns the pictures to use of every folder, once their content is right.
func (s *pictures) list(folders []string) (lists [][]data.Picture, err error) {
	var classes, paths []string
	for i, name := range s.folders {
		folder, err := located(folders, "images", name)
		if err != nil {
			return nil, err
		}
		found, list, err := data.Pictures(folder)
		switch n := [...]int{s.train, s.test}[i]; {
		case err != nil:
			return nil, err
		case len(found) != s.classes:
			return nil, fmt.Errorf("%s has %d classes, want %d", folder, len(found), s.classes)
		case i > 0 && !slices.Equal(found, classes):
			return nil, fmt.Errorf("%s has other classes than the training pictures: %v, not %v",
				folder, found, classes)
		case n > len(list):
			return nil, fmt.Errorf("%s: %d rows asked for, %d there", folder, n, len(list))
		case n > 0:
			list = list[:n]
		}
		classes, lists = found, append(lists, list)
		for _, p := range list {
			paths = append(paths, p.Path)
		}
	}
	return lists, s.check(paths, 2)
}
