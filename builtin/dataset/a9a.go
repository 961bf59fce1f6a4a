// A9A — 48,842 Americans of 1994 by 123 yes-or-no features: do they earn over $50,000 a year?
//
//	R. Kohavi. Scaling Up the Accuracy of Naive-Bayes Classifiers: A Decision-Tree Hybrid.
//	KDD 1996: the data. J. Platt. Fast Training of Support Vector Machines Using Sequential
//	Minimal Optimization. Advances in Kernel Methods, 1998: these features of them.
//
// Platt cut the numbers of the UCI set Adult into five ranges each and gave every range and
// every category a feature; what is not known has none. So a feature has a meaning, which the
// published files do not tell; it was found by comparing all 32,561 training rows, which are
// in the order of Adult's, and TestMeaningOfA9A compares them again.
//
// Covariates, of a person 0 or 1 and of a client the share of its people: education of 13 years or
// more, which is a bachelor's degree (feature 39), male (73), age up to 25 (1) and from 50 on (5),
// 48 hours of work a week or more (82), born in the United States (83). Clients are groups of
// people with similar values, as clients_by says.
//
// Departures: none.

package dataset

import (
	"github.com/hansa-fl/hansa/framework/data"
	"github.com/hansa-fl/hansa/framework/fl"
)

// A9A describes the data set to the registry.
var A9A = fl.SourceEntry{
	Name:    "a9a",
	Summary: "48,842 people by 123 binary features, in 2 classes of income",
	Paper:   "platt1998",
	New:     newA9A,
	Inspect: func(_ fl.Source, i *fl.Inspection) { examiner{i, "a9a"}.verified(a9aFiles()) },
	Waives:  map[string]string{"disjoint": "different people have equal answers"},
}

type a9a struct {
	kinship
	rows [2]int // to use for training and for tests, the first ones; 0 for all
}

const a9aTrain, a9aTest, a9aFeatures = 32_561, 16_281, 123

var _ fl.Source = (*a9a)(nil)

// An answer is a feature of a9a that is known before training.
type answer struct {
	name    string
	feature int // from 1
}

// a9aAnswers returns the covariates.
func a9aAnswers() []answer {
	return []answer{
		{"degree", 39}, {"male", 73}, {"age-to-25", 1}, {"age-from-50", 5},
		{"hours-from-48", 82}, {"united-states", 83},
	}
}

func a9aCovariates() (names []string) {
	for _, a := range a9aAnswers() {
		names = append(names, a.name)
	}
	return names
}

func newA9A(p *fl.Params) (fl.Source, error) {
	return &a9a{
		kinship: newKinship(p, a9aCovariates()),
		rows:    newRows(p, fl.Closed(0, a9aTrain), fl.Closed(0, a9aTest)),
	}, nil
}

// Shape is that of two classes, with natural clients.
func (*a9a) Shape() fl.Shape {
	return fl.Shape{
		Features: a9aFeatures, Classes: 2, Owned: true, Tested: true, Covariates: a9aCovariates(),
	}
}

// Load reads the files, once their checksums are right.
func (s *a9a) Load(l *fl.LoadInput) (train, test *fl.Dataset, err error) {
	paths, err := verified(a9aFiles(), l.Folders)
	if err != nil {
		return nil, nil, err
	}
	format := data.LIBSVM{Features: a9aFeatures, Classes: 2, First: -1, Step: 2}
	train, test, _, err = readLIBSVM(format, paths, s.rows, s.Shape())
	if err != nil {
		return nil, nil, err
	}
	for _, d := range []*fl.Dataset{train, test} {
		d.Covariates = fl.NewMatrix(d.Len(), len(d.Shape.Covariates))
		for r := range d.Len() {
			for j, a := range a9aAnswers() {
				d.Covariates.Row(r)[j] = d.X.Row(r)[a.feature-1]
			}
		}
	}
	return train, test, s.settle(l.Clients, train, test)
}
