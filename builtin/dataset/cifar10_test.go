package dataset

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/data/datatest"
)

// TestCIFAR10 compares with what is known of the pictures: their first labels and pixel,
// and the test pictures of each class.
//
//hansa:verifies source dataset/cifar10
func TestCIFAR10(t *testing.T) {
	train, test := loadFrom(t, CIFAR10, map[string]any{"batches": int64(2), "train": int64(10_005)})
	if train.Len() != 10_005 || test.Len() != 10_000 {
		t.Fatalf("%d training and %d test rows", train.Len(), test.Len())
	}
	if want := []int{6, 9, 9, 4, 1, 1, 2, 7, 8, 3}; !slices.Equal(train.Y[:10], want) {
		t.Errorf("labels %v, want %v", train.Y[:10], want)
	}
	if want := []int{1, 6, 6, 8, 8}; !slices.Equal(train.Y[10_000:], want) {
		t.Errorf("labels of the second batch %v, want %v", train.Y[10_000:], want)
	}
	if want := []int{3, 8, 8, 0, 6, 6, 1, 6, 3, 1}; !slices.Equal(test.Y[:10], want) {
		t.Errorf("test labels %v, want %v", test.Y[:10], want)
	}
	for _, n := range counts(test) {
		if n != 1000 {
			t.Errorf("test pictures %v, want 1000 of each class", counts(test))
		}
	}
	for channel, want := range []float64{59, 62, 63} {
		if got := 255 * train.X.Row(0)[1024*channel]; math.Round(got) != want {
			t.Errorf("channel %d of the first pixel is %v, want %v", channel, got, want)
		}
	}
}

// Batches that are not there are an error that names them and what else can be done.
func TestCIFAR10Missing(t *testing.T) {
	err := refuse(t, CIFAR10, map[string]any{"train": int64(30_001)}, datatest.Folder(t))
	for _, want := range []string{
		"cifar10: not found: data_batch_3.bin data_batch_4.bin\nsearched: ",
		"by `hansa data get cifar10`, or use fewer batches: 4 are asked for",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("message lacks %q:\n%v", want, err)
		}
	}
}

func TestCIFAR10Refuses(t *testing.T) {
	given := map[string]any{"batches": int64(2), "train": int64(20_001)}
	if got := problems(t, CIFAR10, given); got != "train: 20001 rows of 20000" {
		t.Error(got)
	}
}
