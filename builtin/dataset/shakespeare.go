// Shakespeare — what speaking roles of Shakespeare's plays say, to predict the next character.
//
//	A. Karpathy. The Unreasonable Effectiveness of Recurrent Neural Networks. 2015: the text,
//	40,000 lines of several plays, known as Tiny Shakespeare. The task and the split within each
//	role are those of S. Caldas et al. LEAF: A Benchmark for Federated Settings. 2018.
//
// A row is a window of characters, from the 65 of the file in the order of their code points; its
// labels are the characters that come next. Roles are those of the file, with a name and a colon
// before what they say: 299 of them speak. They are the natural clients, those with most characters
// first.
//
// Departures: this is not LEAF's text, which is that of all plays and has 80 characters and 1,129
// roles; roles of one name in several plays are one; what is left of a role after its last whole
// window is dropped, where LEAF pads.

package dataset

import (
	"github.com/hansa-fl/hansa/framework/data"
	"github.com/hansa-fl/hansa/framework/fl"
)

// Shakespeare describes the data set to the registry.
var Shakespeare = fl.SourceEntry{
	Name:    "shakespeare",
	Summary: "characters of plays by speaking role, of which the next is to be predicted",
	Paper:   "karpathy2015",
	Deviations: "the text is Tiny Shakespeare, not that of all plays, which LEAF cuts; windows " +
		"do not overlap by default, and none is padded",
	New: func(p *fl.Params) (fl.Source, error) {
		return &shakespeare{newWindows(p, shakespeareLetters, "role")}, nil
	},
	Inspect: func(c fl.Source, i *fl.Inspection) { c.(*shakespeare).inspect(i) },
	Example: map[string]any{"context": int64(40)},
}

const shakespeareLetters = 65

type shakespeare struct{ windows }

var _ fl.Source = (*shakespeare)(nil)

// Shape is that of tokens, with natural clients.
func (s *shakespeare) Shape() fl.Shape { return s.shape() }

// Load reads the file, once its checksum is right.
func (s *shakespeare) Load(l *fl.LoadInput) (train, test *fl.Dataset, err error) {
	paths, err := verified(shakespeareFiles(), l.Folders)
	if err != nil {
		return nil, nil, err
	}
	roles, letters, err := data.ReadSpeech(paths[0], nil)
	if err != nil {
		return nil, nil, err
	}
	return s.windows.load(roles, letters, l)
}

func (s *shakespeare) inspect(i *fl.Inspection) {
	e := examiner{i, "shakespeare"}
	if !e.verified(shakespeareFiles()) {
		return
	}
	paths, err := verified(shakespeareFiles(), i.Folders)
	if err != nil {
		return // verified said so
	}
	if roles, letters, err := data.ReadSpeech(paths[0], nil); err == nil {
		s.windows.inspect(e, roles, letters)
	}
}
