// Parquet — pictures or numbers in Parquet files, as data sets are published on the Hugging Face
// hub.
//
//	Apache Parquet: the file format, parquet.apache.org. Q. Lhoest et al. Datasets: A Community
//	Library for Natural Language Processing. EMNLP 2021 (system demonstrations).
//
// A column of images holds PNG or JPEG files, as bytes or as a structure whose field bytes has
// them; pictures of other sizes than asked for are brought to it as images does. Columns of
// numbers, or of lists of them, are features side by side instead. The label is a whole number from
// 0, or a text: then classes are in the order of these texts. A column of owners,
// of texts or whole numbers, says whose a row is; one of domains, what it is of. A path is a
// pattern: all files that fit it are read by name, such as data/train-*.parquet. Pages are read one
// at a time, and pictures are decoded on all processors: 100 to 140 MB of PNG and 20 to 40 of JPEG
// a second and core (tools/bench/README.md). The cache of decoded files keeps the pixels: this is
// done once.
//
// A page whose header says more than is there, or than its bytes can become, is an error before
// there is room for it.
//
// Departures: results are found again by the names of the files and not by their content,
// unless sha256 pins it; a picture that lies beside the file, by its path alone, is not read.

package dataset

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/hansa-fl/hansa/framework/data"
	"github.com/hansa-fl/hansa/framework/fl"
)

// Parquet describes the data set to the registry.
var Parquet = fl.SourceEntry{
	Name:       "parquet",
	Summary:    "pictures or numbers in Parquet files, and clients where a column says",
	Paper:      "lhoest2021",
	Deviations: unpinned + "; a picture that lies beside the file, by its path alone, is not read",
	New:        newParquet,
	Inspect: func(c fl.Source, i *fl.Inspection) {
		c.(*parquet).inspect(examiner{i, "parquet"})
	},
	Example: map[string]any{
		"train_files": "images/train-*.parquet", "test_files": "images/test-*.parquet",
	},
}

type parquet struct {
	album
	files                       []string // patterns for training, and for tests where there is one
	image, label, owner, domain string   // columns
	numbers                     []string // columns of features; nil: there are images
}

var _ fl.Source = (*parquet)(nil)

func newParquet(p *fl.Params) (fl.Source, error) {
	s := &parquet{files: []string{
		p.Text("train_files", "", "paths of the training files; * stands for any part of a name"),
		p.Text("test_files", none, "paths of the test files"),
	}}
	s.image = p.Text("image", "image", "column of pictures, PNG or JPEG")
	s.numbers = p.Texts("numbers", "columns of features, numbers or lists of them, instead of "+
		"pictures")
	features := p.Int("features", 0, fl.AtLeast(0), "number of features, where there are numbers; "+
		"0: as many as columns")
	s.label = p.Text("label", "label", "column of classes, numbers from 0 or texts")
	s.owner = p.Text("owner", none, "column that says whose a row is, such as writer_id")
	s.domain = p.Text("domain", none, "column that says what domain a row is of, by its name or "+
		"number")
	domains := p.Texts("domains", "names of the domains, in the order of their numbers")
	shape := newPictureShape(p, 10, 32)
	shape.Owned, shape.Domains = s.owner != none, domains
	if s.numbers != nil {
		shape.Image, shape.Features = fl.Image{}, max(features, len(s.numbers))
	}
	tested := s.files[1] != none
	s.album = newAlbum(p, shape, "test_files", tested)
	if s.numbers != nil {
		s.shape.Stored = 0
	}
	if !tested {
		s.files = s.files[:1]
	}
	if (s.domain == none) != (domains == nil) {
		p.Clash("domains", "domain", "a column of domains and their names come together")
	}
	return s, nil
}

// Shape is that of images or features.
func (s *parquet) Shape() fl.Shape { return s.shape }

// Load reads the columns of labels and owners, then those of features.
func (s *parquet) Load(l *fl.LoadInput) (train, test *fl.Dataset, err error) {
	var paths [][]string
	for _, pattern := range s.files {
		found, err := data.Glob(l.Folders, "parquet", pattern)
		if err != nil {
			return nil, nil, err
		}
		paths = append(paths, found)
	}
	if err := s.check(slices.Concat(paths...), 1); err != nil {
		return nil, nil, err
	}
	var lists []*listing
	var reads []reading
	var words []string
	for k, own := range paths {
		list, err := s.list(own, []int{s.train, s.test}[k], &words)
		if err != nil {
			return nil, nil, err
		}
		lists = append(lists, list)
		reads = append(reads, func(add func(int, []byte, func() string) error) error {
			return s.pictures(own, len(list.labels), add)
		})
	}
	if s.numbers != nil {
		return s.features(l, paths, lists)
	}
	return s.parts(l, "parquet", lists, reads)
}

// each opens every file in turn, and says on which row of the part it begins.
func (s *parquet) each(
	paths []string, read func(p *data.Parquet, path string, from int) error,
) error {
	from := 0
	for _, path := range paths {
		p, err := data.OpenParquet(path)
		if err != nil {
			return err
		}
		err = read(p, path, from)
		from += p.Rows
		if closed := p.Close(); err == nil {
			err = closed
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// list reads labels, owners and domains of the first n rows of a part, all when n is 0. Words are
// the texts of labels, which training rows say.
func (s *parquet) list(paths []string, n int, words *[]string) (*listing, error) {
	list := &listing{}
	var labels []string
	err := s.each(paths, func(p *data.Parquet, path string, _ int) error {
		texts, err := p.Texts(s.label)
		if err != nil {
			return err
		}
		labels = append(labels, texts...)
		if s.owner != none {
			if texts, err = p.Texts(s.owner); err != nil {
				return err
			}
			list.owners = append(list.owners, texts...)
		}
		if s.domain == none {
			return nil
		}
		if texts, err = p.Texts(s.domain); err != nil {
			return err
		}
		return s.domained(list, path, texts)
	})
	if err != nil {
		return nil, err
	}
	used, err := first(fmt.Sprintf("%s and %d more files", paths[0], len(paths)-1), n, len(labels))
	if err != nil {
		return nil, err
	}
	list.labels, err = s.classes(paths, labels, words)
	if err != nil {
		return nil, err
	}
	list.labels = list.labels[:used]
	if list.owners != nil {
		list.owners = list.owners[:used]
	}
	if list.domains != nil {
		list.domains = list.domains[:used]
	}
	return list, nil
}

// domained adds the domains of the rows of a file.
func (s *parquet) domained(list *listing, path string, texts []string) error {
	for r, text := range texts {
		k := slices.Index(s.shape.Domains, text)
		if number, err := strconv.Atoi(text); k < 0 && err == nil {
			k = number
		}
		if k < 0 || k >= len(s.shape.Domains) {
			return fmt.Errorf("%s: row %d is of domain %q, which has no name", path, r, text)
		}
		list.domains = append(list.domains, k)
	}
	return nil
}

// classes returns labels as classes: whole numbers, or else by the order of their words.
func (s *parquet) classes(paths []string, labels []string, words *[]string) ([]int, error) {
	numbers, whole := make([]int, len(labels)), *words == nil
	for r := 0; r < len(labels) && whole; r++ {
		k, err := strconv.Atoi(labels[r])
		numbers[r], whole = k, err == nil
		if whole && (k < 0 || k >= s.shape.Classes) {
			return nil, fmt.Errorf("%s: row %d has label %d, which is none of the numbers 0 to %d",
				paths[0], r, k, s.shape.Classes-1)
		}
	}
	if whole {
		return numbers, nil
	}
	if *words == nil {
		there := map[string]bool{}
		for _, word := range labels {
			there[word] = true
		}
		*words = slices.Sorted(maps.Keys(there))
	}
	if len(*words) != s.shape.Classes {
		return nil, fmt.Errorf("%s: there are %d different labels, not %d", paths[0], len(*words),
			s.shape.Classes)
	}
	for r, word := range labels {
		k, known := slices.BinarySearch(*words, word)
		if !known {
			return nil, fmt.Errorf("%s: row %d has label %q, which no training row has", paths[0],
				r, word)
		}
		numbers[r] = k
	}
	return numbers, nil
}

// pictures hands out the pictures of the first n rows of a part.
func (s *parquet) pictures(
	paths []string, n int, add func(int, []byte, func() string) error,
) error {
	return s.each(paths, func(p *data.Parquet, path string, from int) error {
		if from >= n {
			return nil
		}
		return p.Bytes(s.image, func(row int, content []byte) error {
			return add(from+row, content, func() string {
				return fmt.Sprintf("%s: row %d", path, row)
			})
		})
	})
}

// features reads columns of numbers.
func (s *parquet) features(l *fl.LoadInput, paths [][]string, lists []*listing) (
	train, test *fl.Dataset, err error) {
	var tests *listing
	if len(lists) == 2 {
		tests = lists[1]
	}
	if err := s.owners.choose(lists[0], tests, l.Clients); err != nil {
		return nil, nil, err
	}
	if train, err = s.numbered(paths[0], lists[0]); err == nil && tests != nil {
		test, err = s.numbered(paths[1], tests)
	}
	if err == nil && test == nil {
		train, test, err = holdOut(train, s.held, l.RNG)
	}
	if err != nil {
		return nil, nil, err
	}
	s.finish(l, train, test, 1)
	return train, test, nil
}

// numbered reads the features of the rows of a part that are used.
func (s *parquet) numbered(paths []string, list *listing) (*fl.Dataset, error) {
	d := &fl.Dataset{Shape: s.shape, X: fl.NewMatrix(list.used(), s.shape.Features)}
	list.describe(d)
	places := list.places()
	err := s.each(paths, func(p *data.Parquet, path string, from int) error {
		filled := make([]int, len(places))
		for _, name := range s.numbers {
			err := p.Numbers(name, func(row int, x []float64) error {
				if from+row >= len(places) || places[from+row] < 0 {
					return nil
				}
				at := filled[from+row]
				if filled[from+row] += len(x); filled[from+row] > s.shape.Features {
					return fmt.Errorf("row %d has more than %d features", row, s.shape.Features)
				}
				copy(d.X.Row(places[from+row])[at:], x)
				return nil
			})
			if err != nil {
				return err
			}
		}
		for r := from; r < min(from+p.Rows, len(places)); r++ {
			if places[r] >= 0 && filled[r] != s.shape.Features {
				return fmt.Errorf("%s: row %d has %d features, not %d", path, r-from, filled[r],
					s.shape.Features)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if count, at := gapsIn(d); count > 0 {
		return nil, fmt.Errorf("%s: %s", paths[0], at)
	}
	return d, nil
}

// inspect examines the files: their columns, and every row as far as the time allows.
func (s *parquet) inspect(e examiner) {
	var all, words []string
	lists := make([]*listing, len(s.files))
	for k, pattern := range s.files {
		param := []string{"train_files", "test_files"}[k]
		paths, err := data.Glob(e.Folders, "parquet", pattern)
		if err != nil {
			e.report(param, err)
			continue
		}
		all = append(all, paths...)
		e.within(param, paths[0], func(m *data.Mistakes) error {
			list, err := s.list(paths, []int{s.train, s.test}[k], &words)
			if lists[k] = list; err != nil || s.numbers != nil {
				return err
			}
			return s.legible(paths, len(list.labels), m)
		})
	}
	e.pinned(s.pin, all, 1)
	s.album.inspect(e, lists)
}

// legible decodes pictures, and collects which cannot be read.
func (s *parquet) legible(paths []string, n int, m *data.Mistakes) error {
	err := s.pictures(paths, n, func(row int, content []byte, where func() string) error {
		if m.Over() {
			m.Partial = fmt.Sprintf("the first %d pictures", row)
			return data.ErrOver
		}
		if _, err := data.DecodePicture(content); err != nil {
			m.Add("picture", func() error { return fmt.Errorf("%s: %w", where(), err) })
		}
		return nil
	})
	if errors.Is(err, data.ErrOver) {
		return nil
	}
	return err
}
