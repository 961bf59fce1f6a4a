package tensor_test

import (
	"fmt"
	"math"

	"github.com/hansa-fl/hansa/framework/tensor"
)

// The robust learning rate (Ozdayi, Kantarcioglu, Gel, AAAI 2021): where fewer than two more
// clients go one way than the other, the server goes back.
func ExampleVector_AddSigns() {
	global := tensor.Vector{0, 0, 0}
	models := [][]float64{{1, 1, -1}, {2, -3, -1}, {3, 1, -1}}
	w := tensor.Vector{1, 1, 1}
	rate := make(tensor.Vector, 3)
	rate.AddSigns(w, models, global)
	fmt.Println("votes", rate)
	rate.Abs()
	rate.AtLeast(2) // 1 or 0
	rate.Scale(2)
	rate.AddConst(-1) // 1 or −1
	fmt.Println("rate", rate)
	// Output:
	// votes [3 1 -3]
	// rate [1 -1 1]
}

// The attack "A Little Is Enough" (Baruch, Baruch, Goldberg, NeurIPS 2019): as far from the mean as
// z standard deviations, in every coordinate.
func ExampleVector_AddSquares() {
	models := [][]float64{{1, 10}, {3, 14}}
	w := tensor.Vector{0.5, 0.5}
	attack, deviation := make(tensor.Vector, 2), make(tensor.Vector, 2)
	attack.AddWeighted(w, models)
	deviation.AddSquares(w, models, attack)
	deviation.Sqrt()
	attack.AddScaled(-1.5, deviation)
	fmt.Println(attack)
	// Output: [0.5 9]
}

// A mean where clients agree in sign, the model as it was elsewhere.
func ExampleSelect() {
	global := tensor.Vector{5, 5}
	models := [][]float64{{6, 7}, {7, 4}}
	mean, agree := make(tensor.Vector, 2), make(tensor.Vector, 2)
	mean.AddWeighted(tensor.Vector{0.5, 0.5}, models)
	agree.AddSigns(tensor.Vector{1, 1}, models, global)
	agree.Abs()
	agree.AtLeast(2)
	tensor.Select(mean, agree, mean, global)
	fmt.Println(mean)
	// Output: [6.5 5]
}

// NaN is unequal to itself: it is found, counted and replaced.
func ExampleLessEqual() {
	v := tensor.Vector{1, math.NaN(), 3}
	number := make(tensor.Vector, 3)
	tensor.LessEqual(number, v, v)
	fmt.Println(number.Sum(), "numbers")
	tensor.Select(v, number, v, make(tensor.Vector, 3))
	fmt.Println(v)
	// Output:
	// 2 numbers
	// [1 0 3]
}

// MeaMed: the mean of the n − f models nearest to the median, coordinate by coordinate.
func ExampleMeanAround() {
	models := [][]float64{{1, 10}, {2, 11}, {3, 12}, {1e9, math.NaN()}}
	next := make(tensor.Vector, 2)
	tensor.Median(next, models)
	tensor.MeanAround(next, models, next, 3)
	fmt.Println(next)
	// Output: [2 11]
}

func ExampleQuantile() {
	models := [][]float64{{4}, {1}, {3}, {2}}
	q := make(tensor.Vector, 1)
	tensor.Quantile(q, models, 0.25)
	fmt.Println(q)
	// Output: [1.75]
}

// Any mean of ranks, here the midrange: half of the least and half of the largest.
func ExampleSortColumns() {
	models := [][]float64{{4, 9}, {1, 5}, {2, 6}}
	sorted := tensor.NewMatrix(3, 2)
	tensor.SortColumns(sorted, models)
	fmt.Println(sorted.Row(0), sorted.Row(1), sorted.Row(2))
	next := sorted.Row(0).Clone()
	next.Add(sorted.Row(2))
	next.Scale(0.5)
	fmt.Println(next)
	// Output:
	// [1 5] [2 6] [4 9]
	// [2.5 7]
}

// Sparsification with error feedback: what is not sent now is added to the next update.
func ExampleVector_TopK() {
	update, residual := tensor.Vector{0.3, -4, 2, 0.1}, tensor.Vector{0.1, 0, 0, 0}
	update.Add(residual)
	copy(residual, update)
	update.TopK(2)
	residual.Sub(update)
	fmt.Println(update, residual)
	// Output: [0 -4 2 0] [0.4 0 0 0.1]
}

// Trust by direction (FLTrust: Cao, Fang, Liu, Gong, NDSS 2021): no update counts that points away.
func ExampleVector_Cosine() {
	server := tensor.Vector{1, 1}
	for _, update := range []tensor.Vector{{2, 2}, {1, 0}, {-1, -1}} {
		fmt.Printf("%.2f ", max(0, update.Cosine(server)))
	}
	// Output: 1.00 0.71 0.00
}

// Some coordinates of every model, for instance to look for a direction among them.
func ExampleGather() {
	few := make(tensor.Vector, 2)
	tensor.Gather(few, tensor.Vector{10, 11, 12, 13}, []int{3, 1})
	fmt.Println(few)
	// Output: [13 11]
}
