package dataset

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/data"
	"github.com/hansa-fl/hansa/framework/data/datatest"
	"github.com/hansa-fl/hansa/framework/fl"
)

// Images and labels are those that are published.
//
//hansa:verifies source dataset/usps
func TestUSPS(t *testing.T) {
	train, test := loadFrom(t, USPS, nil)
	for _, c := range []struct {
		d    *fl.Dataset
		want []int
	}{
		{train, []int{1194, 1005, 731, 658, 652, 556, 664, 645, 542, 644}},
		{test, []int{359, 264, 198, 166, 200, 160, 170, 147, 166, 177}},
	} {
		if got := counts(c.d); !slices.Equal(got, c.want) {
			t.Errorf("digits %v, want %v", got, c.want)
		}
		if least, most := slices.Min(c.d.X.Data), slices.Max(c.d.X.Data); least != 0 || most != 1 {
			t.Errorf("pixels from %v to %v, want 0 to 1", least, most)
		}
	}
}

// Enlarged digits are those that another program enlarged bilinearly to 28×28 and padded to
// 32×32, up to its rounding.
func TestUSPSEnlarged(t *testing.T) {
	const rows = 300
	given := map[string]any{"train": int64(rows), "size": int64(28)}
	train, _ := loadFrom(t, USPS, given)
	if want := (fl.Image{C: 1, H: 28, W: 28}); train.Shape.Image != want || train.Len() != rows {
		t.Fatalf("%d images of %+v", train.Len(), train.Shape.Image)
	}
	x, y := make([]uint8, rows*3*32*32), make([]int, rows)
	layout := data.CIFAR{Labels: 1, Classes: 10}
	path := datatest.Folder(t) + "/digits-domains/usps_train.bin.gz"
	if err := layout.ReadFile(path, x, y); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(train.Y, y) {
		t.Error("other digits")
	}
	worst := 0.0
	for i := range rows {
		for k, v := range train.X.Row(i) {
			padded := float64(x[i*3*32*32+32*(k/28+2)+k%28+2])
			worst = max(worst, math.Abs(255*v-padded))
		}
	}
	if worst > 2 {
		t.Errorf("a pixel is off by %v of 255", worst)
	}
}

func TestUSPSRefuses(t *testing.T) {
	const want = "size: 15 is outside [16, 64]"
	if got := problems(t, USPS, map[string]any{"size": int64(15)}); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	err := refuse(t, USPS, nil, t.TempDir())
	if !strings.Contains(err.Error(), "name a mirror to `hansa data get usps --from`") {
		t.Errorf("error %v", err)
	}
}
