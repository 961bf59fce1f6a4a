package session

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/store"
)

// Folders are where data files are looked for, in this order: in the folder of the experiment, as
// plugins are, where there is one; in those of --data and of $HANSA_DATA; in the cache folder.
func Folders(experiment, flag string) []string {
	var all []string
	for _, dir := range slices.Concat([]string{experiment}, pathsIn(flag),
		pathsIn(os.Getenv("HANSA_DATA")), []string{DataCache()}) {
		if dir != "" && !slices.Contains(all, dir) {
			all = append(all, dir)
		}
	}
	return all
}

// pathsIn returns the folders of a list with the separator of the system, such as a:b, or the one
// folder that is called so.
func pathsIn(text string) []string {
	if _, err := os.Stat(text); err == nil {
		return []string{text}
	}
	return filepath.SplitList(text)
}

// folders are where the data files of an experiment are looked for.
func (x *Experiment) folders(o *Options) []string {
	if o.Folders != nil {
		return o.Folders
	}
	return Folders(x.Folder, o.Data)
}

// DataCache is where data sets lie when nothing else is said: hansa/data of the user's cache
// folder, or nothing where there is no such folder.
func DataCache() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "hansa", "data")
}

// DecodedCache is where the content of data files is kept that take long to decode: hansa/decoded
// of the user's cache folder, or nothing where there is no such folder. What is wrong with it is
// told to remark, unless that is nil.
func DecodedCache(remark func(text string)) fl.Decoded {
	dir, err := os.UserCacheDir()
	if err != nil {
		return nil
	}
	return &store.DecodedCache{Remark: remark, DiskCache: store.DiskCache{
		Dir: filepath.Join(dir, "hansa", "decoded"), Program: carried}}
}

// EncoderCache is where encoders that were trained are kept: hansa/encoders of the user's cache
// folder, or nothing where there is no such folder.
func EncoderCache() engine.DiskCache {
	dir, err := os.UserCacheDir()
	if err != nil {
		return nil
	}
	return &store.DiskCache{Dir: filepath.Join(dir, "hansa", "encoders"),
		Program: carried}
}
