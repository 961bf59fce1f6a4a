// List — the enrolled clients, as the experiment lists them.

package enrollment

import (
	"errors"
	"fmt"

	"github.com/hansa-fl/hansa/framework/fl"
)

// List describes the enrolment to the registry.
var List = fl.EnrollmentEntry{
	Name:    "list",
	Summary: "the clients that are listed, or all but these",
	New:     newList,
	Example: map[string]any{"clients": []any{int64(0), int64(2), int64(3), int64(5)}},
}

type list struct {
	ids  []int
	said bool // what a client that is listed is: enrolled, or not
}

var _ fl.Enrollment = (*list)(nil)

func newList(p *fl.Params) (fl.Enrollment, error) {
	in := p.Ints("clients", nil, fl.AtLeast(0), "enrolled clients, by numbers from 0")
	out := p.Ints("except", nil, fl.AtLeast(0), "clients that are not, where clients is not given")
	n := p.Setting().Clients
	switch listed, excepted := p.Given("clients"), p.Given("except"); {
	case n == 0:
		return &list{}, nil
	case listed && excepted:
		p.Clash("except", "clients", "clients is given too; leave one of them out")
		return &list{}, nil
	case !listed && !excepted:
		return nil, errors.New("want clients, the list of enrolled clients, or except")
	}
	check(p, "clients", in, n)
	check(p, "except", out, n)
	if in != nil {
		if len(in) == 0 {
			p.Fail("clients", "no client is enrolled")
		}
		return &list{ids: in, said: true}, nil
	}
	if len(out) == n {
		p.Fail("except", "no client is enrolled")
	}
	return &list{ids: out}, nil
}

// check refuses clients that are not there, and those that are listed twice.
func check(p *fl.Params, name string, ids []int, n int) {
	first := map[int]int{}
	for k, i := range ids {
		element := fmt.Sprintf("%s[%d]", name, k)
		if i >= n {
			p.Fail(element, "there is no client %d, there are %s", i, count(n))
		} else if before, twice := first[i]; twice {
			p.Fail(element, "client %d is listed twice, first as %s[%d]", i, name, before)
		} else {
			first[i] = k
		}
	}
}

// Enroll implements fl.Enrollment.
func (l *list) Enroll(e *fl.EnrollmentInput) []bool {
	in := make([]bool, e.Roster.N)
	for i := range in {
		in[i] = !l.said
	}
	for _, i := range l.ids {
		in[i] = l.said
	}
	for i, enrolled := range in {
		if e.Probability[i] = 0; enrolled {
			e.Probability[i] = 1
		}
	}
	return in
}
