// CelebA — 202,599 portraits of 10,177 celebrities, by whether they have an attribute.
//
//	Z. Liu, P. Luo, X. Wang, X. Tang. Deep Learning Face Attributes in the Wild. ICCV 2015. As a
//	federated task, with a celebrity per client: S. Caldas et al. LEAF, 2018.
//
// The published files are read: the folder img_align_celeba, identity_CelebA.txt, whose lines are a
// picture and the number of a celebrity, and list_attr_celeba.txt, whose first line is a count, the
// second the names of attributes, the others a picture and −1 or 1 for each. Celebrities with at
// least as many pictures as least says are the owners; LEAF takes 5. Pictures are brought to
// 84×84 pixels, as the model of LEAF has them.
//
// Departures: the content of the files is not verified; the share of the rows of every celebrity
// that is for tests is drawn by the seed of the run.

package dataset

import (
	"path/filepath"
	"slices"

	"github.com/hansa-fl/hansa/framework/data"
	"github.com/hansa-fl/hansa/framework/fl"
)

// CelebA describes the data set to the registry.
var CelebA = fl.SourceEntry{
	Name:    "celeba",
	Summary: "portraits of celebrities, by whether they have an attribute",
	Paper:   "liu2015",
	Deviations: "the content of the files is not verified; test rows are drawn by the seed of " +
		"the run",
	New:     newCelebA,
	Inspect: func(c fl.Source, i *fl.Inspection) { c.(*celebA).inspect(examiner{i, "celeba"}) },
	Example: map[string]any{"train": int64(2000), "held_out": 0.1, "owners": "largest"},
}

type celebA struct {
	album
	folder    string
	attribute string
	least     int
}

var _ fl.Source = (*celebA)(nil)

func newCelebA(p *fl.Params) (fl.Source, error) {
	s := &celebA{folder: p.Text("folder", "celeba", "path of the folder with img_align_celeba, "+
		"identity_CelebA.txt and list_attr_celeba.txt")}
	s.attribute = p.Text("attribute", "Smiling", "what the two classes say: not, or so")
	s.least = p.Int("least", 5, fl.AtLeast(1), "pictures that a celebrity has at least")
	shape := fl.Shape{Classes: 2, Image: newPictureSize(p, 84), Owned: true}
	shape.Features = shape.Image.Len()
	s.album = newAlbum(p, shape, "test files", false)
	if s.test > 0 {
		p.Fail("test", "test rows are those of held_out")
	}
	return s, nil
}

// Shape is that of images of two classes, with natural clients.
func (s *celebA) Shape() fl.Shape { return s.shape }

// Load reads the lists, then the pictures of the celebrities that are clients.
func (s *celebA) Load(l *fl.LoadInput) (train, test *fl.Dataset, err error) {
	folder, list, faces, err := s.list(l.Folders)
	if err != nil {
		return nil, nil, err
	}
	if err := s.owners.choose(list, nil, l.Clients); err != nil {
		return nil, nil, err
	}
	var pictures []data.Picture
	var paths []string
	for _, r := range list.rows {
		path := filepath.Join(folder, "img_align_celeba", faces[r].File)
		pictures = append(pictures, data.Picture{Path: path, Class: list.labels[r]})
		paths = append(paths, path)
	}
	if err := s.check(paths, 1); err != nil {
		return nil, nil, err
	}
	if train, err = developed(l, pictures, s.shape); err != nil {
		return nil, nil, err
	}
	list.describe(train)
	if train, test, err = holdOut(train, s.held, l.RNG); err != nil {
		return nil, nil, err
	}
	s.finish(l, train, test, 255)
	return train, test, nil
}

// list reads the two lists of the folder.
func (s *celebA) list(folders []string) (
	folder string, list *listing, faces []data.Face, err error,
) {
	if folder, err = located(folders, "celeba", s.folder); err != nil {
		return "", nil, nil, err
	}
	faces, err = data.ReadCelebA(filepath.Join(folder, "identity_CelebA.txt"),
		filepath.Join(folder, "list_attr_celeba.txt"), s.attribute)
	if err != nil {
		return "", nil, nil, err
	}
	n, err := first(folder, s.train, len(faces))
	if err != nil {
		return "", nil, nil, err
	}
	faces = faces[:n]
	count := map[string]int{}
	for _, f := range faces {
		count[f.Identity]++
	}
	faces = slices.DeleteFunc(faces, func(f data.Face) bool { return count[f.Identity] < s.least })
	list = new(listing)
	for _, f := range faces {
		list.owners, list.labels = append(list.owners, f.Identity), append(list.labels, f.Label)
	}
	return folder, list, faces, nil
}

// inspect examines the lists.
func (s *celebA) inspect(e examiner) {
	_, list, _, err := s.list(e.Folders)
	if err == nil {
		err = s.owners.choose(list, nil, e.Clients)
	}
	if err != nil {
		e.report("folder", err)
	}
}
