package settings

import (
	"fmt"
	"strconv"

	"github.com/hansa-fl/hansa/framework/store"
	"github.com/hansa-fl/hansa/framework/study"
)

// searchOf returns what says how parameters are chosen; nothing where they are those of the file.
func searchOf(t *store.Tuning) []Value {
	if t == nil {
		return nil
	}
	list := []Value{
		{Path: "tune.budget", Text: strconv.Itoa(t.Budget)},
		{Path: "tune.by", Text: Literal(t.By)},
		{Path: "tune.seeds", Text: SeedList(t.Seeds)},
		{Path: "tune.search", Text: Literal(t.Search)},
		{Path: "tune.validation", Text: fmt.Sprint(t.Share)},
	}
	for i := range t.Space {
		r := &t.Space[i]
		path := r.Path
		if r.Method != "" {
			path = r.Method + ": " + path
		}
		text := fmt.Sprintf("{ %s = [%v, %v] }", r.Scale, r.Low, r.High)
		if r.Scale == study.ListScale {
			text = Literal([]any(r.Values))
		}
		list = append(list, Value{Path: "tune.space." + path, Text: text})
	}
	if len(t.Added) > 0 {
		list = append(list, Value{Path: "tune, settings added", Text: strconv.Itoa(len(t.Added))})
	}
	return list
}
