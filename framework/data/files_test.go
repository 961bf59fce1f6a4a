package data

import (
	"crypto/sha256"
	"encoding/hex"
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
	set := Set{Name: "set", Files: files}
	got, err := set.Find(below("absent", "one", "two"))
	want := below("one/set/a", "one/b", "two/set/c", "two/d")
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("found %v, %v; want %v", got, err, want)
	}
}

// TestFindPrefersTheRightSize: a file of another size counts only where there is no other.
func TestFindPrefersTheRightSize(t *testing.T) {
	root := t.TempDir()
	for path, text := range map[string]string{"one/a": "12", "one/b": "12", "two/alias/a": "123"} {
		write(t, filepath.Join(root, path), text)
	}
	set := Set{Name: "set", Aliases: []string{"alias"}, Files: []File{{Name: "a", Size: 3}, {Name: "b", Size: 3}}}
	got, err := set.Find([]string{filepath.Join(root, "one"), filepath.Join(root, "two")})
	want := []string{filepath.Join(root, "two/alias/a"), filepath.Join(root, "one/b")}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("found %v, %v; want %v", got, err, want)
	}
}

func TestFindNamesWhatIsMissing(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, "a"), "")
	files := []File{{Name: "a"}, {Name: "b", URL: "https://b.org"}, {Name: "c"}}
	set := Set{Name: "set", Aliases: []string{"alias"}, Files: files}
	_, err := set.Find([]string{root, "other"})
	var missing *MissingError
	if !errors.As(err, &missing) || !slices.Equal(missing.Files, files[1:]) {
		t.Fatalf("error %v, want one that lists b and c", err)
	}
	want := "set: not found: b c\n" +
		"searched: " + root + "/set, " + root + "/alias, " + root + ", other/set, other/alias, other\n" +
		"get what is missing by `hansa data get set`"
	if err.Error() != want {
		t.Errorf("message\n%v\nwant\n%v", err, want)
	}
}

func TestFindWithoutFolders(t *testing.T) {
	_, err := (&Set{Name: "set", Files: []File{{Name: "a"}}}).Find(nil)
	const want = "set: not found: a\n" +
		"searched nowhere: name a folder by HANSA_DATA or --data, such as data\n" +
		"no address of them is known: name a mirror to `hansa data get set --from`"
	if err == nil || err.Error() != want {
		t.Errorf("message\n%v\nwant\n%v", err, want)
	}
}

// TestLocateAndGlob look for what an experiment names: in the first folder that has it, or
// where an absolute path says.
func TestLocateAndGlob(t *testing.T) {
	root := t.TempDir()
	for _, path := range strings.Fields("one/x/b two/x/a two/x/b two/x/c") {
		write(t, filepath.Join(root, path), path)
	}
	folders := []string{filepath.Join(root, "one"), filepath.Join(root, "two")}
	for name, want := range map[string]string{
		"x/b": "one/x/b", "x/c": "two/x/c", "x": "one/x", filepath.Join(root, "two/x/b"): "two/x/b",
	} {
		if got, err := Locate(folders, "set", name); err != nil || got != filepath.Join(root, want) {
			t.Errorf("%s: found %s, %v", name, got, err)
		}
	}
	for pattern, want := range map[string]string{
		"x/b": "one/x/b", "x/[bc]": "one/x/b", "x/[ac]": "two/x/a two/x/c",
		filepath.Join(root, "two/*/[ba]"): "two/x/a two/x/b",
	} {
		got, err := Glob(folders, "set", pattern)
		for i := range got {
			got[i], _ = filepath.Rel(root, got[i])
		}
		if strings.Join(got, " ") != want || err != nil {
			t.Errorf("%s: found %v, %v; want %s", pattern, got, err, want)
		}
	}
	_, located := Locate(folders, "set", "x/d")
	_, globbed := Glob(folders, "set", "x/d*")
	_, malformed := Glob(folders, "set", "x/[")
	for want, err := range map[string]error{
		"set: not found: x/d\nsearched: " + strings.Join(folders, ", "):  located,
		"set: not found: x/d*\nsearched: " + strings.Join(folders, ", "): globbed,
		"x/[: syntax error in pattern":                                   malformed,
	} {
		if err == nil || err.Error() != want {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// TestVerifyAll: the sum is that of what sha256sum prints.
func TestVerifyAll(t *testing.T) {
	paths := []string{file(t, "a", []byte("abc")), file(t, "b", []byte("abd"))}
	names := []string{"dir/a", "b"}
	listing := abc + "  dir/a\na52d159f262b2c6ddb724a61840befc36eb30c88877a4030b65cbe86298449c9  b\n"
	sum := sha256.Sum256([]byte(listing))
	right := hex.EncodeToString(sum[:])
	if err := VerifyAll(paths, names, right); err != nil {
		t.Error(err)
	}
	var damaged *DamagedError
	if err := VerifyAll(paths, names, abc); !errors.As(err, &damaged) || damaged.Got != right {
		t.Errorf("error %v, want one that gives the right sum", err)
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
