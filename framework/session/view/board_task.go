package view

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/hansa-fl/hansa"
	"github.com/hansa-fl/hansa/framework/host"
	"github.com/hansa-fl/hansa/framework/session/fault"
	"github.com/hansa-fl/hansa/framework/session/phrase"
	"github.com/hansa-fl/hansa/framework/study"
)

// A boardTask is the experiment of a leaderboard: a task, such as glyphs, in a size, such as smoke.
type boardTask struct {
	task, size string
	file       string // its name
	only       string // the filter of the size in a file with several; "" for one size
	text       []byte
}

// boardTasks lists the tasks that come with the program. A file is called by its only size, or
// board- and its task, which then has sizes along an axis.
func boardTasks() (list []boardTask, err error) {
	texts, err := hansa.Boards()
	if err != nil {
		return nil, err
	}
	for name, text := range texts {
		var of struct {
			Setting struct{ Dataset any }
			Sweep   struct{ Size []struct{ Label string } }
		}
		if err := toml.Unmarshal(text, &of); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		size := strings.TrimSuffix(name, ".toml")
		task, named := strings.CutPrefix(size, "board-")
		for _, point := range of.Sweep.Size {
			list = append(list, boardTask{task, point.Label, name, "size=" + point.Label, text})
		}
		if data, ok := of.Setting.Dataset.(map[string]any); ok && !named {
			list = append(list, boardTask{fmt.Sprint(data["name"]), size, name, "", text})
		}
	}
	slices.SortFunc(list, func(a, b boardTask) int {
		return cmp.Or(cmp.Compare(a.task, b.task), -cmp.Compare(a.size, b.size))
	})
	return list, nil
}

// BoardTasks returns the tasks of leaderboards, and the sizes that there are, small ones first.
func BoardTasks() (tasks, sizes []string) {
	list, _ := boardTasks() // what was built cannot but be read
	for _, b := range list {
		tasks, sizes = append(tasks, b.task), append(sizes, b.size)
	}
	slices.Sort(sizes)
	slices.Reverse(sizes)
	return slices.Compact(tasks), slices.Compact(sizes)
}

// BoardFile returns the experiment file of a task in a size, and the filters of that size: the file
// of a checkout in which the command runs, else one in the current folder, which is written where
// there is none. Where no size is named it is the smallest one of the task.
func BoardFile(
	task, size string, say func(format string, args ...any),
) (file string, only []string, err error) {
	list, err := boardTasks()
	if err != nil {
		return "", nil, err
	}
	var sizes []string
	var found *boardTask
	for i := range list {
		if b := &list[i]; b.task == task {
			sizes = append(sizes, b.size)
			if found == nil && (size == "" || size == b.size) {
				found = b
			}
		}
	}
	tasks, _ := BoardTasks()
	switch {
	case task == "":
		return "", nil, fmt.Errorf("--task says among which runs a method is to stand: %s",
			strings.Join(tasks, ", "))
	case sizes == nil:
		hint := study.Suggest(task, tasks)
		if !strings.HasPrefix(hint, "known: ") {
			hint += " known: " + strings.Join(tasks, ", ")
		}
		return "", nil, fmt.Errorf("--task %s: there is no such task; %s", task, hint)
	case found == nil:
		return "", nil, fmt.Errorf("--size %s: %s has no such size; %s", size, task,
			study.Suggest(size, sizes))
	}
	if found.only != "" {
		only = []string{found.only}
	}
	shipped := filepath.Join("experiments", "leaderboard", found.file)
	if info, err := os.Stat(shipped); err == nil && info.Mode().IsRegular() {
		return shipped, only, nil
	}
	return found.file, only, found.put(say)
}

// put has the experiment lie in the current folder.
func (b *boardTask) put(say func(format string, args ...any)) error {
	there, err := os.ReadFile(b.file)
	switch {
	case err == nil && bytes.Equal(there, b.text):
		return nil
	case err == nil:
		return fmt.Errorf("%s is here and is not the experiment of the task: move it, or run it "+
			"by `%s`", b.file, phrase.Hint("run", b.file, "--with", "mine.go"))
	case !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s cannot be read: %w", b.file, fault.Cause(err))
	}
	err = host.Replace(b.file, func(w io.Writer) error {
		_, err := w.Write(b.text)
		return err
	})
	if err != nil {
		return fault.Unstorable(".", err)
	}
	say("wrote %s, the experiment of the task", b.file)
	return nil
}

// JoinFilters returns the filters of the training runs that are made where methods join a
// leaderboard: those that were asked for, with the methods among them; of these alone where the
// others are in another run.
func JoinFilters(only, own []string, elsewhere bool) []string {
	of := func(f string) bool { return strings.HasPrefix(f, "method=") }
	filters := slices.Clone(only)
	if elsewhere {
		filters = slices.DeleteFunc(filters, of)
	}
	if elsewhere || slices.ContainsFunc(filters, of) {
		for _, label := range own {
			filters = append(filters, "method="+label)
		}
	}
	return filters
}
