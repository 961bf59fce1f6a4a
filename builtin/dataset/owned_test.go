package dataset

import (
	"archive/tar"
	"bytes"
	"fmt"
	"image/color"
	"slices"
	"strings"
	"testing"
)

// tarFile returns a tar of files, by name and content in turn.
func tarFile(t *testing.T, files ...any) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for k := 0; k < len(files); k += 2 {
		content, is := files[k+1].([]byte)
		if !is {
			content = []byte(files[k+1].(string))
		}
		err := w.WriteHeader(&tar.Header{Name: files[k].(string), Typeflag: tar.TypeReg,
			Mode: 0o644, Size: int64(len(content))})
		if err == nil {
			_, err = w.Write(content)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Samples of a tar have the pictures, classes and owners that were written.
//
//hansa:verifies theorem dataset/webdataset
func TestWebDataset(t *testing.T) {
	folder := t.TempDir()
	sample := func(k int) []any {
		key := fmt.Sprintf("dir/%04d", k)
		return []any{key + ".cls", fmt.Sprintf("%d\n", k%3), key + ".JSON", fmt.Sprintf(`{"speaker": "s%d"}`, k%2),
			key + ".png", shade(t, uint8(k), 4, 4), key + ".seg.txt", "more"}
	}
	put(t, tarFile(t, slices.Concat(sample(0), sample(1), sample(2))...), folder, "web", "train-0.tar")
	put(t, tarFile(t, slices.Concat(sample(3), sample(4))...), folder, "web", "train-1.tar")
	put(t, tarFile(t, slices.Concat(sample(8), sample(9))...), folder, "web", "test-0.tar")
	given := map[string]any{"train_files": "web/train-*.tar", "test_files": "web/test-*.tar",
		"size": int64(4), "classes": int64(3), "grey": true, "owner": "speaker"}
	train, test := loadPacked(t, WebDataset, given, 2, folder)
	if !slices.Equal(train.Y, []int{0, 1, 2, 0, 1}) || !slices.Equal(train.Owner, []int{0, 1, 0, 1, 0}) ||
		test.Packed.Bytes[16] != 9 || train.Packed.Bytes[4*16] != 4 {
		t.Errorf("%v of %v; %v", train.Y, train.Owner, test.Packed.Bytes)
	}
	plain := with(given, map[string]any{"owner": "none"})
	pinning(t, WebDataset, plain, folder)
	examined := WebDataset
	examined.Example = plain
	examine(t, examined, folder)
	for want, files := range map[string][]any{
		`web/train-0.tar: sample "a": there is no .cls`:                             {"a.png", "x"},
		`sample "a": class "3" is none of the numbers 0 to 2`:                       {"a.png", "x", "a.cls", "3"},
		`sample "a": there are 0 pictures, want one`:                                {"a.cls", "1"},
		`web/train-0.tar: sample "a": neither PNG nor JPEG: begins with 0x78`:       {"a.png", "x", "a.cls", "1"},
		`sample "a" has two files "cls"`:                                            {"a.cls", "1", "a.CLS", "2"},
		`web/train-0.tar and 1 more files: 9 rows asked for, 3 there`:               {"a.png", "x", "a.cls", "1"},
		`web/train-0.tar: damaged or cut off after sample "": archive/tar: invalid`: nil,
	} {
		content := tarFile(t, files...)
		if files == nil {
			content = bytes.Repeat([]byte("no tar"), 200)
		}
		put(t, content, folder, "web", "train-0.tar")
		more := map[string]any{}
		if strings.Contains(want, "9 rows") {
			more["train"] = int64(9)
		}
		if err := refuse(t, WebDataset, with(plain, more), folder); !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

// Folders of Tiny ImageNet have the pictures of their classes, in turns; test rows are those of the
// annotations.
//
//hansa:verifies source dataset/tiny-imagenet
func TestTinyImageNet(t *testing.T) {
	folder := t.TempDir()
	for k, class := range []string{"n01", "n02", "n03"} {
		for i := range 2 {
			put(t, shade(t, uint8(10*k+i), 4, 4), folder, "tiny", "train", class, "images", fmt.Sprintf("%s_%d.JPEG", class, i))
		}
		put(t, shade(t, uint8(100+k), 4, 4), folder, "tiny", "val", "images", fmt.Sprintf("val_%d.JPEG", k))
	}
	put(t, []byte("val_2.JPEG\tn03\t0\t32\t44\t62\nval_0.JPEG\tn01\t1\t1\t2\t2\n"), folder, "tiny", "val", "val_annotations.txt")
	given := map[string]any{"folder": "tiny", "classes": int64(3), "size": int64(4), "grey": true}
	train, test := loadPacked(t, TinyImageNet, given, 1, folder)
	if !slices.Equal(train.Y, []int{0, 1, 2, 0, 1, 2}) || !slices.Equal(test.Y, []int{2, 0}) ||
		train.Packed.Bytes[16] != 10 || train.Packed.Bytes[48] != 1 || test.Packed.Bytes[0] != 102 {
		t.Errorf("%v, %v: %v", train.Y, test.Y, train.Packed.Bytes)
	}
	pinning(t, TinyImageNet, given, folder)
	examined := TinyImageNet
	examined.Example = given
	examine(t, examined, folder)
	put(t, []byte("val_2.JPEG\tn09\n"), folder, "tiny", "val", "val_annotations.txt")
	if err := refuse(t, TinyImageNet, given, folder); !strings.Contains(err.Error(),
		`val_annotations.txt:1:12: "n09" is none of the 3 classes`) {
		t.Errorf("error %v", err)
	}
}

// Faces have the attribute and the celebrity of the two lists; a celebrity with few pictures is
// left out.
//
//hansa:verifies source dataset/celeba
func TestCelebA(t *testing.T) {
	folder := t.TempDir()
	identity, attr := "", "9\nYoung Smiling \n"
	for k := range 9 {
		name := fmt.Sprintf("%06d.jpg", k+1)
		put(t, shade(t, uint8(k), 4, 4), folder, "celeba", "img_align_celeba", name)
		identity += fmt.Sprintf("%s %d\n", name, []int{10, 9, 10, 9, 10, 9, 10, 9, 2}[k])
		attr += fmt.Sprintf("%s  1 %s\n", name, []string{"-1", " 1"}[k/2%2])
	}
	put(t, []byte(identity), folder, "celeba", "identity_CelebA.txt")
	put(t, []byte(attr), folder, "celeba", "list_attr_celeba.txt")
	given := map[string]any{"size": int64(4), "grey": true, "least": int64(2)}
	train, _ := loadPacked(t, CelebA, given, 2, folder)
	if !slices.Equal(train.Owner, []int{1, 0, 1, 0, 1, 0, 1, 0}) || train.Packed.Bytes[7*16] != 7 ||
		!slices.Equal(train.Y, []int{0, 0, 1, 1, 0, 0, 1, 1}) {
		t.Errorf("%v of %v", train.Y, train.Owner)
	}
	held, out := loadPacked(t, CelebA, with(given, map[string]any{"held_out": 0.25}), 2, folder)
	if held.Len() != 6 || !slices.Equal(slices.Sorted(slices.Values(out.Owner)), []int{0, 1}) {
		t.Errorf("%d rows, tests of %v", held.Len(), out.Owner)
	}
	if err := refuse(t, CelebA, with(given, map[string]any{"attribute": "Tall"}), folder); !strings.Contains(
		err.Error(), `list_attr_celeba.txt:2:1: there is no attribute "Tall"; there are Young, Smiling`) {
		t.Errorf("error %v", err)
	}
}

// A table says whose the pictures of folders are, and an array whose the rows of features.
func TestOwnersByTable(t *testing.T) {
	folder := t.TempDir()
	table := "owner,file\n"
	for k, name := range []string{"cat/1.png", "cat/2.png", "dog/1.png", "dog/2.png"} {
		put(t, plain(t, color.Gray{uint8(k)}, 3, 3, false), folder, "set", name)
		table += []string{"eve", "bob"}[k%2] + "," + name + "\n"
	}
	put(t, []byte(table), folder, "owners.csv")
	given := map[string]any{"train_folder": "set", "classes": int64(2), "size": int64(3), "owner_table": "owners.csv"}
	train, _ := loadPacked(t, Images, given, 2, folder)
	if !slices.Equal(train.Owner, []int{1, 1, 0, 0}) || !slices.Equal(train.Y, []int{0, 1, 0, 1}) {
		t.Errorf("%v of %v", train.Y, train.Owner)
	}
	one, _ := loadPacked(t, Images, with(given, map[string]any{"owners": "first"}), 1, folder)
	if one.Len() != 2 || one.Packed.Bytes[0] != 1 {
		t.Errorf("%d rows of the first owner", one.Len())
	}
	put(t, []byte("file,owner\n1.png,eve\n"), folder, "owners.csv")
	if err := refuse(t, Images, given, folder); !strings.Contains(err.Error(), "owners.csv: there is no owner of "+
		folder+"/set/cat/2.png") {
		t.Errorf("error %v", err)
	}

	put(t, idxFile([]byte{1, 2, 3, 4, 5, 6}, 3, 2), folder, "x")
	put(t, idxFile([]byte{0, 1, 0}, 3), folder, "y")
	put(t, idxFile([]byte{1, 0, 1}, 3), folder, "owners")
	rows, _ := loadPacked(t, Features, map[string]any{"train": "x", "train_labels": "y", "train_owners": "owners",
		"features": int64(2), "classes": int64(2), "scale": "raw"}, 2, folder)
	if !slices.Equal(rows.Owner, []int{1, 0, 1}) || rows.X.Row(2)[1] != 6 {
		t.Errorf("%+v", rows)
	}
	if got := problems(t, Features, map[string]any{"train": "x", "test": "x", "train_owners": "owners",
		"features": int64(2)}); !strings.Contains(got, "come together") {
		t.Error(got)
	}
}
