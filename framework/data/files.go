package data

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hansa-fl/hansa/framework/host"
)

// A File is one file of a data set, as published.
type File struct {
	Name   string // without folders: "t10k-labels-idx1-ubyte.gz"
	Size   int64  // in bytes; 0 when it is not known
	SHA256 string // of its bytes, hexadecimal, lower case
	URL    string // where it can be had; empty when no such place is known
	// Content is the SHA-256 of what a file named *.gz unpacks to, where others have packed that
	// anew or hold it unpacked. Such files are accepted, too.
	Content string
}

// A Set is a data set in files that are known to the byte.
type Set struct {
	Name    string   // as experiments call it, and of the sub-folder that holds its files
	Aliases []string // other sub-folders in which its files may lie
	Files   []File   // as published
	Parts   []File   // what the archive Files[0] holds, which may lie unpacked instead
	Licence string   // as far as its authors state one
	Page    string   // where it is described
	Guide   string   // how to get it, where its files are not known to the byte
	Package string   // of Debian that installs its files in PackageFolder; empty: there is none
}

// PackageFolder is where packages of Debian install data sets.
const PackageFolder = "/usr/share/datasets"

// Packaged says which package of Debian has the files of the data set, or nothing.
func (s *Set) Packaged() string {
	if s.Package == "" {
		return ""
	}
	return ", or install Debian's " + s.Package + " and add " + PackageFolder + " to HANSA_DATA"
}

// Find returns the paths of the published files, in their order. Each is looked for in
// every folder: in the sub-folder of the data set, in those of the other names, then
// directly; unpacked, too, where its content is known. Of several, the first one of the right
// size counts. The error is a *MissingError when some are nowhere.
func (s *Set) Find(folders []string) ([]string, error) {
	paths, missing := s.find(folders, s.Files)
	if missing != nil {
		return nil, s.missing(missing, folders)
	}
	return paths, nil
}

// Loose returns the paths of the parts with the given names that lie unpacked, each packed
// by gzip or not. They are looked for as Find does; what is nowhere has no path.
func (s *Set) Loose(folders, names []string) (paths []string, missing []File) {
	var files []File
	for _, name := range names {
		files = append(files, File{Name: name})
	}
	paths, _ = s.find(folders, files)
	for i, f := range files {
		if paths[i] == "" {
			paths[i] = find(s.Places(folders), File{Name: f.Name + ".gz"})
		}
		if paths[i] == "" {
			missing = append(missing, f)
		}
	}
	return paths, missing
}

func (s *Set) find(folders []string, files []File) (paths []string, missing []File) {
	for _, f := range files {
		path := find(s.Places(folders), f)
		if path == "" {
			missing = append(missing, f)
		}
		paths = append(paths, path)
	}
	return paths, missing
}

// find returns the path of a file that lies in one of some places, or nothing.
func find(places []string, f File) (path string) {
	for _, place := range places {
		for _, name := range f.names() {
			candidate := filepath.Join(place, name)
			info, err := os.Stat(candidate)
			if err != nil || !info.Mode().IsRegular() {
				continue
			}
			if f.Size == 0 || info.Size() == f.Size {
				return candidate
			}
			path = cmp.Or(path, candidate)
		}
	}
	return path
}

// Places returns where the files of the data set may lie, in the order of the search.
func (s *Set) Places(folders []string) []string {
	var all []string
	for _, f := range folders {
		all = append(all, filepath.Join(f, s.Name))
		for _, alias := range s.Aliases {
			all = append(all, filepath.Join(f, alias))
		}
		all = append(all, filepath.Clean(f))
	}
	return all
}

// missing returns the error that files of the data set are missing.
func (s *Set) missing(files []File, folders []string) error {
	known := func(f File) bool { return f.URL != "" }
	hint := "get what is missing by `hansa data get " + s.Name + "`"
	if !slices.ContainsFunc(s.Files, known) {
		hint = "no address of them is known: name a mirror to `hansa data get " + s.Name +
			" --from`"
	}
	return &MissingError{Set: s.Name, Files: files, Places: s.Places(folders),
		Hint: hint + s.Packaged()}
}

// Locate returns the path of a file or folder that an experiment names: as it is when it
// is absolute, otherwise in the first of the folders that has it. The error is a
// *MissingError when none has.
func Locate(folders []string, set, name string) (string, error) {
	for _, path := range host.Candidates(folders, name) {
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			return path, err
		}
	}
	return "", &MissingError{Set: set, Files: []File{{Name: name}}, Places: folders}
}

// Glob returns the paths of the files that a pattern of path/filepath names, sorted: those
// of the first of the folders that has some, unless it is absolute. The error is a
// *MissingError when there are none.
func Glob(folders []string, set, pattern string) ([]string, error) {
	for _, p := range host.Candidates(folders, pattern) {
		paths, err := filepath.Glob(p)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", pattern, err)
		}
		if len(paths) > 0 {
			slices.Sort(paths)
			return paths, nil
		}
	}
	return nil, &MissingError{Set: set, Files: []File{{Name: pattern}}, Places: folders}
}

// A MissingError says which files of a data set are nowhere to be found.
type MissingError struct {
	Set    string   // name of the data set
	Files  []File   // those that are missing
	Places []string // where they were looked for
	Hint   string   // how to get them; empty when nothing is known of that
}

// Error names the files, the places that were searched, and how to get the files.
func (e *MissingError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: not found:", e.Set)
	for _, f := range e.Files {
		fmt.Fprintf(&b, " %s", f.Name)
	}
	if len(e.Places) > 0 {
		fmt.Fprintf(&b, "\nsearched: %s", strings.Join(e.Places, ", "))
	} else {
		b.WriteString("\nsearched nowhere: name a folder by HANSA_DATA or --data, such as data")
	}
	if e.Hint != "" {
		fmt.Fprintf(&b, "\n%s", e.Hint)
	}
	return b.String()
}

// Verify reads the file and compares its SHA-256 with the one given in hexadecimal.
func Verify(path, want string) error {
	got, err := sum(path)
	if err == nil && got != want {
		err = &DamagedError{Path: path, Got: got, Want: want}
	}
	return err
}

// sum returns the SHA-256 of a file, in hexadecimal.
func sum(path string) (string, error) {
	f, err := host.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	_, err = io.Copy(h, f)
	return hexadecimal(h), err
}

func hexadecimal(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil)) }

// A DamagedError says that a file does not hold what it should.
type DamagedError struct {
	Path      string
	Got, Want string // SHA-256, in hexadecimal
}

// Error names the file and both sums.
func (e *DamagedError) Error() string {
	return fmt.Sprintf("%s: damaged or not the original: SHA-256 %s, want %s",
		e.Path, e.Got, e.Want)
}

// VerifyAll compares one SHA-256 for several files with the one given in hexadecimal: that
// of what the command sha256sum prints of them, in their order and under the given names.
func VerifyAll(paths, names []string, want string) error {
	m := new(Mistakes)
	if err := ExamineAll(paths, names, want, m); err != nil {
		return err
	}
	return errors.Join(m.List()...)
}

// SumOf returns what tells the content of some files from any other: their SHA-256, in their
// order.
func SumOf(paths []string) (string, error) {
	var all []string
	for _, path := range paths {
		one, err := sum(path)
		if err != nil {
			return "", err
		}
		all = append(all, one)
	}
	return strings.Join(all, " "), nil
}
