package dataset

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/hansa-fl/hansa/framework/fl"
)

// An ownership says which of the owners that files name are the clients.
type ownership string

const everyOwner, largestOwners, firstOwners = "all", "largest", "first"

func newOwnership(p *fl.Params) ownership {
	return ownership(p.Choice("owners", everyOwner, "which owners of rows are the clients: all, "+
		"and there must be as many clients; or as many as there are clients, those with most "+
		"training rows or the first; rows of others are dropped. Clients are in the order of the "+
		"names of their owners", everyOwner, largestOwners, firstOwners))
}

// clients returns the client of every training and test row by the names of their owners, −1 where
// it is none. There must be one for each client.
func (o ownership) clients(train, test []string, n int) (of, ofTest []int, err error) {
	rows := map[string]int{}
	for _, name := range train {
		rows[name]++
	}
	names := ordered(slices.Collect(maps.Keys(rows)))
	switch there := len(names); {
	case there < n:
		return nil, nil, fmt.Errorf("%d owners have training rows, the experiment has %d clients",
			there, n)
	case o == everyOwner && there > n:
		return nil, nil, fmt.Errorf("%d owners have training rows, the experiment has %d clients: "+
			"owners = \"largest\" takes as many", there, n)
	case o == largestOwners:
		by := slices.Clone(names)
		slices.SortStableFunc(by, func(a, b string) int { return cmp.Compare(rows[b], rows[a]) })
		names = ordered(by[:n])
	}
	client := map[string]int{}
	for i, name := range names[:n] {
		client[name] = i
	}
	number := func(owners []string) []int {
		numbers := make([]int, len(owners))
		for r, name := range owners {
			i, is := client[name]
			if !is {
				i = -1
			}
			numbers[r] = i
		}
		return numbers
	}
	of, ofTest = number(train), number(test)
	if r := slices.Index(ofTest, -1); r >= 0 && o == everyOwner {
		return nil, nil, fmt.Errorf("%q, the owner of a test row, has no training rows: owners = "+
			"\"largest\" drops such rows", test[r])
	}
	return of, ofTest, nil
}

// ordered sorts names: as numbers where all are whole numbers, else as texts.
func ordered(names []string) []string {
	value := make(map[string]int, len(names))
	for _, name := range names {
		k, err := strconv.Atoi(name)
		if err != nil {
			slices.Sort(names)
			return names
		}
		value[name] = k
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(value[a], value[b]), cmp.Compare(a, b))
	})
	return names
}

// A listing is what is known of the rows of a part before they are decoded. What is nil, rows have
// not.
type listing struct {
	labels  []int
	domains []int
	owners  []string
	clients []int // of owners
	rows    []int // those that are used; nil: all
}

// used returns how many rows are used.
func (s *listing) used() int {
	if s.rows == nil {
		return len(s.labels)
	}
	return len(s.rows)
}

// places returns where each row goes, −1 where it is not used.
func (s *listing) places() []int {
	places := make([]int, len(s.labels))
	if s.rows == nil {
		for r := range places {
			places[r] = r
		}
		return places
	}
	for r := range places {
		places[r] = -1
	}
	for k, r := range s.rows {
		places[r] = k
	}
	return places
}

// choose numbers the clients of rows, and leaves those of other owners out. There may be no list
// of test rows.
func (o ownership) choose(train, test *listing, n int) error {
	if train.owners == nil {
		return nil
	}
	var tested []string
	if test != nil {
		tested = test.owners
	}
	of, ofTest, err := o.clients(train.owners, tested, n)
	if err != nil {
		return err
	}
	train.keep(of)
	if test != nil {
		test.keep(ofTest)
		if len(test.rows) == 0 {
			return fmt.Errorf("no test row belongs to a client")
		}
	}
	return nil
}

// keep keeps the rows of clients.
func (s *listing) keep(clients []int) {
	s.clients, s.rows = clients, []int{}
	for r, i := range clients {
		if i >= 0 {
			s.rows = append(s.rows, r)
		}
	}
}

// describe gives the rows of d, which are those used, their labels, domains and clients.
func (s *listing) describe(d *fl.Dataset) {
	pick := func(all []int) []int {
		if all == nil || s.rows == nil {
			return all
		}
		own := make([]int, len(s.rows))
		for k, r := range s.rows {
			own[k] = all[r]
		}
		return own
	}
	d.Y, d.Domain, d.Owner = pick(s.labels), pick(s.domains), pick(s.clients)
}
