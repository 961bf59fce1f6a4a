package engine

import (
	"bytes"
	"encoding/gob"

	"github.com/hansa-fl/hansa/framework/fl"
)

// A DiskCache keeps what takes long to make from one run of a program to the next. It returns what
// this program put there under the same key, to the byte, or nothing. Several goroutines may use
// it at once.
type DiskCache interface {
	Take(key string) (content []byte, ok bool)
	// Put may fail silently: what is not kept is made again.
	Put(key string, content []byte)
}

// recalled is what the cache holds: tensors, and the seconds that it took to make them.
type recalled struct {
	Tensors fl.Tensors
	Seconds float64
}

// recall returns what make returned when it was first called for a key: for another cell of this
// run, or in an earlier one. It also returns the seconds that make took.
func (o *Options) recall(
	key string, make func() (fl.Tensors, error),
) (made fl.Tensors, seconds float64, err error) {
	at := memoKey{what: tensors, setting: key}
	r, err := remember(o.Memo, at, func() (*recalled, error) { return o.take(key, make) })
	if err != nil {
		return nil, 0, err
	}
	return r.Tensors, r.Seconds, nil
}

// take takes tensors from the cache on disk, or makes them and puts them there.
func (o *Options) take(key string, make func() (fl.Tensors, error)) (*recalled, error) {
	if o.DiskCache != nil {
		if content, ok := o.DiskCache.Take(key); ok {
			old := new(recalled)
			if gob.NewDecoder(bytes.NewReader(content)).Decode(old) == nil {
				return old, nil
			}
		}
	}
	watch := startWatch()
	made, err := make()
	if err != nil {
		return nil, err
	}
	r := &recalled{made, watch.seconds()}
	if o.DiskCache == nil {
		return r, nil
	}
	var content bytes.Buffer
	if err := gob.NewEncoder(&content).Encode(r); err != nil {
		return nil, err
	}
	o.DiskCache.Put(key, content.Bytes())
	return r, nil
}
