package engine

import (
	"fmt"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
)

// leftOut returns how many of so many training rows no client gets, or what is wrong with what
// clients get.
func leftOut(rows [][]int, total int, s *Setup) (int, error) {
	if len(rows) != s.Clients {
		return 0, fmt.Errorf("%d parts for %d clients", len(rows), s.Clients)
	}
	dealt := 0
	for i, part := range rows {
		if len(part) == 0 {
			return 0, fmt.Errorf("client %d gets no rows", i)
		}
		dealt += len(part)
	}
	if dealt > total || dealt < total && !s.Drops {
		return 0, fmt.Errorf("%d of %d rows are assigned", dealt, total)
	}
	return total - dealt, nil
}

// arrange returns the rows of d that clients have, in the order of clients, and where each
// client's begin. Data that are in this order already are not copied.
func arrange(d *fl.Dataset, rows [][]int) (*fl.Dataset, []int) {
	start := make([]int, len(rows)+1)
	inOrder, next := true, 0
	for i, part := range rows {
		for _, r := range part {
			inOrder = inOrder && r == next
			next++
		}
		start[i+1] = next
	}
	if inOrder && next == d.Len() {
		return d, start
	}
	return d.Pick(slices.Concat(rows...)), start
}

// assigned returns the test rows of every client, given its training rows. Where all training
// rows stay with their natural clients, so do test rows. Otherwise, where every client has
// training rows of one domain only, the test rows of a domain go to its clients in turn.
// Otherwise they belong to no client, and it returns nil.
func assigned(train, test *fl.Dataset, rows [][]int) [][]int {
	switch {
	case test == nil:
		return nil
	case test.Owner != nil && leaves(train, rows):
		return byOwner(test, len(rows))
	case test.Domain != nil && train.Domain != nil:
		return byDomain(train, test, rows)
	}
	return nil
}

// leaves reports whether every row stays with its natural client.
func leaves(d *fl.Dataset, rows [][]int) bool {
	for i, part := range rows {
		for _, r := range part {
			if d.Owner == nil || d.Owner[r] != i {
				return false
			}
		}
	}
	return true
}

func byOwner(d *fl.Dataset, clients int) [][]int {
	rows := make([][]int, clients)
	for r, i := range d.Owner {
		rows[i] = append(rows[i], r)
	}
	return rows
}

// byDomain assigns test rows to the clients of their domain, or returns nil where a client has
// rows of several domains or a test row is of a domain without clients.
func byDomain(train, test *fl.Dataset, rows [][]int) [][]int {
	peers := make([][]int, len(train.Shape.Domains)) // clients of each domain
	for i, part := range rows {
		domain := train.Domain[part[0]]
		for _, r := range part {
			if train.Domain[r] != domain {
				return nil
			}
		}
		peers[domain] = append(peers[domain], i)
	}
	own, dealt := make([][]int, len(rows)), make([]int, len(peers))
	for r, domain := range test.Domain {
		clients := peers[domain]
		if len(clients) == 0 {
			return nil
		}
		i := clients[dealt[domain]%len(clients)]
		own[i] = append(own[i], r)
		dealt[domain]++
	}
	return own
}
