package console

import (
	"github.com/hansa-fl/hansa/framework/session/view"
)

// Standing writes where a method stands, in lines of at most so many columns.
func Standing(s *view.Standing, width int) string {
	text := s.Title + "\n" + Grid(s.Rows, "", Gutter, width)
	for _, note := range s.Notes {
		text += Paragraph("", note, width)
	}
	return text
}
