package reports

import (
	"encoding/json"
	"io"
)

// JSON writes tables as they are, in one array.
func JSON(w io.Writer, tables []Table) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(tables)
}
