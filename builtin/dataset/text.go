// Text — characters of plain texts, of which the next is to be predicted.
//
// Files are UTF-8 and may be packed by gzip. Their characters are numbered in the order of their
// code points. Rows are windows of one text. A text is a file, or what a speaking role says: then
// files consist of blocks with an empty line between them, of which the first line is a name and a
// colon. Texts are the natural clients, those with most characters first. A path may be a pattern;
// a relative one is looked for in the folder of the experiment, then in those of data sets.
//
// Departures: results are found again by the names of the files and not by their content,
// unless sha256 pins it.

package dataset

import (
	"maps"

	"github.com/hansa-fl/hansa/framework/data"
	"github.com/hansa-fl/hansa/framework/fl"
)

// Text describes the data set to the registry.
var Text = fl.SourceEntry{
	Name:       "text",
	Summary:    "characters of plain texts, of which the next is to be predicted, by their paths",
	Deviations: unpinned,
	New:        newText,
	Inspect:    func(c fl.Source, i *fl.Inspection) { c.(*text).inspect(examiner{i, "text"}) },
	Example: map[string]any{
		"files": []any{"tinyshakespeare/input.txt.gz"}, "clients_by": "roles",
		"vocabulary": int64(65), "context": int64(30),
	},
}

type text struct {
	windows
	pin
	files []string
	roles bool
}

var _ fl.Source = (*text)(nil)

func newText(p *fl.Params) (fl.Source, error) {
	s := &text{files: p.Texts("files", "paths of the texts"+anyPath)}
	s.roles = p.Choice("clients_by", "files", "what a text is: a file, or what a speaking role "+
		"says in all files", "files", "roles") == "roles"
	s.windows = newWindows(p, 0, "text")
	s.pin = newPin(p)
	if len(s.files) == 0 && p.Setting().Known() {
		p.Fail("files", "none is named")
	}
	return s, nil
}

// Shape is that of tokens, with natural clients.
func (s *text) Shape() fl.Shape { return s.shape() }

// Load reads the files.
func (s *text) Load(l *fl.LoadInput) (train, test *fl.Dataset, err error) {
	paths, err := s.paths(l.Folders)
	if err != nil {
		return nil, nil, err
	}
	if err := s.check(paths, 1); err != nil {
		return nil, nil, err
	}
	var texts []data.Speech
	letters := map[rune]bool{}
	for _, path := range paths {
		if texts, err = s.read(path, texts, letters, nil); err != nil {
			return nil, nil, err
		}
	}
	return s.windows.load(texts, letters, l)
}

// paths returns the paths of all files that are named or fit a pattern.
func (s *text) paths(folders []string) (all []string, err error) {
	for _, name := range s.files {
		if path, err := data.Locate(folders, "text", name); err == nil {
			all = append(all, path)
			continue
		}
		found, err := data.Glob(folders, "text", name)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// read adds the texts of a file and its characters.
func (s *text) read(path string, texts []data.Speech, letters map[rune]bool, m *data.Mistakes) (
	[]data.Speech, error) {
	if !s.roles {
		prose, own, err := data.ReadProse(path, m)
		maps.Copy(letters, own)
		return append(texts, data.Speech{Role: path, Text: prose}), err
	}
	roles, own, err := data.ReadSpeech(path, m)
	if err != nil {
		return nil, err
	}
	maps.Copy(letters, own)
	known := map[string]int{}
	for k, t := range texts {
		known[t.Role] = k
	}
	for _, r := range roles {
		if k, again := known[r.Role]; again {
			texts[k].Text += r.Text
		} else {
			texts = append(texts, r)
		}
	}
	return texts, nil
}

// inspect examines the files.
func (s *text) inspect(e examiner) {
	paths, err := s.paths(e.Folders)
	if err != nil {
		e.report("files", err)
		return
	}
	e.pinned(s.pin, paths, 1)
	var texts []data.Speech
	letters, whole := map[rune]bool{}, true
	for _, path := range paths {
		whole = e.look("files", path, func(m *data.Mistakes) (err error) {
			texts, err = s.read(path, texts, letters, m)
			return err
		}) && whole
	}
	if whole && len(paths) > 0 {
		s.windows.inspect(e, texts, letters)
	}
}
