package dataset

import (
	"fmt"
	"path/filepath"

	"github.com/hansa-fl/hansa/framework/data"
	"github.com/hansa-fl/hansa/framework/fl"
)

// readOwners reads a table with the columns file and owner: the owners of pictures, by their paths
// or the last elements of these.
func readOwners(path string) (map[string]string, error) {
	columns := []data.Column{{Name: "file", Required: true}, {Name: "owner", Required: true}}
	if _, err := (data.Table{}).Read(path, columns); err != nil {
		return nil, err
	}
	owner := map[string]string{}
	for r, file := range columns[0].Texts {
		file = filepath.ToSlash(file)
		if was, twice := owner[file]; twice && was != columns[1].Texts[r] {
			return nil, fmt.Errorf("%s: %q has two owners, %q and %q", path, file, was,
				columns[1].Texts[r])
		}
		owner[file] = columns[1].Texts[r]
	}
	return owner, nil
}

// ownersOf returns the owners of pictures: by their names, or by the last two or three elements of
// their paths.
func ownersOf(table string, owner map[string]string, list []data.Picture) ([]string, error) {
	owners := make([]string, len(list))
	for k, p := range list {
		name, rest := filepath.Base(p.Path), filepath.Dir(p.Path)
		known := false
		for range 3 {
			if owners[k], known = owner[name]; known {
				break
			}
			name, rest = filepath.Base(rest)+"/"+name, filepath.Dir(rest)
		}
		if !known {
			return nil, fmt.Errorf("%s: there is no owner of %s", table, p.Path)
		}
	}
	return owners, nil
}

// assign returns the pictures that belong to clients, and to which ones. Without a table of owners
// they are all, and belong to none.
func (s *pictures) assign(folders []string, clients int, lists [][]data.Picture) (
	kept [][]data.Picture, of [][]int, err error) {
	if s.table == none {
		return lists, make([][]int, len(lists)), nil
	}
	table, err := located(folders, "images", s.table)
	if err != nil {
		return nil, nil, err
	}
	owner, err := readOwners(table)
	if err != nil {
		return nil, nil, err
	}
	parts := make([]*listing, 2)
	for k, list := range lists {
		parts[k] = new(listing)
		if parts[k].owners, err = ownersOf(table, owner, list); err != nil {
			return nil, nil, err
		}
	}
	if err := s.owners.choose(parts[0], parts[1], clients); err != nil {
		return nil, nil, err
	}
	for k, list := range lists {
		var own []data.Picture
		var numbers []int
		for _, r := range parts[k].rows {
			own, numbers = append(own, list[r]), append(numbers, parts[k].clients[r])
		}
		kept, of = append(kept, own), append(of, numbers)
	}
	return kept, of, nil
}

// owned gives rows their clients.
func owned(d *fl.Dataset, clients []int) *fl.Dataset {
	if d != nil {
		d.Owner = clients
	}
	return d
}
