package symbols

import (
	"reflect"
	"strings"

	"github.com/hansa-fl/hansa/framework/tensor"
)

// addressable is how many bytes Go makes no slice of, whatever memory there is.
const addressable = 1 << 48

// length returns the length of a slice that is to be made, or that of a map, of elements of so many
// bytes. It panics where there is no memory for it: as Go does where there never is.
func length(n, bytes int) int {
	if n > 0 && uint64(n) > addressable/uint64(bytes) {
		_ = make([]struct{}, -min(n, 1))
	}
	tensor.Fit(n, bytes)
	return n
}

// capacity is length for the capacity of a slice.
func capacity(n, bytes int) int {
	if n > 0 && uint64(n) > addressable/uint64(bytes) {
		_ = make([]struct{}, 0, -min(n, 1))
	}
	tensor.Fit(n, bytes)
	return n
}

// roomy are the functions of package strings that make a text whose length their arguments
// multiply, of texts that there is memory for.
func roomy() map[string]reflect.Value {
	return map[string]reflect.Value{
		"Repeat": reflect.ValueOf(func(s string, count int) string {
			tensor.Fit(count, len(s))
			return strings.Repeat(s, count)
		}),
		"Join": reflect.ValueOf(func(list []string, between string) string {
			sum := max(0, len(list)-1) * len(between)
			for _, s := range list {
				sum += len(s)
			}
			tensor.Fit(sum, 1)
			return strings.Join(list, between)
		}),
		"Replace": reflect.ValueOf(func(s, old, by string, n int) string {
			fitsReplaced(s, old, by, n)
			return strings.Replace(s, old, by, n)
		}),
		"ReplaceAll": reflect.ValueOf(func(s, old, by string) string {
			fitsReplaced(s, old, by, -1)
			return strings.ReplaceAll(s, old, by)
		}),
	}
}

// fitsReplaced panics where there is no memory for a text with n parts replaced, or all of them.
func fitsReplaced(s, old, by string, n int) {
	if times := strings.Count(s, old); n < 0 || times < n {
		n = times
	}
	tensor.Fit(n, len(by))
}
