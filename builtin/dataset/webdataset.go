// WebDataset — pictures in tar files, with their classes beside them.
//
//	A. Aizman, G. Maltby, T. Breuel. High Performance I/O for Large Scale Deep Learning. IEEE Big
//	Data 2019.
//
// Files of a sample follow each other and have one name up to the first dot: a picture .png, .jpg
// or .jpeg, its class as a whole number in .cls, and perhaps an object in .json, of which a member
// says whose the sample is. Pictures of other sizes than asked for are brought to it as images
// does. A path is a pattern: all files that fit it are read by name; they may be packed by gzip.
//
// Departures: results are found again by the names of the files and not by their content,
// unless sha256 pins it.

package dataset

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hansa-fl/hansa/framework/data"
	"github.com/hansa-fl/hansa/framework/fl"
)

// WebDataset describes the data set to the registry.
var WebDataset = fl.SourceEntry{
	Name:       "webdataset",
	Summary:    "pictures in tar files of the WebDataset format, and clients where .json says",
	Paper:      "aizman2019",
	Deviations: unpinned,
	New:        newWebDataset,
	Inspect: func(c fl.Source, i *fl.Inspection) {
		c.(*webDataset).inspect(examiner{i, "webdataset"})
	},
	Example: map[string]any{"train_files": "web/train-*.tar", "test_files": "web/test-*.tar"},
}

type webDataset struct {
	album
	files []string
	label string // what ends the name of the file with the class
	owner string // member of .json; empty: rows have none
}

var _ fl.Source = (*webDataset)(nil)

func newWebDataset(p *fl.Params) (fl.Source, error) {
	s := &webDataset{files: []string{
		p.Text("train_files", "", "paths of the training files; * stands for any part of a name"),
		p.Text("test_files", none, "paths of the test files"),
	}}
	s.label = p.Text("label", "cls", "what the name of the file with the class of a sample ends in")
	s.owner = p.Text("owner", none, "member of the .json of a sample that says whose it is")
	if s.owner == none {
		s.owner = ""
	}
	shape := newPictureShape(p, 10, 32)
	shape.Owned = s.owner != ""
	tested := s.files[1] != none
	s.album = newAlbum(p, shape, "test_files", tested)
	if !tested {
		s.files = s.files[:1]
	}
	return s, nil
}

// Shape is that of images.
func (s *webDataset) Shape() fl.Shape { return s.shape }

// Load reads classes and owners, then pictures.
func (s *webDataset) Load(l *fl.LoadInput) (train, test *fl.Dataset, err error) {
	var paths [][]string
	for _, pattern := range s.files {
		found, err := data.Glob(l.Folders, "webdataset", pattern)
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
	for k, own := range paths {
		list, err := s.list(own, []int{s.train, s.test}[k], nil)
		if err != nil {
			return nil, nil, err
		}
		lists = append(lists, list)
		reads = append(reads, func(add func(int, []byte, func() string) error) error {
			return s.pictures(own, add)
		})
	}
	return s.parts(l, "webdataset", lists, reads)
}

// isPicture reports whether a file is a picture by what its name ends in.
func isPicture(ending string) bool {
	return ending == "png" || ending == "jpg" || ending == "jpeg"
}

// list reads classes and owners of the first n samples of a part, all when n is 0.
func (s *webDataset) list(paths []string, n int, m *data.Mistakes) (*listing, error) {
	list := &listing{}
	wanted := func(ending string) bool {
		return ending == s.label || ending == "json" && s.owner != ""
	}
	for _, path := range paths {
		err := data.ReadWebDataset(path, wanted, func(sample *data.WebSample) error {
			if err := s.add(list, sample); err != nil {
				return fmt.Errorf("sample %q: %w", sample.Key, err)
			}
			return nil
		}, m)
		if err != nil {
			return nil, err
		}
	}
	used, err := first(fmt.Sprintf("%s and %d more files", paths[0], len(paths)-1), n,
		len(list.labels))
	if err != nil {
		return nil, err
	}
	list.labels = list.labels[:used]
	if list.owners != nil {
		list.owners = list.owners[:used]
	}
	return list, nil
}

// add adds a sample to a list.
func (s *webDataset) add(list *listing, sample *data.WebSample) error {
	text, there := sample.Files[s.label]
	if !there {
		return fmt.Errorf("there is no .%s", s.label)
	}
	class, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil || class < 0 || class >= s.shape.Classes {
		return fmt.Errorf("class %q is none of the numbers 0 to %d", text, s.shape.Classes-1)
	}
	pictures := 0
	for ending := range sample.Files {
		if isPicture(ending) {
			pictures++
		}
	}
	if pictures != 1 {
		return fmt.Errorf("there are %d pictures, want one", pictures)
	}
	list.labels = append(list.labels, class)
	if s.owner == "" {
		return nil
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(sample.Files["json"], &members); err != nil {
		return fmt.Errorf(".json: %w", err)
	}
	owner := strings.Trim(string(members[s.owner]), `"`)
	if owner == "" || owner == "null" {
		return fmt.Errorf(".json has no member %q", s.owner)
	}
	list.owners = append(list.owners, owner)
	return nil
}

// pictures hands out the pictures of a part.
func (s *webDataset) pictures(paths []string, add func(int, []byte, func() string) error) error {
	row := 0
	for _, path := range paths {
		err := data.ReadWebDataset(path, isPicture, func(sample *data.WebSample) error {
			key := sample.Key
			for ending, content := range sample.Files {
				if !isPicture(ending) {
					continue
				}
				row++
				return add(row-1, content, func() string {
					return fmt.Sprintf("%s: sample %q", path, key)
				})
			}
			return errors.New("there is no picture") // list found one
		}, nil)
		if err != nil {
			return err
		}
	}
	return nil
}

// inspect examines the files as far as the time allows.
func (s *webDataset) inspect(e examiner) {
	var all []string
	lists := make([]*listing, len(s.files))
	for k, pattern := range s.files {
		param := []string{"train_files", "test_files"}[k]
		paths, err := data.Glob(e.Folders, "webdataset", pattern)
		if err != nil {
			e.report(param, err)
			continue
		}
		all = append(all, paths...)
		e.within(param, paths[0], func(m *data.Mistakes) error {
			list, err := s.list(paths, []int{s.train, s.test}[k], m)
			if m.Partial != "" {
				return nil // there may be enough rows, and all owners
			}
			lists[k] = list
			return err
		})
	}
	e.pinned(s.pin, all, 1)
	s.album.inspect(e, lists)
}
