package main

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/hansa-fl/hansa/framework/study"
)

// A listener is told what a session has to say.
type listener interface {
	// Say tells the user one line, which ends without a line break.
	Say(line string)
	// Warn tells of what is no mistake, with its place.
	Warn(problems study.Problems) error
	// Watch shows the progress of so many cells with so many rounds in all, of which some run at
	// once.
	Watch(cells, rounds, atOnce int) progress
}

// A session is one use of hansa. Its zero value says nothing.
type session struct {
	listener
	Unread bool // something could not be read, which was told

	told map[string]bool // lines and troubles that were told
}

// say tells a line.
func (s *session) say(format string, args ...any) {
	if s.listener != nil {
		s.listener.Say(fmt.Sprintf(format, args...))
	}
}

// remark tells a line that was not told yet.
func (s *session) remark(format string, args ...any) {
	if line := fmt.Sprintf(format, args...); s.first(line) {
		s.say("%s", line)
	}
}

// unreadable tells of something that could not be read.
func (s *session) unreadable(err error) {
	s.Unread = true
	s.tell(err)
}

// tell tells of something that cannot be read, once for all files with one trouble.
func (s *session) tell(err error) {
	trouble := err.Error()
	var path *fs.PathError
	if errors.As(err, &path) {
		trouble = path.Err.Error()
	}
	if s.first(trouble) {
		s.say("hansa: %v", err)
	}
}

// first reports whether a text was not told yet, and notes that it is.
func (s *session) first(text string) bool {
	if s.told == nil {
		s.told = map[string]bool{}
	}
	before := s.told[text]
	s.told[text] = true
	return !before
}

// warn tells of what is no mistake.
func (s *session) warn(problems study.Problems) error {
	if s.listener == nil {
		return nil
	}
	return s.listener.Warn(problems)
}

// watch begins to show the progress of cells.
func (s *session) watch(cells, rounds, atOnce int) progress {
	if s.listener == nil {
		return silent{}
	}
	return s.listener.Watch(cells, rounds, atOnce)
}
