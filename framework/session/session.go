package session

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/hansa-fl/hansa/framework/study"
)

// A Listener is told what a session has to say.
type Listener interface {
	// Say tells the user one line, which ends without a line break.
	Say(line string)
	// Warn tells of what is no mistake, with its place.
	Warn(problems study.Problems) error
	// Watch shows the progress of so many cells with so many rounds in all, of which some run at
	// once.
	Watch(cells, rounds, atOnce int) Progress
}

// A Session is one use of hansa. Its zero value says nothing.
type Session struct {
	Listener
	Unread bool // something could not be read, which was told

	told map[string]bool // lines and troubles that were told
}

// Sayf tells a line.
func (s *Session) Sayf(format string, args ...any) {
	if s.Listener != nil {
		s.Listener.Say(fmt.Sprintf(format, args...))
	}
}

// remark tells a line that was not told yet.
func (s *Session) remark(format string, args ...any) {
	if line := fmt.Sprintf(format, args...); s.first(line) {
		s.Sayf("%s", line)
	}
}

// Unreadable tells of something that could not be read.
func (s *Session) Unreadable(err error) {
	s.Unread = true
	s.tell(err)
}

// tell tells of something that cannot be read, once for all files with one trouble.
func (s *Session) tell(err error) {
	trouble := err.Error()
	var path *fs.PathError
	if errors.As(err, &path) {
		trouble = path.Err.Error()
	}
	if s.first(trouble) {
		s.Sayf("hansa: %v", err)
	}
}

// first reports whether a text was not told yet, and notes that it is.
func (s *Session) first(text string) bool {
	if s.told == nil {
		s.told = map[string]bool{}
	}
	before := s.told[text]
	s.told[text] = true
	return !before
}

// warn tells of what is no mistake.
func (s *Session) warn(problems study.Problems) error {
	if s.Listener == nil {
		return nil
	}
	return s.Listener.Warn(problems)
}

// watch begins to show the progress of cells.
func (s *Session) watch(cells, rounds, atOnce int) Progress {
	if s.Listener == nil {
		return silent{}
	}
	return s.Listener.Watch(cells, rounds, atOnce)
}
