package datasets

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hansa-fl/hansa/framework/host"
	"github.com/hansa-fl/hansa/framework/session/phrase"
)

// An Item is what a list of data sets says of one.
type Item struct {
	Name, Size string
	About      string // where it lies, how to get it, its licence and its page, a line each
}

// Listing returns the data sets that are known, and where they lie in some folders.
func Listing(folders []string) (items []Item) {
	for _, set := range Known() {
		size := int64(0)
		for _, f := range set.Files {
			size += f.Size
		}
		items = append(items, Item{set.Name, phrase.Count(len(set.Files), "file", "files") + ", " +
			host.Bytes(float64(size)), Where(set, folders) + "\nget: " + Source(set) +
			"\nlicence: " + set.Licence + "\n" + set.Page})
	}
	for _, set := range Guided() {
		items = append(items, Item{set.Name, "no checksum is known",
			"get: " + Source(set) + "\nlicence: " + set.Licence + "\n" + set.Page})
	}
	return items
}

// Sums returns the checksums of all files that are known, as sha256sum prints them.
func Sums() string {
	var b strings.Builder
	for _, set := range Known() {
		for _, f := range slices.Concat(set.Files, set.Parts) {
			fmt.Fprintf(&b, "%s  %s/%s\n", f.SHA256, set.Name, f.Name)
		}
	}
	return b.String()
}
