package data

import (
	"path/filepath"
	"strings"
	"testing"
)

// Few packed bytes can stand for more rows of text than memory holds. They are refused by the rule
// for arrays; where memory suffices or is not known, they are read.
func TestPackedTextIsBounded(t *testing.T) {
	const rows, memory = 1 << 16, 1 << 20
	table := filepath.Join(t.TempDir(), "bomb.csv.gz")
	write(t, table, string(packed(t, []byte("a\n"+strings.Repeat("0\n", rows)))))
	sparse := filepath.Join(t.TempDir(), "bomb.libsvm.gz")
	write(t, sparse, string(packed(t, []byte(strings.Repeat("0\n", rows)))))
	for name, c := range map[string]struct {
		read func(memory uint64) (rows int, err error)
		want string
	}{
		"CSV": {func(memory uint64) (int, error) {
			lines, err := Table{}.readWithin(table, []Column{{Name: "a", Number: true}}, memory)
			return len(lines), err
		}, table + ": the first 12288 rows of dimensions [1] need about 786 kB of memory, more " +
			"than half of the 1.05 MB that there are"},
		"LIBSVM": {func(memory uint64) (int, error) {
			d, _, err := LIBSVM{Features: 3, Classes: 2, Step: 1}.readWithin(sparse, 0, memory)
			if err != nil {
				return 0, err
			}
			return d.Len(), nil
		}, sparse + ": 65536 rows of dimensions [3] need about 6.29 MB of memory, more than half " +
			"of the 1.05 MB that there are"},
	} {
		if _, err := c.read(memory); err == nil || err.Error() != c.want {
			t.Errorf("%s in %d bytes: %v", name, memory, err)
		}
		for _, enough := range []uint64{0, 64 * memory} {
			if n, err := c.read(enough); err != nil || n != rows {
				t.Errorf("%s in %d bytes: %d rows, %v", name, enough, n, err)
			}
		}
	}
}
