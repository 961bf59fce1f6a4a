package registry

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/study"
)

// publicSlot is the slot of public data, which holds one more dataset.
const publicSlot = "public"

// PublicData is the kind of public data: datasets, with a parameter more. It has no table of its
// own, and so is none of Kinds.
func PublicData() KindOf[fl.Source] {
	k := Sources()
	k.Kind = Kind{Name: publicSlot, Noun: "public dataset",
		Meaning: "training rows of a data set that are of no client, for distillation"}
	k.declare = labels
	return k
}

// labels declares the parameter that public data have beside those of their dataset.
func labels(p *fl.Params) {
	p.Bool("labelled", true, "whether methods see the labels of public samples")
}

// PublicOf returns the kind of public data with its entries, which are those of datasets.
func PublicOf(datasets Kind) Kind {
	p := fl.NewParams(nil, fl.Setting{}, nil)
	labels(p)
	public := PublicData().Facts()
	for _, e := range datasets.Entries {
		e.Kind, e.Params = publicSlot, slices.Concat(p.Specs(), e.Params)
		public.Entries = append(public.Entries, e)
	}
	return public
}

// public builds the public data, where a cell has some.
func (b *builder) public(s *engine.Setup) {
	pick, ok := b.cell.Picks[publicSlot]
	if !ok {
		return
	}
	k := PublicData()
	shape := b.setting.Shape
	b.setting.Shape = fl.Shape{} // of which a dataset knows nothing
	source, params := k.at(b, publicSlot, pick)
	b.setting.Shape, pick.Params = shape, params
	b.resolved.Picks[publicSlot] = pick
	b.setting.Public, b.setting.Labelled = b.setting.Known(), true
	if source == nil {
		return
	}
	b.setting.Labelled = params["labelled"] == true
	s.Public = engine.Public{Source: source, Labelled: b.setting.Labelled}
	if b.setting.Known() {
		b.publicShape(pick, source.Shape())
		b.publicFiles(pick)
	}
}

// publicShape refuses public rows that a model of the clients' data cannot read.
func (b *builder) publicShape(pick study.Pick, public fl.Shape) {
	own, name := b.setting.Shape, b.cell.Picks["dataset"].Name
	complain := func(format string, args ...any) {
		b.report(publicSlot, []fl.Problem{{Param: "name", Message: fmt.Sprintf("public %s: ",
			pick.Name) + fmt.Sprintf(format, args...)}})
	}
	switch {
	case public.Features != own.Features:
		complain("rows have %d features, those of %s have %d", public.Features, name, own.Features)
	case public.Image != own.Image:
		complain("images are of %s, those of %s are of %s", sizeOf(public.Image), name,
			sizeOf(own.Image))
	case public.Tokens != own.Tokens:
		complain("rows are of a vocabulary of %d tokens, those of %s of %d; 0: they are numbers",
			public.Tokens, name, own.Tokens)
	case b.setting.Labelled && public.Classes != own.Classes:
		complain("labels are of %s, those of %s are of %s; labelled = false hides them",
			targetsOf(public), name, targetsOf(own))
	}
}

// sizeOf says what images there are.
func sizeOf(i fl.Image) string {
	if i == (fl.Image{}) {
		return "no size"
	}
	return fmt.Sprintf("%d×%d×%d", i.C, i.H, i.W)
}

// targetsOf says what labels there are.
func targetsOf(s fl.Shape) string {
	if s.Classes == 0 {
		return "a regression"
	}
	return fmt.Sprintf("%d classes", s.Classes)
}

// publicFiles refuses public rows that are those of clients or test rows: of the same files.
func (b *builder) publicFiles(pick study.Pick) {
	own := b.resolved.Picks["dataset"]
	files, others := b.files(own), b.files(pick)
	if e, _ := b.registry.Sources.Get(pick.Name); pick.Name == own.Name && e.Inspect != nil &&
		len(others) == 0 {
		b.report(publicSlot, []fl.Problem{{Param: "name", Message: fmt.Sprintf("public %s: its "+
			"training samples are those of the clients", pick.Name), Hint: "name another data " +
			"set; validation = 0.1 gives the server a tenth of the clients' samples"}})
		return
	}
	for _, f := range others {
		if !strings.HasPrefix(f.param, "train") {
			continue // its test rows are not used
		}
		k := slices.IndexFunc(files, func(o namedFile) bool { return o.path == f.path })
		if k < 0 {
			continue
		}
		holds := "whose samples are the clients'"
		if strings.HasPrefix(files[k].param, "test") {
			holds = "and no method may see test samples"
		}
		b.report(publicSlot, []fl.Problem{{Param: f.param, Message: fmt.Sprintf("public %s: %s: "+
			"%q is %s of the dataset, %s", pick.Name, f.param, f.path, files[k].param, holds)}})
	}
}

// A namedFile is a file that a parameter of a dataset names.
type namedFile struct{ param, path string }

// files returns the files with training and test rows that a resolved dataset names.
func (b *builder) files(pick study.Pick) (list []namedFile) {
	e, ok := b.registry.Sources.Get(pick.Name)
	if !ok {
		return nil
	}
	p := fl.NewParams(nil, fl.Setting{}, nil)
	if _, err := e.New(p); err != nil {
		return nil
	}
	for _, s := range p.Specs() {
		path, text := pick.Params[s.Name].(string)
		rows := strings.HasPrefix(s.Name, "train") || strings.HasPrefix(s.Name, "test")
		if text && s.Kind == "text" && rows && path != s.Default {
			list = append(list, namedFile{s.Name, path})
		}
	}
	return list
}

// needsPublic refuses rules that need public data where there are none.
func (b *builder) needsPublic(s *engine.Setup) {
	local := traits[fl.LocalTraits](&b.registry.LocalRules, b.cell.Picks["local"].Name)
	server := b.server()
	s.Public.Sent = local.Public
	if _, given := b.cell.Picks[publicSlot]; given {
		return
	}
	complain := func(slot string) {
		b.report(slot, []fl.Problem{{Param: "name", Message: fmt.Sprintf("%s %s: needs public "+
			"data, and the experiment has none", slot, b.cell.Picks[slot].Name),
			Hint: `public = "…" in [setting] names a data set whose training rows are public`}})
	}
	switch { // of the two halves of a method, one is named
	case server.Public:
		complain("aggregator")
	case local.Public:
		complain("local")
	}
}
