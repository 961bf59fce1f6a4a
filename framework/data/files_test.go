package data

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" // of "abc"

// TestFind looks through two folders: the sub-folder goes before the folder itself, an
// earlier folder before a later one, and a folder is no file.
func TestFind(t *testing.T) {
	root := t.TempDir()
	for _, path := range strings.Fields("one/set/a one/a one/b two/set/b two/set/c two/d") {
		write(t, filepath.Join(root, path), path)
	}
	if err := os.MkdirAll(filepath.Join(root, "one/set/c"), 0o755); err != nil {
		t.Fatal(err)
	}
	below := func(names ...string) []string {
		for i, name := range names {
			names[i] = filepath.Join(root, name)
		}
		return names
	}
	files := []File{{Name: "a"}, {Name: "b"}, {Name: "c"}, {Name: "d"}}
	got, err := Find(below("absent", "one", "two"), "set", files)
	want := below("one/set/a", "one/b", "two/set/c", "two/d")
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("found %v, %v; want %v", got, err, want)
	}
}

func TestFindNamesWhatIsMissing(t *testing.T) {
	root := filepath.Join(t.TempDir(), "it's here")
	write(t, filepath.Join(root, "a"), "")
	files := []File{
		{Name: "a"}, {Name: "b", URL: "https://b.org"}, {Name: "c", URL: "https://c.org"},
	}
	_, err := Find([]string{root, "other"}, "set", files)
	var missing *MissingError
	if !errors.As(err, &missing) || !slices.Equal(missing.Files, files[1:]) {
		t.Fatalf("error %v, want one that lists b and c", err)
	}
	for _, want := range []string{
		"set: not found: b c\n",
		"searched: " + root + "/set, " + root + ", other/set, other\n",
		`curl -fL --create-dirs -o '` + filepath.Dir(root) + `/it'\''s here/set/b' 'https://b.org'`,
		`/set/c' 'https://c.org'`,
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("message lacks %q:\n%v", want, err)
		}
	}
}

func TestFindWithoutFolders(t *testing.T) {
	_, err := Find(nil, "set", []File{{Name: "a", URL: "u"}})
	const want = "set: not found: a\n" +
		"searched nowhere: name a folder by HANSA_DATA or --data, such as data\n" +
		"get what is missing by\n" +
		"  curl -fL --create-dirs -o 'data/set/a' 'u'"
	if err == nil || err.Error() != want {
		t.Errorf("message\n%v\nwant\n%v", err, want)
	}
}

func TestVerify(t *testing.T) {
	path := file(t, "x", []byte("abc"))
	if err := Verify(path, abc); err != nil {
		t.Error(err)
	}
	write(t, path, "abd")
	if err := Verify(path, abc); err == nil || !strings.Contains(err.Error(), path+": damaged") ||
		!strings.Contains(err.Error(), "want "+abc) {
		t.Errorf("a changed file: error %v", err)
	}
	if err := Verify(path+"y", abc); !os.IsNotExist(err) {
		t.Errorf("absent file: error %v", err)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
