package data

import (
	"archive/zip"
	"errors"
	"fmt"
	"path"

	"github.com/hansa-fl/hansa/framework/host"
)

// ReadZippedIDX is ReadPackedIDX of a member of a ZIP archive, by the last element of its name.
// The member may be packed by gzip.
func ReadZippedIDX(archive, name string, n int) (x *IDX, err error) {
	file, err := host.Open(archive)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	z, err := zip.NewReader(file, info.Size())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", archive, err)
	}
	for _, f := range z.File {
		if path.Base(f.Name) != name {
			continue
		}
		if x, err = readZippedIDX(f, n); err != nil {
			return nil, fmt.Errorf("%s: %s: %w", archive, name, err)
		}
		return x, nil
	}
	return nil, fmt.Errorf("%s: there is no %s in it", archive, name)
}

func readZippedIDX(f *zip.File, n int) (*IDX, error) {
	if f.UncompressedSize64 > maxSize {
		return nil, fmt.Errorf("%d bytes", f.UncompressedSize64)
	}
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	content, most, err := unpack(r, int64(f.UncompressedSize64))
	if err != nil {
		return nil, errors.Join(err, r.Close())
	}
	x, err := readIDX(content, most, n)
	return x, errors.Join(err, r.Close())
}
