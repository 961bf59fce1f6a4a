package study

// A Field is a key of a TOML document that is no experiment.
type Field struct {
	Key    string
	At     Pos     // of the key
	Value  any     // int64, float64, bool, string, time.Time, []any; nil: it is a table
	Fields []Field // of a table, in the order of the file
}

// Fields reads a TOML document that is no experiment. The problems are mistakes of its syntax.
func Fields(file string, src []byte) ([]Field, Problems) {
	t, problems := document(file, src)
	return fieldsOf(t), problems
}

func fieldsOf(t table) (all []Field) {
	for _, f := range t {
		one := Field{Key: f.key, At: f.at.Key}
		if below, ok := f.value.(table); ok {
			one.Fields = fieldsOf(below)
		} else {
			one.Value = plain(f.node)
		}
		all = append(all, one)
	}
	return all
}
