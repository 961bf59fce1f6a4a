package registry

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/study"
)

// Compose turns the names of a cell into components: the only place where names meet
// values. It also returns the cell with every parameter filled in, whose ID is the cell's
// identity. A cell that is resolved already composes to itself, if the code of the user's
// components is what it was. What does not fit is explained, all of it at once.
func (r *Registry) Compose(c study.Cell) (engine.Setup, study.Cell, study.Problems) {
	b := &builder{registry: r, cell: c, resolved: c}
	b.setting = fl.Setting{Clients: c.Clients, Rounds: c.Rounds, Law: c.Law,
		Oracle: c.Oracle, Disclosure: fl.Disclosure(c.Disclose), Held: c.Held > 0}
	b.resolved.Picks = map[string]study.Pick{}
	s := engine.Setup{Seed: c.Seed, DataSeed: c.DataSeed, Clients: c.Clients, Rounds: c.Played(),
		Every: c.Every, Law: c.Law, Oracle: c.Oracle, Disclosure: b.setting.Disclosure,
		Apart: c.Initial == "independent", Held: c.Held, Validated: c.Validated,
		TestByClient: c.TestByClient, HeldOut: c.HeldOut}
	if s.Source = build(b, Sources()); s.Source == nil {
		b.setting = fl.Setting{} // without a shape, all else would be blamed for it
	} else {
		b.setting.Shape = s.Source.Shape()
	}
	b.partition(&s)
	s.Preprocess = b.chain()
	if s.Model = b.model(); s.Model != nil {
		b.setting.Solvable = s.Model.Facts().Solve != nil
		if b.setting.Known() {
			layout := s.Model.Layout()
			w, _ := layout.Head()
			b.setting.Network, b.setting.Layout = layout.Layers != nil, layout
			b.setting.Head = w != nil && w.Rows == b.setting.Shape.Classes
		}
	}
	b.initial(&s)
	b.place(&s, false)
	s.Selects = traits[fl.SelectionTraits](&r.Selections, c.Picks["selection"].Name)
	b.completion(&s)
	b.setting.Expected = s.Selects.Expected && s.Completion.Component == nil
	if s.Model == nil {
		b.setting = fl.Setting{} // what trains, fuses and measures might be blamed for the model
	}
	b.place(&s, true)
	if _, ok := r.Aggregators.Get(c.Picks["aggregator"].Name); ok {
		traits := b.server()
		b.mixture(&s, traits.Mixes)
		b.statistics(&s, traits.Statistics)
		s.Method, s.Losses, s.Remembers = traits.Method, traits.Losses, traits.Remembers
		s.Stale = traits.Stale
		b.halves(traits)
		b.selects(&s, traits)
	}
	b.updates(&s)
	b.personal(&s)
	b.coded(&s)
	b.needsPublic(&s)
	b.measures(&s)
	b.packed(&s)
	if b.lacks != "" && len(b.problems) == 0 {
		b.problems = study.Problems{{Message: b.lacks + ": is missing"}}
	}
	if len(b.problems) > 0 {
		return s, b.resolved, b.problems
	}
	s.Inspectors = b.inspectors
	b.identify(&s)
	return s, b.resolved, nil
}

// A builder composes one cell.
type builder struct {
	registry *Registry
	cell     study.Cell // as written
	resolved study.Cell // with every parameter filled in
	setting  fl.Setting
	problems study.Problems
	lacks    string // a slot that the cell leaves empty

	marshalled map[string][]byte // see marshal

	inspectors []fl.Inspector
}

// inspect keeps what examines the files of the component at a path, and of those within it.
func (b *builder) inspect(path string, m *maker) {
	for _, i := range m.inspectors {
		i.Path = join(path, i.Path)
		b.inspectors = append(b.inspectors, i)
	}
}

// place builds the components that only take their place in a setup: those that are placed after
// a model, or the others.
func (b *builder) place(s *engine.Setup, trains bool) {
	for _, k := range kinds() {
		k.compose(b, s, trains)
		if trains && k.name() == LocalRules().Name {
			b.setting.Rate = b.rate(s)
		}
	}
}

// compose builds the component of the kind and puts it in its place.
func (k KindOf[T]) compose(b *builder, s *engine.Setup, trains bool) {
	_, named := b.cell.Picks[k.Name]
	if k.place == nil || k.trains != trains || k.optional && !named {
		return
	}
	if c := build(b, k); any(c) != nil {
		k.place(s, c)
	}
}

// build builds the component of one slot, or returns nil and reports why not.
func build[T any](b *builder, k KindOf[T]) (c T) {
	pick, ok := b.cell.Picks[k.Name]
	if !ok { // the reader of the file has said so already
		b.lacks = k.Name
		return c
	}
	c, pick.Params = k.at(b, k.Name, pick)
	b.resolved.Picks[k.Name] = pick
	return c
}

// at builds a component at a path of the cell, or returns nil and reports why not. It also returns
// the parameters, resolved.
func (k KindOf[T]) at(b *builder, path string, pick study.Pick) (T, map[string]any) {
	m := &maker{registry: b.registry, setting: b.setting}
	c, params, problems := construct(m, k, pick)
	b.report(path, problems)
	b.inspect(path, m)
	return c, params
}

// chain builds the preprocessors, each for the shape that the one before leaves: b.setting has
// the last one then.
func (b *builder) chain() []engine.Stage {
	var list []engine.Stage
	b.resolved.Preprocess = nil
	k := Preprocessors()
	for i, p := range b.cell.Preprocess {
		path := fmt.Sprintf("%s[%d]", k.Name, i)
		var c fl.Preprocessor
		c, p.Params = k.at(b, path, p)
		b.resolved.Preprocess = append(b.resolved.Preprocess, p)
		if c == nil {
			b.setting = fl.Setting{} // the result is unknown
			continue
		}
		of := traits[fl.PreprocessTraits](&b.registry.Preprocessors, p.Name)
		list = append(list, engine.Stage{Name: p.Name, Preprocessor: c, Labelled: of.Labelled})
		if !b.setting.Known() {
			continue
		}
		shape, err := c.Shape(b.setting.Shape)
		if err != nil {
			b.report(path, []fl.Problem{{Param: "name",
				Message: fmt.Sprintf("%s %s: %v", k.Name, p.Name, err)}})
			b.setting = fl.Setting{}
			continue
		}
		b.setting.Shape = shape
	}
	return list
}

// model builds the model for the shape of the data.
func (b *builder) model() fl.Model {
	m := build(b, Models())
	if m == nil {
		return nil
	}
	if !b.setting.Known() {
		return m // of no size: there is another problem already
	}
	sized, err := m.For(b.setting.Shape)
	if err != nil {
		b.report("model", []fl.Problem{{Param: "name",
			Message: fmt.Sprintf("model %s: %v", b.cell.Picks["model"].Name, err)}})
		return nil
	}
	return sized
}

// partition builds public data and the partition of rows, and says whether that assigns test rows.
func (b *builder) partition(s *engine.Setup) {
	b.public(s) // which have the shape of the rows before they are moved
	s.Partition = build(b, Partitioners())
	b.setting.Assigned = true // without a partition, metrics would be blamed for it
	if s.Partition != nil {
		of := traits[fl.PartitionTraits](&b.registry.Partitioners, b.cell.Picks["partition"].Name)
		s.Drops = of.Drops
		b.setting.Assigned = of.Keeps.Assigns(b.setting.Shape)
	}
	b.clientTests()
}

// clientTests says whether clients have test samples that are dealt to them or that they hold out.
func (b *builder) clientTests() {
	c := &b.cell
	switch tested := b.setting.Shape.Tested; {
	case c.HeldOut > 0 && c.TestByClient:
		b.report("held_out", []fl.Problem{{Message: fmt.Sprintf("held_out: "+
			"%v, and test = \"client\" gives clients test samples, too; give one of them",
			c.HeldOut)}})
	case c.TestByClient && b.setting.Known() && !tested:
		b.report("test", []fl.Problem{{Message: `test: "client" deals test samples, and this ` +
			"dataset has none; held_out gives clients some of their own"}})
	}
	b.setting.Own = c.HeldOut > 0 || c.TestByClient
}

func (b *builder) measures(s *engine.Setup) {
	var list []engine.Measure
	b.resolved.Measures = nil
	for i, m := range b.cell.Measures {
		var c fl.Metric
		c, m.Params = Metrics().at(b, fmt.Sprintf("metrics[%d]", i), m.Pick)
		b.resolved.Measures = append(b.resolved.Measures, m)
		of := traits[fl.MetricTraits](&b.registry.Metrics, m.Name)
		list = append(list, engine.Measure{Key: m.Key, Metric: c, Average: m.Average,
			Best: m.Best, Judges: of.Judges, Describes: of.Describes, Accounts: of.Accounts,
			AccountsSamples: of.AccountsSamples})
	}
	s.Measures = list
	b.private(s)
	b.privateSamples(s)
}

// mixture refuses clients with different models where no component makes one of them.
func (b *builder) mixture(s *engine.Setup, mixes bool) {
	if s.Model == nil || !s.Model.Facts().Mixed() {
		return
	}
	if !mixes {
		b.report("aggregator", []fl.Problem{{Param: "name", Message: fmt.Sprintf("aggregator %s: "+
			"adds parameters up, and clients train models with different layouts",
			b.cell.Picks["aggregator"].Name)}})
	}
	if b.cell.Rounds > 1 {
		b.report("rounds", []fl.Problem{{Message: fmt.Sprintf("rounds: %d, but clients train "+
			"models with different layouts: then there can be one", b.cell.Rounds)}})
	}
}

// statistics refuses an aggregator that takes other things than the local rule sends.
func (b *builder) statistics(s *engine.Setup, takes string) {
	e, ok := b.registry.LocalRules.Get(b.cell.Picks["local"].Name)
	if !ok { // there is another problem already
		return
	}
	local := fl.TraitsOf[fl.LocalTraits](e)
	s.Statistics, s.NoModel = local.Statistics, local.NoModel
	if takes == local.Statistics {
		return
	}
	hint := offers(&b.registry.LocalRules, "local = %q", " sends them",
		func(t fl.LocalTraits) bool { return t.Statistics == takes })
	if takes == "" {
		hint = offers(&b.registry.Aggregators, "aggregator = %q", " takes them",
			func(t fl.AggregatorTraits) bool { return t.Statistics == local.Statistics })
	}
	b.report("aggregator", []fl.Problem{{Param: "name", Hint: hint,
		Message: fmt.Sprintf("aggregator %s: takes %s, but local %s sends %s",
			b.cell.Picks["aggregator"].Name, cmp.Or(takes, "models"), e.Name,
			cmp.Or(local.Statistics, "models"))}})
}

// halves refuses one half of a method beside a half of another method or of none: what it keeps and
// sends means nothing there.
func (b *builder) halves(traits fl.AggregatorTraits) {
	e, ok := b.registry.LocalRules.Get(b.cell.Picks["local"].Name)
	client, server := fl.TraitsOf[fl.LocalTraits](e).Method, traits.Method
	if !ok || client == server || client == "" && traits.Selects && !b.registry.trains(server) {
		return
	}
	aggregator := b.cell.Picks["aggregator"].Name
	if client != "" {
		b.report("aggregator", []fl.Problem{{Param: "name",
			Message: fmt.Sprintf("aggregator %s: local %s is the client's half of %s, and this is "+
				"not the server's", aggregator, e.Name, client),
			Hint: offers(&b.registry.Aggregators, "aggregator = %q", " is",
				func(t fl.AggregatorTraits) bool { return t.Method == client })}})
		return
	}
	b.report("aggregator", []fl.Problem{{Param: "name",
		Message: fmt.Sprintf("aggregator %s: is the server's half of %s, and local %s is not the "+
			"client's", aggregator, server, e.Name),
		Hint: offers(&b.registry.LocalRules, "local = %q", " is",
			func(t fl.LocalTraits) bool { return t.Method == server })}})
}

// offers says which entries of a table have traits that match.
func offers[T any, R fl.Traits[T]](t *Table[T], form, end string, match func(R) bool) string {
	var names []string
	for _, name := range t.Names() {
		if match(traits[R](t, name)) {
			names = append(names, fmt.Sprintf(form, name))
		}
	}
	if names == nil {
		return ""
	}
	if more := len(names) - 3; more > 1 {
		names = append(names[:3], fmt.Sprintf("one of %d others", more))
	}
	return strings.Join(names, " or ") + end
}

// report adds what is wrong with the component at a path of the cell, with the place in
// the file that says so.
func (b *builder) report(path string, problems []fl.Problem) {
	b.problems = append(b.problems, Locate(b.cell, path, problems)...)
}

// Locate returns problems with the component at a path of a cell with the places in the file to
// which they belong.
func Locate(c study.Cell, path string, problems []fl.Problem) (located study.Problems) {
	for _, p := range problems {
		hint := p.Hint
		if hint == "" && (p.Word != "" || len(p.Allowed) > 0) {
			hint = study.Suggest(p.Word, p.Allowed)
		}
		located = append(located, study.Problem{
			Pos: blamed(c, path, p), Message: p.Message, Hint: hint,
		})
	}
	return located
}

// blamed returns the place of a problem: of two parameters that cannot stand beside each other,
// that of the one which was written later. What stands in a method comes after what stands in the
// setting, and the command line after both. A default was not written.
func blamed(c study.Cell, path string, p fl.Problem) study.Pos {
	other, written := c.Origins[path+"."+p.Beside]
	if p.Beside == "" || !written {
		return place(c, path, p)
	}
	own, written := c.Origins[path+"."+p.Param]
	line, later := own.Value.Line, other.Value.Line
	if !written || line > 0 && (later == 0 || later > line) {
		return other.Value
	}
	return own.Value
}

// place returns where a parameter was written, or else what it belongs to: a default
// has no place of its own.
func place(c study.Cell, path string, p fl.Problem) study.Pos {
	for at := path + "." + p.Param; ; {
		if span, ok := c.Origins[at]; ok {
			if p.Key && at == path+"."+p.Param {
				return span.Key
			}
			return span.Value
		}
		cut := strings.LastIndexByte(at, '.')
		if cut < 0 {
			return study.Pos{}
		}
		at = at[:cut]
	}
}
