package store

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"syscall"
	"time"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/study"
)

// checkpointForm begins the files of checkpoints. It changes whenever an older program would
// misread one, or this one an older one. What follows are a line with the id of the cell, a line
// that says whose numbers they are, the checkpoint, and the SHA-256 of all that.
const (
	checkpointForm = "hansa/checkpoint/2\n"
	checkpointKin  = "hansa/checkpoint/"
)

// ErrForeign is what LoadCheckpoint wraps when a checkpoint may be whole, but is not for this
// program.
var ErrForeign = errors.New("is not for this program")

// A Numerics says in one line what the last bits of numbers depend on: which program it is that
// runs, and on which kind of processor. It is asked only where there is a checkpoint.
type Numerics func() (string, error)

// checkpointsOf returns where the checkpoints of a cell lie: the latest, and the one before it.
func checkpointsOf(id string) (names [2]string, err error) {
	for k, ending := range []string{".ckpt", ".previous.ckpt"} {
		if names[k], err = place("checkpoints", id, ending); err != nil {
			return names, err
		}
	}
	return names, nil
}

// SaveCheckpoint stores how far a cell is, and keeps the checkpoint before it. At every moment one
// of them is whole.
func (r Run) SaveCheckpoint(id string, by Numerics, p *engine.Progress) error {
	numerics, err := by()
	if err != nil {
		return err
	}
	names, err := checkpointsOf(id)
	if err != nil {
		return err
	}
	return r.storing(func(f *folder) error {
		return f.replace(names[0], f.keepLast(names[1]), func(w io.Writer) error {
			h := sha256.New()
			b := bufio.NewWriter(io.MultiWriter(w, h))
			_, err := fmt.Fprintf(b, "%s%s\n%s\n", checkpointForm, id, numerics)
			if err := errors.Join(err, p.Encode(b), b.Flush()); err != nil {
				return err
			}
			_, err = w.Write(h.Sum(nil))
			return err
		})
	})
}

// keepLast returns a renaming that first gives what is in the place a name for the one before.
func (f *folder) keepLast(before string) rename {
	return func(from, to string) error {
		if _, err := f.root.Lstat(from); err != nil {
			return err
		}
		if err := f.direct(before); err != nil {
			return err
		}
		err := f.root.Rename(to, before)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return f.root.Rename(from, to)
	}
}

// LoadCheckpoint returns the last checkpoint of a cell that is whole and that a program like this
// one made, or nil. An error says what is wrong with a later one, or with all: one that did not
// verify was moved to quarantine, which is ErrCorrupt; any other was left where it is.
func (r Run) LoadCheckpoint(id string, by Numerics) (p *engine.Progress, trouble error) {
	names, err := checkpointsOf(id)
	if err != nil {
		return nil, err
	}
	err = r.within(func(f *folder) error {
		for _, name := range names {
			var err error
			if p, err = f.checkpoint(name, id, by); p != nil {
				return nil
			}
			if trouble == nil || errors.Is(err, ErrCorrupt) {
				trouble = errors.Join(trouble, err)
			}
		}
		return nil
	})
	if trouble == nil {
		trouble = gone(err)
	}
	return p, trouble
}

// checkpoint returns the checkpoint of a cell in a file, or nil where there is no file.
func (f *folder) checkpoint(name, id string, by Numerics) (*engine.Progress, error) {
	file, err := f.open(name)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	numerics, err := by()
	if err != nil {
		return nil, err
	}
	h := sha256.New()
	p, err := readCheckpoint(file, h, id, numerics)
	switch {
	case err == nil:
		return p, nil
	case errors.Is(err, ErrForeign):
		return nil, fmt.Errorf("%s %w", f.path(name), err)
	case errors.As(err, new(*fs.PathError)):
		return nil, f.named(err) // what cannot be read may be whole
	}
	return nil, f.quarantine(name, id, err, [sha256.Size]byte(h.Sum(nil)))
}

// Saved returns after how many rounds a cell was saved last, and when by the clock of the file
// system; or no rounds. It says how far the cell is: it reads a few bytes and verifies nothing but
// that the cell can be there.
func (r Run) Saved(id string, c *study.Cell) (rounds int, when time.Time) {
	names, err := checkpointsOf(id)
	if err != nil {
		return 0, when
	}
	_ = r.within(func(f *folder) error {
		for _, name := range names {
			n, at, err := f.savedIn(name)
			if err == nil && n > 0 && n <= c.Played() {
				rounds, when = n, at
				return nil
			}
		}
		return nil
	})
	return rounds, when
}

// savedIn returns what Saved does, of one file.
func (f *folder) savedIn(name string) (rounds int, when time.Time, err error) {
	file, err := f.open(name)
	if err != nil {
		return 0, when, err
	}
	defer file.Close()
	b := bufio.NewReader(file)
	form := make([]byte, len(checkpointForm))
	if _, err := io.ReadFull(b, form); err != nil || string(form) != checkpointForm {
		return 0, when, joined(ErrForeign, err)
	}
	if _, _, err := origin(b); err != nil {
		return 0, when, err
	}
	if rounds, err = engine.RoundsPlayed(b); err != nil {
		return 0, when, err
	}
	info, err := file.Stat()
	if err != nil {
		return 0, when, err
	}
	return rounds, info.ModTime(), nil
}

// readCheckpoint returns the checkpoint in a file, which must be of a cell and by a program. The
// file is read twice: nothing of it is used before it is verified, and it may be too large to be
// held beside its contents. What was verified goes into h as well.
func readCheckpoint(f *os.File, h hash.Hash, id, numerics string) (*engine.Progress, error) {
	size, err := verify(f, h)
	if err != nil {
		return nil, err
	}
	if _, err := f.Seek(int64(len(checkpointForm)), io.SeekStart); err != nil {
		return nil, err
	}
	b := bufio.NewReader(f)
	cell, maker, err := origin(b)
	switch {
	case err != nil:
		return nil, err
	case cell != id+"\n":
		return nil, fmt.Errorf("it is of training run %.12s", cell)
	case maker != numerics+"\n":
		return nil, fmt.Errorf("%w: another build of hansa made it, or another kind of processor",
			ErrForeign)
	}
	return engine.DecodeCheckpoint(b, size-int64(len(checkpointForm)+len(cell)+len(maker)))
}

// origin reads the two lines after the form of a checkpoint: of its cell and its program.
func origin(b *bufio.Reader) (cell, maker string, err error) {
	cell, _ = b.ReadString('\n') // if there is none, there is no second line
	maker, err = b.ReadString('\n')
	return cell, maker, err
}

// verify holds a file to its checksum, and returns the size of what is before that.
func verify(f *os.File, h hash.Hash) (size int64, err error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	size = max(0, info.Size()-sha256.Size)
	form := make([]byte, len(checkpointForm))
	if _, err := f.ReadAt(form, 0); err != nil && err != io.EOF {
		return 0, err
	}
	if _, err := io.CopyN(h, f, size); err != nil {
		return 0, err
	}
	sum, err := io.ReadAll(f)
	switch {
	case err != nil:
		return 0, err
	case size < int64(len(form)) || !bytes.HasPrefix(form, []byte(checkpointKin)):
		return 0, errors.New("it is no checkpoint")
	case string(form) != checkpointForm:
		return 0, fmt.Errorf("%w: another version of hansa made it", ErrForeign)
	case !bytes.Equal(h.Sum(nil), sum):
		return 0, errors.New("its checksum is not that of its content")
	}
	return size, nil
}

// DropCheckpoint removes the checkpoints of a cell, if there are any.
func (r Run) DropCheckpoint(id string) error {
	return gone(r.within(func(f *folder) error { return f.dropCheckpoint(id) }))
}

func (f *folder) dropCheckpoint(id string) error {
	names, err := checkpointsOf(id)
	if err != nil {
		return err
	}
	return errors.Join(f.drop(names[0]), f.drop(names[1]))
}

// dropFinished removes the checkpoints of cells that have a result: the process that wrote them
// was killed before it could.
func (f *folder) dropFinished() error {
	found, err := f.match("checkpoints/*/*.ckpt")
	for _, name := range found {
		id := cellOf(name)
		if done, _ := f.verify(id, nil); done {
			err = errors.Join(err, f.dropCheckpoint(id))
		}
	}
	return err
}
