package dataset

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// benchmark is a file of LEAF.
type benchmark struct {
	Users   []string            `json:"users"`
	Samples []int               `json:"num_samples"`
	Data    map[string]leafUser `json:"user_data"`
}

type leafUser struct {
	X []any `json:"x"`
	Y []any `json:"y"`
}

// leafFile writes users, each of so many rows.
func leafFile(t *testing.T, rows map[string]int, row func(user string, k int) (x, y any)) []byte {
	t.Helper()
	var b benchmark
	b.Data = map[string]leafUser{}
	for user, n := range rows {
		b.Users, b.Samples = append(b.Users, user), append(b.Samples, n)
		var of leafUser
		for k := range n {
			x, y := row(user, k)
			of.X, of.Y = append(of.X, x), append(of.Y, y)
		}
		b.Data[user] = of
	}
	content, err := json.Marshal(b)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// character is a row of FEMNIST: pixels from k on, of class k mod 62.
func character(_ string, k int) (x, y any) {
	pixels := make([]float64, 784)
	for i := range pixels {
		pixels[i] = float64((k+i)%256) / 255
	}
	return pixels, k % 62
}

// Characters have the pixels, classes and users that were written, over files, and are bytes.
//
//hansa:verifies theorem dataset/leaf
func TestLEAFCharacters(t *testing.T) {
	folder := t.TempDir()
	put(t, leafFile(t, map[string]int{"f0002": 3, "f0001": 2}, character), folder, "train", "all_data_0.json")
	put(t, leafFile(t, map[string]int{"f0003": 4}, character), folder, "train", "all_data_1.json")
	put(t, leafFile(t, map[string]int{"f0001": 1, "f0002": 1, "f0003": 2}, character), folder, "test", "all_data_0.json")
	given := map[string]any{"train_files": "train/*.json", "test_files": "test/*.json"}
	train, test := loadPacked(t, LEAF, given, 3, folder)
	if train.Len() != 9 || len(train.Packed.Bytes) != 9*784 || test.Len() != 4 {
		t.Fatalf("%d and %d rows, %d bytes", train.Len(), test.Len(), len(train.Packed.Bytes))
	}
	next := map[int]int{}
	room := make([]float64, 784)
	for r, i := range train.Owner {
		k := next[i]
		if next[i]++; train.Y[r] != k || train.Row(r, room)[3] != float64(k+3)/255 {
			t.Errorf("row %d, client %d: class %d, pixel %v", r, i, train.Y[r], room[3])
		}
	}
	if next[0] != 2 || next[1] != 3 || next[2] != 4 {
		t.Errorf("rows of clients: %v", next)
	}
	largest, _ := loadPacked(t, LEAF, with(given, map[string]any{"owners": "largest"}), 2, folder)
	held, out := loadPacked(t, LEAF, map[string]any{"train_files": "train/*.json", "held_out": 0.5}, 3, folder)
	if largest.Len() != 7 || held.Len()+out.Len() != 9 || slices.Max(out.Owner) != 2 || slices.Min(out.Owner) != 0 {
		t.Errorf("%d rows of the largest; %d and %d", largest.Len(), held.Len(), out.Len())
	}
	grey := with(given, map[string]any{"owners": "largest"})
	pinning(t, LEAF, grey, folder)
}

// Plays are tokens in the order of LEAF's alphabet, and the label is the next character.
func TestLEAFPlays(t *testing.T) {
	folder := t.TempDir()
	line := func(user string, k int) (x, y any) {
		return strings.Repeat("}", k) + strings.Repeat("\n", 79-k) + "a", user
	}
	put(t, leafFile(t, map[string]int{"A": 2, "B": 1}, line), folder, "x.json")
	train, _ := loadPacked(t, LEAF, map[string]any{"train_files": "x.json", "task": "shakespeare"}, 2, folder)
	if len(leafLetters) != 80 || train.Shape.Tokens != 80 || len(train.Packed.Ints) != 240 {
		t.Fatalf("%+v", train.Shape)
	}
	for r, i := range train.Owner {
		if train.Packed.Ints[80*r+79] != 53 || train.Packed.Ints[80*r+78] != 0 || train.Y[r] != 25+i {
			t.Errorf("row %d: %v, label %d", r, train.Packed.Ints[80*r:80*r+80], train.Y[r])
		}
	}
}

// Messages are the first words, the most frequent ones with tokens of their own.
func TestLEAFMessages(t *testing.T) {
	folder := t.TempDir()
	say := []string{"good, good day!", "bad day", strings.Repeat("good ", 30)}
	message := func(_ string, k int) (x, y any) {
		return []string{"1", "Mon", "NO_QUERY", "me", say[k]}, k % 2
	}
	put(t, leafFile(t, map[string]int{"me": 3}, message), folder, "x.json")
	train, _ := loadPacked(t, LEAF, map[string]any{"train_files": "x.json", "task": "sent140",
		"vocabulary": int64(2)}, 1, folder)
	want := []int32{0, 2, 0, 1, 2, 2} // good , good day !, and nothing more
	if !slices.Equal(train.Packed.Ints[:6], want) || train.Shape.Tokens != 3 || train.Packed.Ints[26] != 1 ||
		!slices.Equal(train.Packed.Ints[50:], make([]int32, 25)) || !slices.Equal(train.Y, []int{0, 1, 0}) {
		t.Errorf("%v", train.Packed.Ints)
	}
}

func TestLEAFRefusesRows(t *testing.T) {
	for want, c := range map[string]struct {
		more map[string]any
		row  func(user string, k int) (x, y any)
	}{
		`user "u", row 1: 783 numbers, want 784`: {nil, func(u string, k int) (x, y any) {
			x, y = character(u, k)
			return x.([]float64)[k:], y
		}},
		`pixel 0 is 0.5, no k/255: task = "numbers" takes it`: {nil, func(u string, k int) (x, y any) {
			x, y = character(u, k)
			x.([]float64)[0] = 0.5
			return x, y
		}},
		`user "u", row 0: the label is none of the 62 classes`: {nil, func(u string, k int) (x, y any) {
			x, _ = character(u, k)
			return x, 62
		}},
		`row 0: rows of task "shakespeare" are not of this sort`: {map[string]any{"task": "shakespeare"}, character},
		`"#" is none of the 80 characters`: {map[string]any{"task": "shakespeare"}, func(string, int) (x, y any) {
			return strings.Repeat("#", 80), "a"
		}},
		`1 owners have training rows, the experiment has 2 clients`: {nil, character},
	} {
		folder := t.TempDir()
		put(t, leafFile(t, map[string]int{"u": 2}, c.row), folder, "x.json")
		clients := 1
		if strings.Contains(want, "2 clients") {
			clients = 2
		}
		s := build(t, LEAF, with(map[string]any{"train_files": "x.json"}, c.more), clients)
		in := inputOf(clients, folder)
		if _, _, err := s.Load(in); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}
