// Adult — 32,561 Americans of 1994: do they earn over $50,000 a year?
//
//	R. Kohavi. Scaling Up the Accuracy of Naive-Bayes Classifiers: A Decision-Tree Hybrid.
//	KDD 1996.
//
// Features are age, years of education, hours of work a week, capital gain and capital loss,
// the latter two by log(1 + x), each moved and scaled to mean 0 and standard deviation 1 over
// the training rows; and one feature that is 0 or 1 for every value of the other columns, of
// which one that is missing has none. The sampling weight of the census is left out. A fifth of
// the rows, drawn from the stream of the data, is test rows: 6,512 of 32,561.
//
// Covariates are years of education, age and hours of work, in standard deviations over the people
// of the training rows, from their mean; and, 0 or 1 for a person and so a share for a client,
// male, and born in Latin America or the Caribbean, in Asia, or in Europe or Canada: most others
// were in the United States. Clients are groups of people with similar values, as clients_by says,
// so that enrolled clients differ from others in work, schooling and income.
//
// Departures: only the training part of the set is read, in a table with a header.

package dataset

import (
	"github.com/hansa-fl/hansa/framework/fl"
)

// Adult describes the data set to the registry.
var Adult = fl.SourceEntry{
	Name:       "adult",
	Summary:    "32,561 people by work, schooling and origin, in 2 classes of income",
	Paper:      "kohavi1996",
	Deviations: "only the training part of the set is read; a fifth of it is test rows",
	New:        newAdult,
	Inspect:    func(_ fl.Source, i *fl.Inspection) { examiner{i, "adult"}.verified(adultFiles()) },
	Waives:     map[string]string{"disjoint": "different people have equal answers"},
}

type adult struct {
	kinship
	frame
}

const (
	adultFeatures = 104 // five numbers, and 99 values of eight categories
	adultHeld     = 0.2
)

var _ fl.Source = (*adult)(nil)

func newAdult(p *fl.Params) (fl.Source, error) {
	s := &adult{frame: frame{
		numbers: []string{
			"age", "education-num", "hours-per-week", "capital-gain", "capital-loss",
		},
		logs: []string{"capital-gain", "capital-loss"},
		categories: []string{
			"workclass", "education", "marital-status", "occupation", "relationship", "race",
			"sex", "native-country",
		},
		label: "income", classes: 2,
		covariates: []string{
			"education-num", "age", "sex=Male", "hours-per-week",
			"native-country=" + latinAmerica, "native-country=" + asia, "native-country=" + europe,
		},
		called: []string{
			"education", "age", "male", "hours", "latin-america", "asia", "europe",
		},
	}}
	s.kinship = newKinship(p, s.called)
	return s, nil
}

// Where people were born, as the table spells it. Its South and Hong are South Korea and Hong
// Kong; Guam and the Virgin Islands are of the United States.
const (
	latinAmerica = "Columbia|Cuba|Dominican-Republic|Ecuador|El-Salvador|Guatemala|Haiti|" +
		"Honduras|Jamaica|Mexico|Nicaragua|Peru|Puerto-Rico|Trinadad&Tobago"
	asia = "Cambodia|China|Hong|India|Iran|Japan|Laos|Philippines|South|Taiwan|Thailand|Vietnam"

	europe = "Canada|England|France|Germany|Greece|Holand-Netherlands|Hungary|Ireland|Italy|" +
		"Poland|Portugal|Scotland|Yugoslavia"
)

// Shape is that of two classes, with natural clients.
func (s *adult) Shape() fl.Shape {
	return fl.Shape{
		Features: adultFeatures, Classes: 2, Owned: true, Tested: true, Covariates: s.called,
	}
}

// Load reads the table, once its checksum is right.
func (s *adult) Load(l *fl.LoadInput) (train, test *fl.Dataset, err error) {
	paths, err := verified(adultFiles(), l.Folders)
	if err != nil {
		return nil, nil, err
	}
	if train, test, err = s.load(paths, adultHeld, s.Shape(), l); err != nil {
		return nil, nil, err
	}
	return train, test, s.settle(l.Clients, train, test)
}
