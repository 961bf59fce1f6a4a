package data

import (
	"bufio"
	"errors"
	"fmt"
	"math"
	"strconv"
)

// longestLine is how many bytes a line of text can have.
const longestLine = 1 << 26

// A TextError says where in a file of text there is something wrong.
type TextError struct {
	Path         string
	Line, Column int // from 1; columns count bytes
	Message      string
}

// Error names file, line and column.
func (e *TextError) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.Path, e.Line, e.Column, e.Message)
}

// eachLine visits the lines of a file, packed by gzip or not, without their ends. A line lives
// until visit returns. An error of visit is returned as it is. Where mistakes are collected,
// reading ends when its time is over.
func eachLine(path string, m *Mistakes, visit func(line int, text []byte) error) error {
	u, err := open(path)
	if err != nil {
		return err
	}
	defer u.Close()
	s, line := bufio.NewScanner(&bounded{from: u, mistakes: m}), 0
	s.Buffer(nil, longestLine)
	for s.Scan() {
		line++
		if err := visit(line, s.Bytes()); err != nil {
			return err
		}
	}
	if errors.Is(s.Err(), errOver) {
		m.Partial = fmt.Sprintf("the first %d lines", line)
		return nil
	}
	if err := s.Err(); err != nil {
		return &TextError{path, line + 1, 1, err.Error()}
	}
	return nil
}

// parseNumber reads a finite number.
func parseNumber(text string) (float64, error) {
	x, err := strconv.ParseFloat(text, 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return 0, fmt.Errorf("%s is too large", text)
	case err != nil:
		return 0, fmt.Errorf("%q is no number", text)
	case math.IsNaN(x) || math.IsInf(x, 0):
		return 0, fmt.Errorf("%s is not finite", text)
	}
	return x, nil
}
