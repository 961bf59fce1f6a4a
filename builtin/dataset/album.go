package dataset

import (
	"fmt"
	"slices"

	"github.com/hansa-fl/hansa/framework/data"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/host"
)

// An album is what data sets of encoded pictures of any sizes have in common.
type album struct {
	portion
	pin
	shape  fl.Shape
	held   float64 // share of the training rows that is held out for tests
	owners ownership
}

// newPictureShape declares the shape that pictures are brought to, with the side that they have
// unless it is said.
func newPictureShape(p *fl.Params, classes, side int) fl.Shape {
	s := fl.Shape{Classes: p.Int("classes", classes, fl.Closed(2, 1<<16), "number of classes")}
	s.Image = newPictureSize(p, side)
	s.Features = s.Image.Len()
	return s
}

// newPictureSize declares the size that pictures are brought to.
func newPictureSize(p *fl.Params, side int) fl.Image {
	size := p.Int("size", side, fl.Closed(1, 4096), "height and width that pictures are brought to")
	image := fl.Image{C: 3, H: size, W: size}
	if p.Bool("grey", false, "one channel of brightness, not red, green and blue") {
		image.C = 1
	}
	return image
}

// newAlbum declares what is done with rows, where a parameter may name files for tests.
func newAlbum(p *fl.Params, shape fl.Shape, file string, tested bool) album {
	a := album{portion: newFilePortion(p), shape: shape}
	a.held = newHeldOut(p, file, tested)
	a.owners = newOwnership(p)
	a.pin = newPin(p)
	a.shape.Tested = tested || a.held > 0
	a.shape = a.stored(a.shape)
	return a
}

// first returns how many of so many rows are used, by the number that is asked for.
func first(path string, asked, there int) (int, error) {
	switch {
	case there == 0:
		return 0, fmt.Errorf("%s: there are no rows", path)
	case asked > there:
		return 0, fmt.Errorf("%s: %d rows asked for, %d there", path, asked, there)
	case asked == 0:
		return there, nil
	}
	return asked, nil
}

// A reading hands out the content of every picture of a part.
type reading func(add func(row int, content []byte, where func() string) error) error

// decode returns the rows of a part that are used. Read hands out the content of all.
func (a *album) decode(s *listing, read reading) (*fl.Dataset, error) {
	d, size := byteImages(s.used(), a.shape), a.shape.Features
	s.describe(d)
	queue, places := data.NewPictureQueue(a.shape.Image), s.places()
	err := read(func(row int, content []byte, where func() string) error {
		if row >= len(places) || places[row] < 0 {
			return nil
		}
		to := places[row] * size
		return queue.Add(d.Packed.Bytes[to:to+size], content, where)
	})
	if err == nil {
		err = queue.Flush()
	}
	return d, err
}

// parts makes training and test rows of what was listed. There may be no list of test rows.
func (a *album) parts(l *fl.LoadInput, name string, lists []*listing, reads []reading) (
	train, test *fl.Dataset, err error) {
	var tests *listing
	if len(lists) == 2 {
		tests = lists[1]
	}
	if err := a.owners.choose(lists[0], tests, l.Clients); err != nil {
		return nil, nil, err
	}
	if train, err = a.decode(lists[0], reads[0]); err == nil && tests != nil {
		test, err = a.decode(tests, reads[1])
	}
	if err == nil && test == nil {
		train, test, err = holdOut(train, a.held, l.RNG)
	}
	if err != nil {
		return nil, nil, err
	}
	a.remark(l, name, train, 255)
	a.finish(l, train, test, 255)
	return train, test, nil
}

// inspect reports what is wrong with the owners of rows that were listed; those of a part that
// could not be are nil.
func (a *album) inspect(e examiner, lists []*listing) {
	if slices.Contains(lists, nil) {
		return
	}
	var tests *listing
	if len(lists) == 2 {
		tests = lists[1]
	}
	if err := a.owners.choose(lists[0], tests, e.Clients); err != nil {
		e.Fail("owners", "%v", err)
	}
}

// mostPicture is how many bytes the file of a picture may have.
const mostPicture = 1 << 28

// developed returns pictures of files as rows of a shape, decoded once.
func developed(l *fl.LoadInput, list []data.Picture, shape fl.Shape) (*fl.Dataset, error) {
	var paths []string
	y := make([]int, len(list))
	for i, p := range list {
		paths, y[i] = append(paths, p.Path), p.Class
	}
	b, err := recalled(l, fmt.Sprintf("pictures as %+v", shape.Image), paths,
		func() ([]byte, error) { return decoded(paths, shape) })
	if err != nil {
		return nil, err
	}
	return stored(b, y, shape), nil
}

// decoded returns the pixels of pictures, several of which are decoded at a time.
func decoded(paths []string, shape fl.Shape) ([]byte, error) {
	b, queue := make([]byte, len(paths)*shape.Features), data.NewPictureQueue(shape.Image)
	for i, path := range paths {
		content, err := host.Read(path, mostPicture)
		if err != nil {
			return nil, err
		}
		row := b[i*shape.Features : (i+1)*shape.Features]
		if err := queue.Add(row, content, func() string { return path }); err != nil {
			return nil, err
		}
	}
	return b, queue.Flush()
}
