package registry

import (
	"fmt"
	"slices"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
)

// downloadSlot is the slot of the compressor of models, beside that of updates.
const downloadSlot = "download"

// Downloads is the kind of compressors of the model that clients are sent: those of updates,
// without feedback, as the server makes up for what is lost. It has no table of its own, and so is
// none of Kinds.
func Downloads() KindOf[fl.Compressor] {
	k := Compressors()
	k.Kind = Kind{Name: downloadSlot, Noun: "compressor of models",
		Meaning: "in how many bits clients are sent how the model has changed, by EF21-P"}
	k.declare = nil
	return k
}

// Borrowers returns the kinds of slots that hold components of other kinds, with their entries:
// public data, which are datasets, and compressors of models, which are those of updates.
func Borrowers(kinds []Kind) (list []Kind) {
	for _, k := range kinds {
		switch k.Name {
		case Sources().Name:
			list = append(list, PublicOf(k))
		case Compressors().Name:
			list = append(list, downloadsOf(k))
		}
	}
	return list
}

// downloadsOf returns the kind of compressors of models with its entries, which are those of
// updates without what these have in common.
func downloadsOf(compressors Kind) Kind {
	p := fl.NewParams(nil, fl.Setting{}, nil)
	Compressors().declares(p)
	common := p.Specs()
	k := Downloads().Facts()
	for _, e := range compressors.Entries {
		own := slices.DeleteFunc(slices.Clone(e.Params), func(s fl.Spec) bool {
			return slices.ContainsFunc(common, func(c fl.Spec) bool { return c.Name == s.Name })
		})
		e.Kind, e.Params = downloadSlot, own
		k.Entries = append(k.Entries, e)
	}
	return k
}

// download builds the compressor of models, where a cell has one, and refuses it where clients are
// sent none, or several.
func (b *builder) download(s *engine.Setup) {
	pick, ok := b.cell.Picks[downloadSlot]
	if !ok {
		return
	}
	c, params := Downloads().at(b, downloadSlot, pick)
	pick.Params = params
	b.resolved.Picks[downloadSlot] = pick
	if _, none := c.(fl.NoCompressor); none || c == nil {
		return
	}
	s.Download = engine.Compressor{Name: pick.Name, Component: c, Feedback: fl.FeedbackNone}
	complain := func(format string, args ...any) {
		b.report(downloadSlot, []fl.Problem{{Param: "name", Message: fmt.Sprintf("download %s: ",
			pick.Name) + fmt.Sprintf(format, args...)}})
	}
	switch {
	case s.NoModel:
		complain("compresses models, and clients of local %s are sent none",
			b.cell.Picks["local"].Name)
	case s.Model != nil && s.Model.Facts().Mixed():
		complain("clients are sent models with different layouts")
	case s.Apart:
		complain("sends by how much the model has changed, and with initial = \"independent\" no " +
			"client has the first one")
	}
}
