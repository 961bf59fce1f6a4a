package dataset

import (
	"strings"

	"github.com/hansa-fl/hansa/framework/data"
	"github.com/hansa-fl/hansa/framework/fl"
)

// newOwnerArrays declares where arrays of clients lie.
func newOwnerArrays(p *fl.Params) [2]string {
	return [2]string{
		p.Text("train_owners", none, "path of the clients of the training rows, numbers from 0; "+
			"file.npz:name is an array of an archive"),
		p.Text("test_owners", none, "path of the clients of the test rows"),
	}
}

// ownerPlace returns where an array of clients lies.
func ownerPlace(folders []string, name string) (p place, err error) {
	const archive = ".npz"
	p.file = name
	if file, array, given := strings.Cut(name, archive+":"); given {
		p = place{file + archive, array}
	}
	p.file, err = located(folders, "features", p.file)
	return p, err
}

// own gives rows their clients. There may be no test rows.
func (s *features) own(l *fl.LoadInput, train, test *fl.Dataset) error {
	for k, d := range []*fl.Dataset{train, test} {
		if s.owners[k] == none || d == nil {
			continue
		}
		p, err := ownerPlace(l.Folders, s.owners[k])
		if err != nil {
			return err
		}
		rows := place{file: [...]string{"train", "test"}[k]}
		if d.Owner, err = p.indices(rows, d.Len(), l.Clients); err != nil {
			return err
		}
	}
	return nil
}

// inspectOwners examines the arrays of clients.
func (s *features) inspectOwners(e examiner) {
	for k, name := range s.owners {
		if name == none {
			continue
		}
		param := [...]string{"train_owners", "test_owners"}[k]
		p, err := ownerPlace(e.Folders, name)
		if err != nil {
			e.report(param, err)
			continue
		}
		c := counted{name: p.String()}
		e.look(param, p.file, func(m *data.Mistakes) error {
			_, err := c.indices(m, 0, e.Clients).Array(p.file, p.array)
			return err
		})
	}
}
