package cli

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// FigureFormat returns which of the formats of figures a file has, by its ending.
func FigureFormat(out string, formats []string) (string, error) {
	format := strings.TrimPrefix(strings.ToLower(filepath.Ext(out)), ".")
	if !slices.Contains(formats, format) {
		return "", fmt.Errorf("-o %s: a figure ends in .%s", out, strings.Join(formats, ", ."))
	}
	return format, nil
}

// CheckWidth refuses columns that no text can have; 0 stands for those of the terminal.
func CheckWidth(columns int) error {
	if columns < 0 {
		return fmt.Errorf("--width %d: want at least 1", columns)
	}
	return nil
}
