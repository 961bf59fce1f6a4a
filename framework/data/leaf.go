package data

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// A LEAFUser is what one user of a file of the LEAF benchmark has (S. Caldas et al., 2018): rows of
// numbers, lists in lists as one, or of texts.
type LEAFUser struct {
	Name    string
	Numbers []float64 // of all rows
	Texts   []string  // of all rows
	Ends    []int     // of every row, in the numbers or texts
	Labels  []float64 // where they are numbers
	Letters []string  // where they are texts
}

// Row returns where row r begins and ends.
func (u *LEAFUser) Row(r int) (lo, hi int) {
	if r > 0 {
		lo = u.Ends[r-1]
	}
	return lo, u.Ends[r]
}

// most of a user that is held at once, and of a text.
const (
	mostLEAFValues = 1 << 27
	mostLEAFText   = 1 << 20
	mostLEAFDepth  = 64
)

// A LEAF reads a file of the benchmark: an object of the lists users and num_samples and the object
// user_data, which has lists x and y for every user. Other members are passed over. One user is in
// memory at a time. The file may be packed by gzip.
type LEAF struct {
	Wanted func(user string) bool           // nil: all
	Visit  func(user *LEAFUser) error       // which lives until Visit returns
	Header func(users []string, rows []int) // when both lists are known, before user_data

	r     *bufio.Reader
	at    int64
	users []string
	rows  []int
	text  []byte
	user  LEAFUser
}

// errHeader ends a reading for the header.
var errHeader = errors.New("the header is read")

// LEAFUsers returns the users of a file and how many rows each has: from its header, or else from
// all of the file.
func LEAFUsers(path string, m *Mistakes) (users []string, rows []int, err error) {
	known := false
	f := &LEAF{Wanted: func(string) bool { return !known }}
	f.Header = func(u []string, n []int) { users, rows, known = u, n, true }
	f.Visit = func(u *LEAFUser) error {
		if !known {
			users, rows = append(users, u.Name), append(rows, len(u.Ends))
		}
		return nil
	}
	err = f.read(path, m, func() bool { return known })
	return users, rows, err
}

// Read reads a file.
func (f *LEAF) Read(path string, m *Mistakes) error {
	return f.read(path, m, func() bool { return false })
}

// read reads a file, up to user_data where enough says so.
func (f *LEAF) read(path string, m *Mistakes, enough func() bool) error {
	u, err := open(path)
	if err != nil {
		return err
	}
	f.r = bufio.NewReaderSize(&bounded{from: u, mistakes: m}, 1<<16)
	f.at, f.users, f.rows = 0, nil, nil
	err = f.members(func(name string) error {
		switch name {
		case "users":
			return f.header(func() error { return f.list(f.name) })
		case "num_samples":
			return f.header(func() error { return f.list(f.count) })
		case "user_data":
			if enough() {
				return errHeader
			}
			return f.members(f.one)
		}
		return f.skip(0)
	})
	if err == nil {
		err = f.end()
	}
	switch {
	case errors.Is(err, errHeader):
		err = nil
	case errors.Is(err, errOver):
		m.Partial, err = fmt.Sprintf("the first %d bytes", f.at), nil
	case err == io.EOF:
		err = fmt.Errorf("%s: cut off after %d bytes", path, f.at)
	case err != nil:
		err = fmt.Errorf("%s: at byte %d: %w", path, f.at, err)
	}
	return errors.Join(err, u.Close())
}

// header reads one of the two lists, and hands out both.
func (f *LEAF) header(read func() error) error {
	if err := read(); err != nil {
		return err
	}
	if f.Header != nil && f.users != nil && len(f.users) == len(f.rows) {
		f.Header(f.users, f.rows)
	}
	return nil
}

// name reads the name of a user.
func (f *LEAF) name() error {
	user, err := f.string()
	f.users = append(f.users, user)
	return err
}

// count reads how many rows a user has.
func (f *LEAF) count() error {
	x, err := f.number()
	if n := int(x); err == nil && (float64(n) != x || n < 0) {
		err = fmt.Errorf("%v is no number of rows", x)
	}
	f.rows = append(f.rows, int(x))
	return err
}

// one reads what a user has.
func (f *LEAF) one(name string) error {
	if f.Wanted != nil && !f.Wanted(name) {
		return f.skip(0)
	}
	u := &f.user
	*u = LEAFUser{Name: name, Numbers: u.Numbers[:0], Texts: u.Texts[:0], Ends: u.Ends[:0],
		Labels: u.Labels[:0], Letters: u.Letters[:0]}
	err := f.members(func(member string) error {
		switch member {
		case "x":
			return f.list(func() error {
				err := f.value(&u.Numbers, &u.Texts, 0)
				if len(u.Numbers) > 0 && len(u.Texts) > 0 {
					return fmt.Errorf("user %q has numbers and texts", name)
				}
				u.Ends = append(u.Ends, max(len(u.Numbers), len(u.Texts)))
				return err
			})
		case "y":
			return f.list(func() error { return f.value(&u.Labels, &u.Letters, 0) })
		}
		return f.skip(0)
	})
	if err != nil {
		return err
	}
	if n := max(len(u.Labels), len(u.Letters)); n != len(u.Ends) {
		return fmt.Errorf("user %q has %d rows and %d labels", name, len(u.Ends), n)
	}
	return f.Visit(u)
}

// value reads a number, a text, or a list of such.
func (f *LEAF) value(numbers *[]float64, texts *[]string, depth int) error {
	c, err := f.peek()
	switch {
	case err != nil:
		return err
	case depth > mostLEAFDepth || len(*numbers) > mostLEAFValues || len(*texts) > mostLEAFValues:
		return errors.New("too many values of one user, or lists in lists")
	case c == '[':
		return f.list(func() error { return f.value(numbers, texts, depth+1) })
	case c == '"':
		text, err := f.string()
		*texts = append(*texts, text)
		return err
	}
	x, err := f.number()
	*numbers = append(*numbers, x)
	return err
}

// next returns the next byte.
func (f *LEAF) next() (byte, error) {
	c, err := f.r.ReadByte()
	if err == nil {
		f.at++
	}
	return c, err
}

// peek returns the next byte that is no blank, and leaves it.
func (f *LEAF) peek() (byte, error) {
	for {
		b, err := f.r.Peek(1)
		if err != nil {
			return 0, err
		}
		if c := b[0]; c != ' ' && c != '\n' && c != '\t' && c != '\r' {
			return c, nil
		}
		if _, err := f.next(); err != nil {
			return 0, err
		}
	}
}

// expect reads a byte, after blanks.
func (f *LEAF) expect(want byte) error {
	c, err := f.peek()
	if err != nil {
		return err
	}
	if c != want {
		return fmt.Errorf("want %q, there is %q", want, c)
	}
	_, err = f.next()
	return err
}

// sequence reads what stands between brackets, with commas between.
func (f *LEAF) sequence(open, closed byte, item func() error) error {
	if err := f.expect(open); err != nil {
		return err
	}
	if c, err := f.peek(); err != nil || c == closed {
		return errors.Join(err, f.expect(closed))
	}
	for {
		if err := item(); err != nil {
			return err
		}
		c, err := f.peek()
		if err != nil || c == closed {
			return errors.Join(err, f.expect(closed))
		}
		if err := f.expect(','); err != nil {
			return err
		}
	}
}

// list reads a list.
func (f *LEAF) list(item func() error) error { return f.sequence('[', ']', item) }

// members reads an object.
func (f *LEAF) members(visit func(name string) error) error {
	return f.sequence('{', '}', func() error {
		name, err := f.string()
		if err == nil {
			err = f.expect(':')
		}
		if err != nil {
			return err
		}
		return visit(name)
	})
}

// string reads a text.
func (f *LEAF) string() (string, error) {
	if err := f.expect('"'); err != nil {
		return "", err
	}
	f.text = append(f.text[:0], '"')
	plain := true
	for {
		c, err := f.next()
		if err != nil {
			return "", err
		}
		if f.text = append(f.text, c); len(f.text) > mostLEAFText {
			return "", errors.New("a text is too long")
		}
		switch {
		case c == '\\':
			plain = false
			if c, err = f.next(); err != nil {
				return "", err
			}
			f.text = append(f.text, c)
		case c == '"' && plain:
			return string(f.text[1 : len(f.text)-1]), nil
		case c == '"':
			var text string
			err := json.Unmarshal(f.text, &text)
			return text, err
		}
	}
}

// mostDigits is how long a number may be.
const mostDigits = 64

// number reads a number.
func (f *LEAF) number() (float64, error) {
	if _, err := f.peek(); err != nil {
		return 0, err
	}
	b, err := f.r.Peek(mostDigits)
	for k, c := range b {
		if c >= '0' && c <= '9' || c == '-' || c == '+' || c == '.' || c|32 == 'e' {
			continue
		}
		if k == 0 {
			return 0, fmt.Errorf("want a number, there is %q", c)
		}
		x, wrong := strconv.ParseFloat(string(b[:k]), 64)
		f.at += int64(k)
		if _, err := f.r.Discard(k); err != nil {
			return 0, err
		}
		return x, wrong
	}
	if err == nil {
		return 0, errors.New("a number is too long")
	}
	f.at += int64(len(b))
	return 0, err
}

// skip passes a value over.
func (f *LEAF) skip(depth int) error {
	c, err := f.peek()
	switch {
	case err != nil:
		return err
	case depth > mostLEAFDepth:
		return errors.New("too many lists in lists")
	case c == '[':
		return f.list(func() error { return f.skip(depth + 1) })
	case c == '{':
		return f.members(func(string) error { return f.skip(depth + 1) })
	case c == '"':
		_, err := f.string()
		return err
	case c == 'n' || c == 't' || c == 'f':
		for range map[byte]int{'n': 4, 't': 4, 'f': 5}[c] {
			if _, err := f.next(); err != nil {
				return err
			}
		}
		return nil
	}
	_, err = f.number()
	return err
}

// end refuses what comes after the object.
func (f *LEAF) end() error {
	c, err := f.peek()
	if err == io.EOF {
		return nil
	}
	if err == nil {
		err = fmt.Errorf("there is %q after the end", c)
	}
	return err
}
