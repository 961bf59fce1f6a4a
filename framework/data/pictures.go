package data

import (
	"bytes"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"io"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/hansa-fl/hansa/framework/fl"
)

// decodePicture decodes PNG or JPEG. The content can be opened twice: a header is judged before
// there is room for its pixels.
func decodePicture(magic []byte, open func() (io.Reader, error)) (image.Image, error) {
	configure, decode := png.DecodeConfig, png.Decode
	switch {
	case bytes.HasPrefix(magic, []byte("\x89PNG\r\n\x1a\n")):
	case bytes.HasPrefix(magic, []byte{0xff, 0xd8}):
		configure, decode = jpeg.DecodeConfig, jpeg.Decode
	default:
		return nil, fmt.Errorf("neither PNG nor JPEG: begins with %#x", magic)
	}
	r, err := open()
	if err != nil {
		return nil, err
	}
	c, err := configure(r)
	if err != nil {
		return nil, err
	}
	if c.Width < 1 || c.Height < 1 || c.Width > mostPixels/c.Height {
		return nil, fmt.Errorf("a picture of %d×%d pixels", c.Width, c.Height)
	}
	if r, err = open(); err != nil {
		return nil, err
	}
	return decode(r)
}

// DecodePicture decodes the content of a PNG or JPEG file.
func DecodePicture(b []byte) (image.Image, error) {
	return decodePicture(b[:min(8, len(b))], func() (io.Reader, error) {
		return bytes.NewReader(b), nil
	})
}

// ErrOver ends the examination of a file whose time is over.
var ErrOver = errOver

// mostQueued is how many bytes of encoded pictures wait to be decoded.
const mostQueued = 8 << 20

// A PictureQueue decodes pictures into rows, several at a time: on as many goroutines as Go runs.
// The rows do not depend on how many these are.
type PictureQueue struct {
	scalers []*Scaler
	content []byte
	queued  []queued
}

// A queued is a picture that waits.
type queued struct {
	row    []uint8
	lo, hi int           // of its content
	where  func() string // names it in errors
}

// NewPictureQueue returns a queue for pictures that are brought to one shape.
func NewPictureQueue(to fl.Image) *PictureQueue {
	q := new(PictureQueue)
	for range runtime.GOMAXPROCS(0) {
		q.scalers = append(q.scalers, NewScaler(to))
	}
	return q
}

// Add queues a picture for a row and copies its content. The error may be of one before.
func (q *PictureQueue) Add(row []uint8, content []byte, where func() string) error {
	lo := len(q.content)
	q.content = append(q.content, content...)
	q.queued = append(q.queued, queued{row, lo, len(q.content), where})
	if len(q.content) < mostQueued {
		return nil
	}
	return q.Flush()
}

// Flush decodes what waits. The error is of the first picture that has one.
func (q *PictureQueue) Flush() error {
	errs := make([]error, len(q.queued))
	var next atomic.Int64
	var all sync.WaitGroup
	for _, s := range q.scalers[:min(len(q.scalers), len(q.queued))] {
		all.Go(func() {
			for k := int(next.Add(1)) - 1; k < len(errs); k = int(next.Add(1)) - 1 {
				one := &q.queued[k]
				if err := s.decode(one.row, q.content[one.lo:one.hi]); err != nil {
					errs[k] = fmt.Errorf("%s: %w", one.where(), err)
				}
			}
		})
	}
	all.Wait()
	q.content, q.queued = q.content[:0], q.queued[:0]
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
