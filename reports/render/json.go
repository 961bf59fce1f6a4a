package render

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/table"
)

// JSON writes tables as they are, in one array.
func JSON(w io.Writer, tables []table.Table) error {
	return indented(w, tables)
}

// indented writes JSON in which no character is hidden: its texts have them by number.
func indented(w io.Writer, value any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(value); err != nil {
		return err
	}
	_, err := io.WriteString(w, study.Printable(b.String()))
	return err
}
