package contract

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/hansa-fl/hansa/framework/data"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/registry"
)

func sources() exam[fl.Source] {
	desk := new(reader)
	return exam[fl.Source]{
		of: registry.Sources(),
		checks: []check[*subject[fl.Source]]{
			{"loads", "Load returns training data, or an error that names the file that is " +
				"missing", "", desk.loads},
			{"inspects", "where files are missing Inspect says so as Load does, and where Load " +
				"reads them it finds nothing wrong", "loads", desk.inspects},
			{"shape", "rows, labels, targets, owners, domains and images are as Shape says",
				"loads", desk.ask(ofShape)},
			{"labels", "every label is one of the classes", "shape", desk.ask(labelsInRange)},
			{"owners", "every owner is one of the clients", "shape", desk.ask(ownersInRange)},
			{"domains", "every domain is one of those that Shape names", "shape",
				desk.ask(domainsInRange)},
			{"finite", "there is no NaN or Inf in the data", "shape", desk.ask(finiteData)},
			{"disjoint", "no row is both in the training and in the test data",
				"shape", desk.ask(disjointRows)},
			{"repeatable", "two fresh instances load the same bits from the same stream",
				"loads", desk.repeats},
		},
	}
}

// A reader keeps what a variant loaded while it is examined: loading may take seconds.
type reader struct {
	kept parts
	err  error
}

// parts are what a source yields.
type parts struct {
	shape       fl.Shape // as announced
	train, test *fl.Dataset
}

// load loads the data of a fresh instance.
func load(s *subject[fl.Source]) (p parts, err error) {
	c := s.build()
	p.shape = c.Shape()
	p.train, p.test, err = c.Load(&fl.LoadInput{
		RNG: s.stream("data").Rand(), Clients: clients, Folders: s.options.Folders,
	})
	return p, err
}

func (r *reader) loads(s *subject[fl.Source]) string {
	r.kept, r.err = load(s)
	switch {
	case missing(r.err):
		return ""
	case r.err != nil:
		return "error: " + r.err.Error()
	case r.kept.train == nil || r.kept.train.Len() == 0:
		return "there are no training data"
	}
	return ""
}

// inspects compares what Inspect finds with what Load does: without any files, and with those that
// are there.
func (r *reader) inspects(s *subject[fl.Source]) string {
	c := s.build()
	_, _, lacking := c.Load(&fl.LoadInput{RNG: s.stream("data").Rand(), Clients: clients})
	return inspection(s, c, missing(lacking), r.err == nil)
}

// inspection says what is wrong with the inspection of a component, which lacks files where there
// are no folders, and has all that it needs in those of the options.
func inspection[T any](s *subject[T], c T, lacks, has bool) string {
	if !lacks {
		return ""
	}
	if s.entry.Inspect == nil {
		return "it reads files, and has no Inspect"
	}
	bare := &fl.Inspection{Clients: clients}
	if s.entry.Inspect(c, bare); len(bare.Missing) == 0 {
		return "Inspect misses no file where there are none"
	}
	there := &fl.Inspection{Clients: clients, Folders: s.options.Folders}
	if s.entry.Inspect(c, there); has && len(there.Problems)+len(there.Missing) > 0 {
		return "the files can be read, and Inspect says: " +
			say(append(there.Problems, there.Missing...))
	}
	return ""
}

// ask asks about the data, where their files are there.
func (r *reader) ask(about func(p parts) string) func(s *subject[fl.Source]) string {
	return func(*subject[fl.Source]) string {
		if r.err != nil {
			return unasked
		}
		return about(r.kept)
	}
}

func (r *reader) repeats(s *subject[fl.Source]) string {
	if r.err != nil {
		return unasked
	}
	first, second := newDigest(), newDigest()
	first.dataset(r.kept.train)
	first.dataset(r.kept.test)
	r.kept = parts{} // one large data set at a time is enough
	again, err := load(s)
	if err != nil {
		return "error: " + err.Error()
	}
	second.dataset(again.train)
	second.dataset(again.test)
	if first.sum() != second.sum() {
		return "two loads differ"
	}
	return ""
}

// missing reports whether an error names files that are not there.
func missing(err error) bool {
	var files *data.MissingError
	if errors.As(err, &files) && len(files.Files) > 0 {
		return strings.Contains(err.Error(), files.Files[0].Name)
	}
	var path *fs.PathError
	return errors.As(err, &path) && errors.Is(err, fs.ErrNotExist) &&
		strings.Contains(err.Error(), path.Path)
}

// each asks about the training data and, where there are some, about the test data.
func (p parts) each(ask func(d *fl.Dataset) string) string {
	if broken := ask(p.train); broken != "" {
		return at("training data", broken)
	}
	if p.test == nil {
		return ""
	}
	return at("test data", ask(p.test))
}

func ofShape(p parts) string {
	if tested := p.test != nil && p.test.Len() > 0; tested != p.shape.Tested {
		return fmt.Sprintf("there are test data: %t, announced is %t", tested, p.shape.Tested)
	}
	return p.each(func(d *fl.Dataset) string {
		n, has := d.Len(), []string{}
		for _, part := range []struct {
			name   string
			length int
			want   bool
		}{
			{"labels", len(d.Y) / p.shape.PerRow(), p.shape.Classes > 0},
			{"targets", len(d.Target), p.shape.Classes == 0},
			{"owners", len(d.Owner), p.shape.Owned},
			{"domains", len(d.Domain), p.shape.Domains != nil},
		} {
			if part.want && part.length != n || !part.want && part.length != 0 {
				has = append(has, fmt.Sprintf("%d %s for %d rows", part.length, part.name, n))
			}
		}
		image := p.shape.Image
		switch {
		case !d.Shape.Equal(p.shape):
			return fmt.Sprintf("it says %+v, announced is %+v", d.Shape, p.shape)
		case d.X.Cols != p.shape.Features || len(d.X.Data) != n*d.X.Cols:
			return fmt.Sprintf("%d rows of %d columns in %d numbers, for %d features",
				n, d.X.Cols, len(d.X.Data), p.shape.Features)
		case image != (fl.Image{}) && image.C*image.H*image.W != p.shape.Features:
			return fmt.Sprintf("images are %d×%d×%d, rows have %d features",
				image.C, image.H, image.W, p.shape.Features)
		}
		return strings.Join(has, ", ")
	})
}

func labelsInRange(p parts) string {
	return p.each(func(d *fl.Dataset) string { return inRange("class", d.Y, p.shape.Classes) })
}

func ownersInRange(p parts) string {
	return p.each(func(d *fl.Dataset) string { return inRange("owner", d.Owner, clients) })
}

func domainsInRange(p parts) string {
	return p.each(func(d *fl.Dataset) string {
		return inRange("domain", d.Domain, len(p.shape.Domains))
	})
}

func inRange(what string, xs []int, n int) string {
	for r, x := range xs {
		if x < 0 || x >= n {
			return fmt.Sprintf("row %d has %s %d of %d", r, what, x, n)
		}
	}
	return ""
}

func finiteData(p parts) string {
	return p.each(func(d *fl.Dataset) string {
		if !fl.Vector(d.X.Data).Finite() || !d.Target.Finite() {
			return "NaN or Inf"
		}
		return ""
	})
}

func disjointRows(p parts) string {
	if p.test == nil {
		return ""
	}
	trained := map[string]int{}
	for r := range p.train.Len() {
		trained[rowDigest(p.train, r)] = r
	}
	for r := range p.test.Len() {
		if same, ok := trained[rowDigest(p.test, r)]; ok {
			return fmt.Sprintf("test row %d is training row %d", r, same)
		}
	}
	return ""
}

// rowDigest identifies a row with its label or target, for any owner.
func rowDigest(d *fl.Dataset, r int) string {
	one, row := newDigest(), d.Rows(r, r+1)
	one.floats(row.X.Data)
	one.floats(row.Target)
	one.ints(row.Y...)
	return one.sum()
}
