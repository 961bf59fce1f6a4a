// LEAF — the files that the LEAF benchmark makes: rows of users, as JSON.
//
//	S. Caldas, S. M. K. Duddu, P. Wu, T. Li, J. Konečný, H. B. McMahan, V. Smith, A. Talwalkar.
//	LEAF: A Benchmark for Federated Settings. arXiv:1812.01097, 2018.
//
// A file is an object of the lists users and num_samples and of user_data, which has lists x and y
// for every user; there are many files, in folders for training and for tests. Users are the
// natural clients. By task, a row is
//
//	femnist      784 pixels k/255 of a character, white by 1; 62 classes; rows are bytes
//	shakespeare  80 characters as tokens; the label is the next one; 80 of them, in LEAF's order
//	sent140      the first 25 words of a message, as tokens; 2 classes
//	numbers      any numbers, such as those of synthetic(α, β)
//
// Files are read as a stream, one user in memory at a time, and twice where they do not begin with
// their users.
//
// Departures: results are found again by the names of the files and not by their content,
// unless sha256 pins it. The words of sent140 are the most frequent ones of the training rows,
// where LEAF takes those of GloVe; others and what is missing of 25 words are one token more.

package dataset

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hansa-fl/hansa/framework/data"
	"github.com/hansa-fl/hansa/framework/fl"
)

// LEAF describes the data set to the registry.
var LEAF = fl.SourceEntry{
	Name:       "leaf",
	Summary:    "rows by user in the JSON files of the LEAF benchmark",
	Paper:      "caldas2018",
	Deviations: unpinned + "; the words of sent140 are the most frequent ones, not those of GloVe",
	New:        newLEAF,
	Inspect:    func(c fl.Source, i *fl.Inspection) { c.(*leaf).inspect(examiner{i, "leaf"}) },
	Example: map[string]any{
		"train_files": "femnist/train/*.json", "test_files": "femnist/test/*.json",
		"owners": "largest",
	},
}

// The tasks of the benchmark, and the alphabet of one of them.
const (
	femnist   = "femnist"
	plays     = "shakespeare"
	sentiment = "sent140"
	numeric   = "numbers"

	leafLetters = "\n !\"&'(),-.0123456789:;>?ABCDEFGHIJKLMNOPQRSTUVWXYZ[]" +
		"abcdefghijklmnopqrstuvwxyz}"
	leafWords = 25
)

type leaf struct {
	pin
	files      []string
	task       string
	shape      fl.Shape
	vocabulary int
	held       float64
	owners     ownership
}

var _ fl.Source = (*leaf)(nil)

func newLEAF(p *fl.Params) (fl.Source, error) {
	s := &leaf{files: []string{
		p.Text("train_files", "", "paths of the training files; * stands for any part of a name"),
		p.Text("test_files", none, "paths of the test files"),
	}}
	s.task = p.Choice("task", femnist, "what rows are: characters as images, characters of plays, "+
		"words of messages, or numbers", femnist, plays, sentiment, numeric)
	features := p.Int("features", 60, fl.Closed(1, 1<<20), "number of features of rows of numbers")
	classes := p.Int("classes", 10, fl.Closed(2, 1<<16), "number of classes of rows of numbers")
	s.vocabulary = p.Int("vocabulary", 10_000, fl.Closed(1, 1<<20), "how many words of messages "+
		"have a token of their own, the most frequent ones of the training rows")
	s.held = newHeldOut(p, "test_files", s.files[1] != none)
	s.owners = newOwnership(p)
	s.pin = newPin(p)
	if s.files[1] == none {
		s.files = s.files[:1]
	}
	switch s.task {
	case femnist:
		m := fl.Image{C: 1, H: 28, W: 28}
		s.shape = fl.Shape{Features: m.Len(), Classes: 62, Image: m, Stored: 1}
	case plays:
		n := len(leafLetters)
		s.shape = fl.Shape{Features: 80, Classes: n, Tokens: n, Stored: 4}
	case sentiment:
		s.shape = fl.Shape{Features: leafWords, Classes: 2, Tokens: s.vocabulary + 1, Stored: 4}
	default:
		s.shape = fl.Shape{Features: features, Classes: classes}
	}
	s.shape.Owned, s.shape.Tested = true, len(s.files) == 2 || s.held > 0
	return s, nil
}

// Shape is that of the task.
func (s *leaf) Shape() fl.Shape { return s.shape }

// A leafPart is the users of the training or of the test files.
type leafPart struct {
	paths []string
	users []string // of every row
}

// Load reads which users there are, then the rows of those that are clients.
func (s *leaf) Load(l *fl.LoadInput) (train, test *fl.Dataset, err error) {
	parts := make([]leafPart, len(s.files))
	var all []string
	for k, pattern := range s.files {
		if parts[k].paths, err = data.Glob(l.Folders, "leaf", pattern); err != nil {
			return nil, nil, err
		}
		all = append(all, parts[k].paths...)
	}
	if err := s.check(all, 2); err != nil {
		return nil, nil, err
	}
	for k := range parts {
		if err := parts[k].list(nil); err != nil {
			return nil, nil, err
		}
	}
	client, err := s.clients(parts, l.Clients)
	if err != nil {
		return nil, nil, err
	}
	words := newLexicon(s.vocabulary)
	if train, err = s.read(parts[0], client, words); err == nil && len(parts) == 2 {
		words.closed = true
		test, err = s.read(parts[1], client, words)
	}
	if err == nil && s.task == sentiment {
		words.number(train, test)
	}
	if err == nil && test == nil {
		train, test, err = holdOut(train, s.held, l.RNG)
	}
	if err != nil {
		return nil, nil, err
	}
	if !l.Packed {
		for _, d := range partsOf(train, test) {
			d.Unpack()
		}
	}
	return train, test, nil
}

// list reads the users of all files.
func (p *leafPart) list(m *data.Mistakes) error {
	for _, path := range p.paths {
		users, rows, err := data.LEAFUsers(path, m)
		if err != nil {
			return err
		}
		for k, user := range users {
			if rows[k] > math.MaxInt32-len(p.users) {
				return fmt.Errorf("%s: %q has %d rows", path, user, rows[k])
			}
			p.users = append(p.users, slices.Repeat([]string{user}, rows[k])...)
		}
	}
	return nil
}

// clients returns the client of every user that is one.
func (s *leaf) clients(parts []leafPart, n int) (map[string]int, error) {
	var tests []string
	if len(parts) == 2 {
		tests = parts[1].users
	}
	of, _, err := s.owners.clients(parts[0].users, tests, n)
	if err != nil {
		return nil, err
	}
	client := map[string]int{}
	for r, i := range of {
		if i >= 0 {
			client[parts[0].users[r]] = i
		}
	}
	return client, nil
}

// read reads the rows of clients.
func (s *leaf) read(p leafPart, client map[string]int, words *lexicon) (*fl.Dataset, error) {
	n := 0
	for _, user := range p.users {
		if _, is := client[user]; is {
			n++
		}
	}
	if n == 0 {
		return nil, fmt.Errorf("%s: no row belongs to a client", p.paths[0])
	}
	d := &fl.Dataset{Shape: s.shape, X: fl.Matrix{Rows: n, Cols: s.shape.Features},
		Y: make([]int, 0, n), Owner: make([]int, 0, n)}
	switch size := n * s.shape.Features; s.task {
	case femnist:
		d.Packed = fl.Packed{Bytes: make([]uint8, 0, size), Cols: s.shape.Features,
			Levels: fl.NewLevels(func(b float64) float64 { return b / 255 })}
	case numeric:
		d.X.Data = make([]float64, 0, size)
	default:
		d.Packed = fl.Packed{Ints: make([]int32, 0, size), Cols: s.shape.Features}
	}
	for _, path := range p.paths {
		f := &data.LEAF{
			Wanted: func(user string) bool { _, is := client[user]; return is },
			Visit: func(u *data.LEAFUser) error {
				if err := s.add(d, u, words); err != nil {
					return err
				}
				if len(d.Y) > n {
					return fmt.Errorf("user %q has more rows than num_samples says", u.Name)
				}
				for len(d.Owner) < len(d.Y) {
					d.Owner = append(d.Owner, client[u.Name])
				}
				return nil
			},
		}
		if err := f.Read(path, nil); err != nil {
			return nil, err
		}
	}
	if len(d.Y) != n {
		return nil, fmt.Errorf("%s and %d more files: %d rows of clients, num_samples says %d",
			p.paths[0], len(p.paths)-1, len(d.Y), n)
	}
	return d, nil
}

// add adds the rows of a user.
func (s *leaf) add(d *fl.Dataset, u *data.LEAFUser, words *lexicon) error {
	for r := range u.Ends {
		lo, hi := u.Row(r)
		err := error(nil)
		switch {
		case (s.task == femnist || s.task == numeric) != (len(u.Texts) == 0):
			err = fmt.Errorf("rows of task %q are not of this sort", s.task)
		case s.task == femnist || s.task == numeric:
			err = s.numbers(d, u.Numbers[lo:hi])
		case s.task == plays:
			err = letters(d, u.Texts[lo:hi])
		default:
			err = words.add(d, u.Texts[lo:hi])
		}
		label := -1.0
		switch {
		case u.Letters == nil || s.task != plays:
			if r < len(u.Labels) {
				label = u.Labels[r]
			}
		case len(u.Letters[r]) == 1:
			label = float64(strings.Index(leafLetters, u.Letters[r]))
		}
		if k := int(label); err == nil && (float64(k) != label || k < 0 || k >= s.shape.Classes) {
			err = fmt.Errorf("the label is none of the %d classes", s.shape.Classes)
		}
		if err != nil {
			return fmt.Errorf("user %q, row %d: %w", u.Name, r, err)
		}
		d.Y = append(d.Y, int(label))
	}
	return nil
}

// numbers adds a row of numbers, as bytes where they are pixels.
func (s *leaf) numbers(d *fl.Dataset, x []float64) error {
	if len(x) != s.shape.Features {
		return fmt.Errorf("%d numbers, want %d", len(x), s.shape.Features)
	}
	if s.task == numeric {
		d.X.Data = append(d.X.Data, x...)
		return nil
	}
	for k, v := range x {
		b := math.Round(255 * v)
		if !(b >= 0 && b <= 255) || math.Abs(v-b/255) > 1e-6 {
			return fmt.Errorf("pixel %d is %v, no k/255: task = \"numbers\" takes it", k, v)
		}
		d.Packed.Bytes = append(d.Packed.Bytes, uint8(b))
	}
	return nil
}

// letters adds a row of characters.
func letters(d *fl.Dataset, texts []string) error {
	if len(texts) != 1 || len(texts[0]) != d.X.Cols {
		return fmt.Errorf("%q are not %d characters", texts, d.X.Cols)
	}
	for k := range d.X.Cols {
		token := strings.IndexByte(leafLetters, texts[0][k])
		if token < 0 {
			return fmt.Errorf("%q is none of the %d characters", texts[0][k:k+1], len(leafLetters))
		}
		d.Packed.Ints = append(d.Packed.Ints, int32(token))
	}
	return nil
}

// inspect examines the files as far as the time allows.
func (s *leaf) inspect(e examiner) {
	var all []string
	parts := make([]leafPart, len(s.files))
	whole := true
	for k, pattern := range s.files {
		param := []string{"train_files", "test_files"}[k]
		paths, err := data.Glob(e.Folders, "leaf", pattern)
		if err != nil {
			e.report(param, err)
			whole = false
			continue
		}
		all, parts[k].paths = append(all, paths...), paths
		whole = e.within(param, paths[0], parts[k].list) && whole
	}
	e.pinned(s.pin, all, 2)
	if !whole {
		return
	}
	if _, err := s.clients(parts, e.Clients); err != nil {
		e.Fail("owners", "%v", err)
	}
}
