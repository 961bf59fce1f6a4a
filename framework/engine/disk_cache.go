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

// recall returns what make returned when it was first called for a key: for another cell of this
// run, or in an earlier one.
func (o *Options) recall(key string, make func() (fl.Tensors, error)) (fl.Tensors, error) {
	at := memoKey{what: tensors, setting: key}
	return remember(o.Memo, at, func() (fl.Tensors, error) { return o.take(key, make) })
}

// take takes tensors from the cache on disk, or makes them and puts them there.
func (o *Options) take(key string, make func() (fl.Tensors, error)) (made fl.Tensors, err error) {
	if o.DiskCache == nil {
		return make()
	}
	if content, ok := o.DiskCache.Take(key); ok {
		if gob.NewDecoder(bytes.NewReader(content)).Decode(&made) == nil {
			return made, nil
		}
	}
	if made, err = make(); err != nil {
		return nil, err
	}
	var content bytes.Buffer
	if err := gob.NewEncoder(&content).Encode(made); err != nil {
		return nil, err
	}
	o.DiskCache.Put(key, content.Bytes())
	return made, nil
}
