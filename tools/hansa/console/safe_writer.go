package console

import (
	"io"
	"os"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/hansa-fl/hansa/framework/study"
)

// A safeWriter is where a command writes text. What is not the command's own, such as a label of a
// stored run or the error of a strategy, must not command a terminal: hidden characters are
// written by their numbers. Styles that commands write are let through; they can do no more than
// look loud.
type safeWriter struct {
	to   io.Writer
	mu   sync.Mutex
	rest []byte // a character of which more is to come
}

// Safely returns where text is written to w that must not command a terminal.
func Safely(w io.Writer) io.Writer { return &safeWriter{to: w} }

// styles are the escape sequences that commands, and tables, write.
func styles() []string { return []string{Bold, Red, off, "\x1b[22m", "\x1b[34m"} }

// Write implements io.Writer.
func (s *safeWriter) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := append(s.rest, b...)
	whole := len(text)
	for k := 1; k < utf8.UTFMax && k <= len(text); k++ {
		if at := len(text) - k; utf8.RuneStart(text[at]) {
			if !utf8.FullRune(text[at:]) {
				whole = at
			}
			break
		}
	}
	s.rest = append([]byte(nil), text[whole:]...)
	if _, err := io.WriteString(s.to, screened(string(text[:whole]))); err != nil {
		return 0, err
	}
	return len(b), nil
}

// screened escapes what is hidden in a text, but for styles.
func screened(text string) string {
	if !strings.Contains(text, "\x1b[") {
		return study.Printable(text)
	}
	var b strings.Builder
	for text != "" {
		at := strings.Index(text, "\x1b[")
		if at < 0 {
			b.WriteString(study.Printable(text))
			break
		}
		b.WriteString(study.Printable(text[:at]))
		text = text[at:]
		end := 0
		for _, style := range styles() {
			if strings.HasPrefix(text, style) {
				end = len(style)
			}
		}
		b.WriteString(text[:end])
		if end == 0 {
			b.WriteString(study.Printable(text[:1]))
			end = 1
		}
		text = text[end:]
	}
	return b.String()
}

// beneath returns what a safeWriter writes to, and any other writer as it is.
func beneath(w io.Writer) io.Writer {
	if s, ok := w.(*safeWriter); ok {
		return s.to
	}
	return w
}

// fileOf returns the file that text goes to, if it is one.
func fileOf(w io.Writer) (*os.File, bool) {
	f, ok := beneath(w).(*os.File)
	return f, ok
}
