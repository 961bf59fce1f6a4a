package cli

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hansa-fl/hansa/reports/figure"
)

// FigureFormat returns the format of a figure in a file.
func FigureFormat(out string) (string, error) {
	format := strings.TrimPrefix(strings.ToLower(filepath.Ext(out)), ".")
	if !slices.Contains(figure.Formats(), format) {
		return "", fmt.Errorf("-o %s: a figure ends in .%s", out,
			strings.Join(figure.Formats(), ", ."))
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
