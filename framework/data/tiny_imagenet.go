package data

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// TinyImageNet lists a folder with a sub-folder for every class, whose sub-folder images holds its
// pictures. Classes and turns are as Pictures has them.
func TinyImageNet(folder string) (classes []string, pictures []Picture, err error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, nil, err
	}
	var files [][]string
	for _, e := range entries {
		if !e.IsDir() || e.Name()[0] == '.' {
			continue
		}
		of, err := picturesIn(filepath.Join(folder, e.Name(), "images"))
		if err != nil {
			return nil, nil, err
		}
		classes, files = append(classes, e.Name()), append(files, of)
	}
	if len(classes) == 0 {
		return nil, nil, fmt.Errorf("%s: there are no sub-folders, one per class", folder)
	}
	return classes, inTurns(files), nil
}

// inTurns returns the first files of all classes, then the second ones, and so on.
func inTurns(files [][]string) (pictures []Picture) {
	most := 0
	for _, of := range files {
		most = max(most, len(of))
	}
	for turn := range most {
		for class, of := range files {
			if turn < len(of) {
				pictures = append(pictures, Picture{of[turn], class})
			}
		}
	}
	return pictures
}

// TinyImageNetTests lists the pictures of val_annotations.txt in a folder, whose lines have the
// name of a file in images and that of its class, and more that is not used.
func TinyImageNetTests(folder string, classes []string) (pictures []Picture, err error) {
	path := filepath.Join(folder, "val_annotations.txt")
	err = eachLine(path, nil, func(line int, text []byte) error {
		fields := strings.Fields(string(text))
		if len(fields) == 0 {
			return nil
		}
		if len(fields) < 2 || filepath.Base(fields[0]) != fields[0] {
			return &TextError{path, line, 1, "want the name of a picture and its class"}
		}
		class, known := slices.BinarySearch(classes, fields[1])
		if !known {
			return &TextError{path, line, 1 + len(fields[0]) + 1,
				fmt.Sprintf("%q is none of the %d classes", fields[1], len(classes))}
		}
		pictures = append(pictures, Picture{filepath.Join(folder, "images", fields[0]), class})
		return nil
	})
	return pictures, err
}
