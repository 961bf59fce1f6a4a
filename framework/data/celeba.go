package data

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// A Face is a picture of CelebA.
type Face struct {
	File     string // name in the folder of the pictures
	Identity string // number of the celebrity
	Label    int    // 1 where it has the attribute, else 0
}

// ReadCelebA reads the pictures of the two lists of CelebA, in the order of that of attributes.
func ReadCelebA(identities, attributes, attribute string) (faces []Face, err error) {
	identity := map[string]string{}
	err = eachLine(identities, nil, func(line int, text []byte) error {
		fields := strings.Fields(string(text))
		if len(fields) == 0 {
			return nil
		}
		if len(fields) != 2 {
			return &TextError{identities, line, 1, "want a picture and the number of a celebrity"}
		}
		identity[fields[0]] = fields[1]
		return nil
	})
	if err != nil {
		return nil, err
	}
	column, columns := -1, 0
	err = eachLine(attributes, nil, func(line int, text []byte) error {
		fields := strings.Fields(string(text))
		switch {
		case line == 1 || len(fields) == 0:
			return nil
		case line == 2:
			if columns, column = len(fields), slices.Index(fields, attribute); column < 0 {
				return &TextError{attributes, line, 1, fmt.Sprintf("there is no attribute %q; "+
					"there are %s", attribute, strings.Join(fields, ", "))}
			}
			return nil
		case len(fields) != columns+1 || filepath.Base(fields[0]) != fields[0]:
			return &TextError{attributes, line, 1, fmt.Sprintf("want a picture and %d attributes",
				columns)}
		}
		label := slices.Index([]string{"-1", "1"}, fields[1+column])
		if label < 0 {
			return &TextError{attributes, line, 1, fmt.Sprintf("%s is %q, not -1 or 1", attribute,
				fields[1+column])}
		}
		of, known := identity[fields[0]]
		if !known {
			return &TextError{attributes, line, 1, fmt.Sprintf("%s is not in %s", fields[0],
				filepath.Base(identities))}
		}
		faces = append(faces, Face{fields[0], of, label})
		return nil
	})
	return faces, err
}
