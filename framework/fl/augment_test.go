package fl

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// picture is an image of two channels whose pixels all differ, and none is zero.
func picture(image Image) Vector {
	v := make(Vector, image.Len())
	for i := range v {
		v[i] = float64(1 + i)
	}
	return v
}

// Crops are parts of the image with zeros around it, at all places alike, in all channels the same.
func TestCropsAndFlips(t *testing.T) {
	image := Image{C: 2, H: 3, W: 4}
	src, dst, rng := picture(image), make(Vector, image.Len()), rand.New(rand.NewPCG(1, 2))
	a := Augmentation{Crop: 1, Flip: true}
	seen := map[[3]int]int{}
	for range 1800 {
		a.apply(dst, src, image, rng)
		found := 0
		for down := -1; down <= 1; down++ {
			for across := -1; across <= 1; across++ {
				for flip := range 2 {
					if slices.Equal(dst, shifted(src, image, down, across, flip == 1)) {
						seen[[3]int{down, across, flip}]++
						found++
					}
				}
			}
		}
		if found != 1 {
			t.Fatalf("%v is %d of the images that there are", dst, found)
		}
	}
	for at, n := range seen {
		if n < 60 || n > 145 { // 100 expected; five standard deviations are 49
			t.Errorf("%v occurs %d times", at, n)
		}
	}
	if len(seen) != 18 {
		t.Errorf("%d different images, want 18", len(seen))
	}
}

// shifted is an image as its definition has it.
func shifted(src Vector, image Image, down, across int, flip bool) Vector {
	dst := make(Vector, len(src))
	for c := range image.C {
		for y := range image.H {
			for x := range image.W {
				from := x
				if flip {
					from = image.W - 1 - x
				}
				yy, xx := y+down, from+across
				if yy >= 0 && yy < image.H && xx >= 0 && xx < image.W {
					dst[(c*image.H+y)*image.W+x] = src[(c*image.H+yy)*image.W+xx]
				}
			}
		}
	}
	return dst
}

// Cutout sets a square to zero, which is smaller at the edge, and leaves all else.
func TestCutout(t *testing.T) {
	image := Image{C: 2, H: 5, W: 4}
	src, dst, rng := picture(image), make(Vector, image.Len()), rand.New(rand.NewPCG(3, 4))
	a := Augmentation{Cutout: 3}
	sizes := map[int]int{}
	for range 400 {
		a.apply(dst, src, image, rng)
		cut, top, bottom, left, right := 0, image.H, -1, image.W, -1
		for i, v := range dst {
			switch x, y := i%image.W, i/image.W%image.H; {
			case v == 0:
				cut++
				top, bottom, left, right = min(top, y), max(bottom, y), min(left, x), max(right, x)
			case v != src[i]:
				t.Fatalf("pixel %d changed", i)
			}
		}
		if area := (bottom - top + 1) * (right - left + 1); cut != image.C*area {
			t.Fatalf("%d pixels are cut out of a box of %d", cut, area)
		}
		sizes[cut/image.C]++
	}
	if sizes[9] == 0 || sizes[4] == 0 || len(sizes) != 3 {
		t.Errorf("sizes %v, want 4, 6 and 9", sizes)
	}
}

// Batches have their rows as they are that time; the client's own rows never change. Without
// augmentation nothing is drawn or copied.
func TestBatchesAreAugmented(t *testing.T) {
	image := Image{C: 1, H: 2, W: 3}
	data := Dataset{Shape: Shape{Features: 6, Image: image}, X: NewMatrix(4, 6), Y: make([]int, 4)}
	for r := range 4 {
		copy(data.X.Row(r), picture(image))
	}
	before := slices.Clone(data.X.Data)
	task := &Task{Client: &Client{Data: data}, RNG: rand.New(rand.NewPCG(5, 6))}
	d := task.Descent()
	d.Batches = task.Batches(2)
	d.Augment = Augmentation{Flip: true}
	flips, seen := 0, 0
	for range 100 {
		for _, r := range d.Next() {
			seen++
			switch row := d.Data.X.Row(r); {
			case slices.Equal(row, Vector{3, 2, 1, 6, 5, 4}):
				flips++
			case !slices.Equal(row, picture(image)):
				t.Fatal(row)
			}
		}
	}
	if flips < 60 || flips > 140 || seen != 200 {
		t.Errorf("%d of %d images are flipped", flips, seen)
	}
	if !slices.Equal(data.X.Data, before) {
		t.Error("the client's rows changed")
	}
	plain := task.Descent()
	plain.Batches = task.Batches(2)
	if plain.Next(); plain.Data != &task.Client.Data {
		t.Error("rows are copied for nothing")
	}
}

// Mixed rows are λ of one row and 1 − λ of another of the batch, each of which is the other of one;
// labels are mixed likewise. λ is that of the batch.
func TestBatchesAreMixed(t *testing.T) {
	data := Dataset{Shape: Shape{Features: 6, Classes: 6}, X: NewMatrix(6, 6)}
	for r := range 6 { // rows say which they are, and labels likewise
		data.X.Row(r)[r] = 1
		data.Y = append(data.Y, r)
	}
	for _, size := range []int{0, 4} {
		task := &Task{Client: &Client{Data: data}, RNG: rand.New(rand.NewPCG(5, 6))}
		d := task.Descent()
		d.Batches, d.Augment = task.Batches(size), Augmentation{Mixup: 1}
		shares, whole := 0.0, 0
		for range 200 {
			rows, column := d.Next(), make(Vector, 6)
			if rows == nil {
				rows = []int{0, 1, 2, 3, 4, 5}
			}
			for _, r := range rows {
				row := Vector(d.Data.X.Row(r))
				if row.Distance(d.Guide.Targets.Prob.Row(r)) > 1e-15 {
					t.Fatalf("row %v has labels %v", row, d.Guide.Targets.Prob.Row(r))
				}
				if row[r] == 1 {
					whole++
				} else if shares == 0 || size == 0 {
					shares += row[r]
				}
				column.Add(row)
			}
			for r, sum := range column { // of all rows in which row r is
				if in := slices.Contains(rows, r); math.Abs(sum-1) > 1e-12 == in {
					t.Fatalf("row %d counts %v in the batch %v", r, sum, rows)
				}
			}
		}
		if mean := shares / float64(1200-whole); size == 0 && math.Abs(mean-0.5) > 0.08 {
			t.Errorf("the mean share is %v", mean)
		}
		if data.X.Row(1)[1] != 1 || data.X.Row(1)[0] != 0 {
			t.Error("the client's rows changed")
		}
	}
}

// Shares have the moments of Beta(α, α): mean ½, and variance 1/(4(2α + 1)).
func TestSharesAreBeta(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for _, alpha := range []float64{1e-4, 0.2, 1, 4} {
		const n = 4000
		mean, square := 0.0, 0.0
		for range n {
			x := symmetricBeta(rng, alpha)
			if !(x >= 0 && x <= 1) {
				t.Fatal(x)
			}
			mean += x / n
			square += (x - 0.5) * (x - 0.5) / n
		}
		want := 1 / (4 * (2*alpha + 1))
		if math.Abs(mean-0.5) > 5*math.Sqrt(want/n) || math.Abs(square/want-1) > 0.12 {
			t.Errorf("α = %v: mean %v, variance %v, want %v", alpha, mean, square, want)
		}
	}
}
