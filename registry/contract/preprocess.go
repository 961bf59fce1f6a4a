package contract

import (
	"fmt"
	"maps"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/registry"
)

func preprocessors() exam[fl.Preprocessor] {
	type s = *subject[fl.Preprocessor]
	return exam[fl.Preprocessor]{
		of:   registry.Preprocessors(),
		data: true,
		checks: []check[s]{
			{"shape", "Shape changes features and image at most, and says what Transform makes: " +
				"as many rows as there were, finite, whatever a client's samples", "", movesRows},
			{readOnly, "data, rows, uploads and reference are not modified", "shape", readsRows},
			{"repeatable", "two fresh instances make the same bits of the same data",
				readOnly, repeatsMove},
			{"forgets", "what is uploaded and moved depends on what a call is told alone: not " +
				"on other clients, on test rows or on what the instance did before",
				"repeatable", forgetsRows},
			{"at-once", "calls for several clients at once give the bits that each gives alone",
				"forgets", movesAtOnce},
			{"label-blind", "other labels change no bit, unless the Entry is Labelled",
				"repeatable", blindToLabels},
			{"size", "the size of a summary does not depend on the number of samples, though " +
				"that of one sample may be smaller", "shape", sizesOfSummaries},
			{"row-wise", "what becomes of a row does not depend on the rows beside it",
				"repeatable", movesEachRow},
			{"equal", "clients are treated alike: in another order they make the same of their " +
				"rows, unless something is drawn", "repeatable", treatsAlike},
			{"ownerless", "rows of no client are moved, or an error says why not",
				"shape", movesNobodys},
			{"blend", "only rows that keep their shape are blended, and by shares in [0, 1]",
				"shape", blendsShares},
			{"identity", "where all clients have the same rows, these stay nearly where they " +
				"are", readOnly, leavesTheSame},
		},
	}
}

// harsh is a population in which a client has one sample, and a feature is the same everywhere.
func harsh(t *fixture) *fl.Population {
	pop := t.copy().population
	for _, d := range []*fl.Dataset{pop.Train, pop.Test} {
		for r := range d.Len() {
			d.X.Row(r)[1] = 0.5
		}
	}
	rows := append([]int{0}, upTo(pop.Train.Len())[pop.Start[1]:]...)
	pop.Train = pop.Train.Pick(rows)
	gone := pop.Start[1] - 1
	for i := 1; i <= clients; i++ {
		pop.Start[i] -= gone
	}
	pop.Moments = nil
	return pop
}

func movesRows(s *subject[fl.Preprocessor]) string {
	before := s.toy.population.Train.Shape
	for _, c := range []struct {
		where string
		pop   *fl.Population
	}{{"", s.toy.copy().population}, {"a client with 1 sample and a dead feature", harsh(s.toy)}} {
		where := func(what string) string {
			if c.where == "" {
				return what
			}
			return at(c.where, what)
		}
		k, err := runPreprocess(s, c.pop)
		if err != nil {
			return where("error: " + err.Error())
		}
		same := k.shape
		same.Features, same.Image = before.Features, before.Image
		if !same.Equal(before) {
			return fmt.Sprintf("the shape %+v becomes %+v", before, k.shape)
		}
		if n := k.shape.Image.Len(); n > 0 && n != k.shape.Features {
			return fmt.Sprintf("images of %d pixels in rows of %d", n, k.shape.Features)
		}
		for i := range clients {
			if found := k.wrong(k.train[i], c.pop.Start[i+1]-c.pop.Start[i]); found != "" {
				return where(fmt.Sprintf("client %d: %s", i, found))
			}
			tests := c.pop.TestStart[i+1] - c.pop.TestStart[i]
			if found := k.wrong(k.test[i], tests); found != "" {
				return where(fmt.Sprintf("client %d, test rows: %s", i, found))
			}
		}
	}
	return ""
}

func readsRows(s *subject[fl.Preprocessor]) string {
	k := newPreprocessRun(s, s.toy.copy().population, s.build())
	data, _, _ := k.look()
	if err := k.summarizeAll(); err != nil {
		return "error: " + err.Error()
	}
	if now, _, _ := k.look(); now != data {
		return "Summarize changed the data"
	}
	_, uploads, _ := k.look()
	if err := k.combine(); err != nil {
		return "error: " + err.Error()
	}
	if _, now, _ := k.look(); now != uploads {
		return "Combine changed the uploads"
	}
	_, _, reference := k.look()
	if err := k.moveAll(); err != nil {
		return "error: " + err.Error()
	}
	switch now, _, ref := k.look(); {
	case now != data:
		return "Transform changed the data"
	case ref != reference:
		return "Transform changed the reference"
	}
	return ""
}

func repeatsMove(s *subject[fl.Preprocessor]) string {
	first, _ := runPreprocess(s, s.toy.copy().population)
	second, err := runPreprocess(s, s.toy.copy().population)
	if err != nil {
		return "error: " + err.Error()
	}
	return second.unlike(first, upTo(clients), 0)
}

func forgetsRows(s *subject[fl.Preprocessor]) string {
	fresh, _ := runPreprocess(s, s.toy.copy().population)
	used := newPreprocessRun(s, harsh(s.toy), s.build())
	again := newPreprocessRun(s, s.toy.copy().population, used.by)
	for _, k := range []*preprocessRun{used, again} {
		if err := k.arrive(); err != nil {
			return "error: " + err.Error()
		}
	}
	if found := again.unlike(fresh, upTo(clients), 0); found != "" {
		return at("after other data", found)
	}
	// Backwards, and test rows before training rows.
	for i := clients - 1; i >= 0; i-- {
		y, _, err := again.move(i, moveTest, again.pop.ClientTest(i).X)
		if found := apart(y.Data, fresh.test[i].Data, 0); err != nil || found != "" {
			return fmt.Sprintf("client %d, test rows first: %s (error %v)", i, found, err)
		}
		x, _, err := again.move(i, moveTrain, again.pop.Client(i).Data.X)
		if found := apart(x.Data, fresh.train[i].Data, 0); err != nil || found != "" {
			return fmt.Sprintf("client %d, after others: %s (error %v)", i, found, err)
		}
	}
	return ""
}

func movesAtOnce(s *subject[fl.Preprocessor]) string {
	times := s.options.repeated(50) // so many that they meet in what they share
	fresh, _ := runPreprocess(s, s.toy.copy().population)
	loop := func(client int) func() string {
		k := *fresh
		k.dice = nil // its draws are its own
		return func() string {
			for range times {
				x, _, err := k.move(client, moveTrain, k.pop.Client(client).Data.X)
				u, failed := k.summarize(client)
				if err != nil || failed != nil {
					return fmt.Sprintf("client %d: error: %v, %v", client, err, failed)
				}
				if apart(x.Data, fresh.train[client].Data, 0) != "" ||
					sumOf(u.Payload) != sumOf(fresh.uploads[client].Payload) {
					return fmt.Sprintf("client %d, beside another, is another", client)
				}
			}
			return ""
		}
	}
	return together(loop(0), loop(clients-1))
}

func blindToLabels(s *subject[fl.Preprocessor]) string {
	if fl.TraitsOf[fl.PreprocessTraits](s.entry).Labelled {
		return ""
	}
	fresh, _ := runPreprocess(s, s.toy.copy().population)
	pop := s.toy.copy().population
	d := pop.Train
	for r := range d.Len() {
		if d.Y != nil {
			d.Y[r] = (d.Y[r] + 1) % d.Shape.Classes
		} else {
			d.Target[r] += 10
		}
	}
	told := newPreprocessRun(s, pop, s.build())
	told.shown = true
	if err := told.arrive(); err != nil {
		return "error, with labels: " + err.Error()
	}
	return told.unlike(fresh, upTo(clients), 0)
}

func sizesOfSummaries(s *subject[fl.Preprocessor]) string {
	fresh, _ := runPreprocess(s, s.toy.copy().population)
	size := func(u fl.Update) string {
		text := ""
		for _, name := range slices.Sorted(maps.Keys(u.Payload)) {
			text += fmt.Sprintf("%s %d×%d ", name, u.Payload[name].Rows, u.Payload[name].Cols)
		}
		return text
	}
	first := fresh.uploads[0]
	for _, u := range fresh.uploads[1:] {
		if size(u) != size(first) {
			return fmt.Sprintf("%d samples: %s, %d samples: %s", first.Samples, size(first),
				u.Samples, size(u))
		}
	}
	single := newPreprocessRun(s, harsh(s.toy), s.build())
	u, err := single.summarize(0)
	if err != nil {
		return "error, of one sample: " + err.Error()
	}
	if n := u.Payload.Floats(); n > first.Payload.Floats() {
		return fmt.Sprintf("1 sample: %d floats, %d samples: %d", n, first.Samples,
			first.Payload.Floats())
	}
	return ""
}

func movesEachRow(s *subject[fl.Preprocessor]) string {
	fresh, _ := runPreprocess(s, s.toy.copy().population)
	for i := range clients {
		rows := fresh.pop.Client(i).Data.X
		for r := range rows.Rows {
			x, _, err := fresh.move(i, moveTrain, rows.Slice(r, r+1))
			if err != nil {
				return fmt.Sprintf("client %d, row %d alone: error: %v", i, r, err)
			}
			if found := apart(x.Data, fresh.train[i].Row(r), 1e-12); found != "" {
				return at(fmt.Sprintf("client %d, row %d alone", i, r), found)
			}
		}
	}
	return ""
}

func treatsAlike(s *subject[fl.Preprocessor]) string {
	fresh, _ := runPreprocess(s, s.toy.copy().population)
	order := []int{3, 0, 5, 1, 4, 2}
	other, err := runPreprocess(s, s.toy.permuted(order).population)
	if err != nil {
		return "error: " + err.Error()
	}
	if fresh.drawn() {
		return ""
	}
	return other.unlike(fresh, order, 1e-6)
}

func movesNobodys(s *subject[fl.Preprocessor]) string {
	k, _ := runPreprocess(s, s.toy.copy().population)
	rows := k.pop.Test.X
	x, _, err := k.move(-1, moveTest, rows)
	switch {
	case err == nil:
		return k.wrong(x, rows.Rows)
	case err.Error() == "":
		return "an error without words"
	}
	return ""
}

func blendsShares(s *subject[fl.Preprocessor]) string {
	k, _ := runPreprocess(s, s.toy.copy().population)
	for i, m := range k.moving {
		if m.Blend == nil {
			continue
		}
		if k.shape.Features != k.pop.Train.Shape.Features {
			return fmt.Sprintf("client %d: rows of %d features on their way to %d", i,
				k.pop.Train.Shape.Features, k.shape.Features)
		}
		for epochs := 1; epochs <= 10; epochs++ {
			for epoch := range epochs {
				if share := m.Blend(epoch, epochs); !(share >= 0 && share <= 1) {
					return fmt.Sprintf("client %d: a share %v in epoch %d of %d",
						i, share, epoch, epochs)
				}
			}
		}
	}
	return ""
}

func leavesTheSame(s *subject[fl.Preprocessor]) string {
	pop := s.toy.copy().population
	var rows []int
	for range clients {
		rows = append(rows, upTo(pop.Train.Len())...)
	}
	n := pop.Train.Len()
	pop.Train, pop.Moments = pop.Train.Pick(rows), nil
	for i := range pop.Start {
		pop.Start[i] = i * n
	}
	k, err := runPreprocess(s, pop)
	if err != nil {
		return "error: " + err.Error()
	}
	for i := range clients {
		if found := apart(k.train[i].Data, pop.Client(i).Data.X.Data, 1e-3); found != "" {
			return at(fmt.Sprintf("client %d", i), found)
		}
	}
	return ""
}
