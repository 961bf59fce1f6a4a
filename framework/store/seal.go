package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
)

// The forms of records. One changes whenever an older program would misread a record, or this one
// an older record.
const (
	planForm       = "hansa/plan/2"
	attemptForm    = "hansa/attempt/2"
	failureForm    = "hansa/failure/2"
	busyForm       = "hansa/busy/2"
	submissionForm = "hansa/submission/2"
	workForm       = "hansa/work/2"
	turnForm       = "hansa/turn/2"
	cancelForm     = "hansa/cancelled/1"

	utilisationForm = "hansa/utilisation/1"
)

// ErrDamaged is what reading a record wraps when it is not what was stored.
var ErrDamaged = errors.New("is damaged")

// unsealedForm returns how records begin that versions before checksums stored: they are read, and
// what they say is only checked where it contradicts itself.
func unsealedForm(form string) string {
	return map[string]string{
		planForm:       "{\n  \"form\": \"hansa/plan/1\",\n  \"title\": ",
		attemptForm:    "{\n  \"started\": ",
		failureForm:    "{\n  \"method\": ",
		busyForm:       "{\n  \"host\": ",
		submissionForm: "{\n  \"form\": \"hansa/submission/1\",\n  \"name\": ",
		workForm:       "{\"form\":\"hansa/work/1\",\"cells\":",
		turnForm:       "{\n  \"rounds\": ",
	}[form]
}

// The parts of the beginning of a sealed record: its form, what it is of, and the checksum of the
// whole record, in which noSum stands in its place.
const (
	sealForm = "{\n  \"form\": \""
	sealOf   = "  \"of\": \""
	sealSum  = "  \"sha256\": \""
	sealRest = "\",\n"
)

// owned returns the line that says what a record is of, where it is of something.
func owned(of string) string {
	if of == "" {
		return ""
	}
	return sealOf + of + sealRest
}

// noSum stands in the place of a checksum.
func noSum() string { return strings.Repeat("0", hex.EncodedLen(sha256.Size)) }

// seal returns a record: a JSON object of the fields of v, which says first of which form it is,
// what it is of, and what its checksum is.
func seal(form, of string, v any) ([]byte, error) {
	fields, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	before := sealForm + form + sealRest + owned(of) + sealSum
	record := make([]byte, 0, len(before)+len(fields)+len(fields)/8)
	record = append(append(record, before...), noSum()+sealRest...)
	record = outlined(record, fields)
	sum := sha256.Sum256(record)
	hex.Encode(record[len(before):], sum[:])
	return record, nil
}

// outlined appends the fields of a JSON object without spaces to the beginning of another one: each
// on a line of its own, and so is each element of a field that is a list. What lies deeper stays in
// one line, as the plan of thousands of cells is mostly that.
func outlined(record, object []byte) []byte {
	var within []byte // the brackets that are open
	quoted := false
	record = append(record, "  "...)
	for i := 1; i < len(object)-1; i++ {
		b := object[i]
		record = append(record, b)
		switch {
		case quoted && b == '\\': // what follows ends nothing
			i++
			record = append(record, object[i])
		case b == '"':
			quoted = !quoted
		case quoted:
		case b == '{' || b == '[':
			within = append(within, b)
		case b == '}' || b == ']':
			within = within[:len(within)-1]
		case b == ',' && len(within) == 0:
			record = append(record, "\n  "...)
		case b == ',' && len(within) == 1 && within[0] == '[':
			record = append(record, "\n    "...)
		case b == ',' || b == ':':
			record = append(record, ' ')
		}
	}
	return append(record, "\n}\n"...)
}

// unseal verifies a record and reads what it says into v.
func unseal(form, of string, record []byte, v any) error {
	if err := sealed(form, of, record); err != nil {
		return err
	}
	return json.Unmarshal(record, v)
}

// sealed verifies a record without reading what it says, but for one that has no checksum.
func sealed(form, of string, record []byte) error {
	if old := unsealedForm(form); bytes.HasPrefix(record, []byte(old)) {
		return json.Unmarshal(record, new(json.RawMessage))
	}
	rest, ok := bytes.CutPrefix(record, []byte(sealForm+form))
	if !ok || !bytes.HasPrefix(rest, []byte(sealRest)) {
		return unknownForm(form, record)
	}
	rest, ok = bytes.CutPrefix(rest, []byte(sealRest+owned(of)+sealSum))
	if !ok {
		return errors.New("it is the record of something else")
	}
	if len(rest) < len(noSum()) {
		return errors.New("it is not whole")
	}
	at := len(record) - len(rest)
	h := sha256.New()
	h.Write(record[:at])
	h.Write([]byte(noSum()))
	h.Write(rest[len(noSum()):])
	if hex.EncodeToString(h.Sum(nil)) != string(rest[:len(noSum())]) {
		return errors.New("its checksum is not that of its content")
	}
	return nil
}

// unknownForm says of which form a record is that does not begin as those of a form do.
func unknownForm(form string, record []byte) error {
	var is struct{ Form string }
	if json.Unmarshal(record, &is) == nil && later(is.Form, form) { // which may look different
		return &formError{is.Form, form}
	}
	if !bytes.HasPrefix(record, []byte(sealForm+form)) {
		return errors.New("it is no record of hansa")
	}
	return errors.New("it is the record of something else")
}

// A formError says that a record may be whole, but is of a form that this program does not read.
type formError struct{ is, want string }

// Error implements error.
func (e *formError) Error() string {
	return fmt.Sprintf("is no record that this version of hansa reads: its form is %.40q, not %q",
		e.is, e.want)
}

// save seals a record and stores it.
func (f *folder) save(name, form, of string, v any) error {
	record, err := seal(form, of, v)
	if err != nil {
		return err
	}
	return f.write(name, record)
}

// load reads a record, if there is one.
func (f *folder) load(name, form, of string, v any) (found bool, err error) {
	record, err := f.read(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	err = unseal(form, of, record, v)
	if errors.As(err, new(*formError)) {
		return true, fmt.Errorf("%s %w", f.path(name), err)
	}
	if err != nil {
		return true, fmt.Errorf("%s %w: %w", f.path(name), ErrDamaged, err)
	}
	return true, nil
}

// later reports whether a form may be that of a later version of hansa, rather than damage.
func later(form, ours string) bool {
	kind, number, _ := cutLast(form)
	ourKind, ourNumber, _ := cutLast(ours)
	return kind == ourKind && number > ourNumber
}

// cutLast returns the kind of a form, and its number.
func cutLast(form string) (kind string, number int, err error) {
	at := strings.LastIndexByte(form, '/') + 1
	number, err = strconv.Atoi(form[at:])
	return form[:at], number, err
}

// save seals a record and stores it in the run.
func (r Run) save(name, form, of string, v any) error {
	return r.storing(func(f *folder) error { return f.save(name, form, of, v) })
}

// load reads a record of the run, if there is one.
func (r Run) load(name, form, of string, v any) (found bool, err error) {
	err = r.within(func(f *folder) (err error) {
		found, err = f.load(name, form, of, v)
		return err
	})
	return found, gone(err)
}
