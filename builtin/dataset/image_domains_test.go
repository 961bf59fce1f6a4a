package dataset

import (
	"image/color"
	"slices"
	"strings"
	"testing"
)

// office returns a folder with pictures of two domains and classes.
func office(t *testing.T) string {
	folder := t.TempDir()
	for d, domain := range []string{"dslr", "webcam"} {
		for c, class := range []string{"bike", "mug"} {
			for k := range 4 {
				shade := uint8(100*d + 50*c + 5*k)
				put(t, plain(t, color.Gray{shade}, 3+k, 5, false), folder, "office", domain, class,
					string(rune('0'+k))+".png")
			}
		}
	}
	return folder
}

// Pictures of each domain are those of its folder, in the order of domains, and a share of each class
// is drawn for tests.
//
//hansa:verifies theorem dataset/image-domains
func TestImageDomains(t *testing.T) {
	folder := office(t)
	given := map[string]any{"folder": "office", "domains": []any{"webcam", "dslr"},
		"classes": int64(2), "size": int64(2), "held_out": 0.25}
	train, test := take(t, ImageDomains, given, folder)
	if train.Len() != 12 || test.Len() != 4 || !slices.Equal(train.Shape.Domains, []string{"webcam", "dslr"}) {
		t.Fatalf("%d and %d rows of %v", train.Len(), test.Len(), train.Shape.Domains)
	}
	for r := range train.Len() {
		got, least := 255*train.X.Row(r)[0], float64(100*(1-train.Domain[r])+50*train.Y[r])
		if got < least-0.5 || got > least+15.5 {
			t.Errorf("row %d of domain %d and class %d has pixels of %v", r, train.Domain[r],
				train.Y[r], got)
		}
	}
	some, _ := take(t, ImageDomains, with(given, map[string]any{"train": int64(2), "held_out": 0.0}), folder)
	if some.Len() != 4 || !slices.Equal(some.Domain, []int{0, 0, 1, 1}) {
		t.Errorf("%d rows of domains %v", some.Len(), some.Domain)
	}
	pinning(t, ImageDomains, given, folder)
	example := ImageDomains
	example.Example = with(ImageDomains.Example, map[string]any{"classes": int64(2), "size": int64(4)})
	examine(t, example, folder)
}

// Domains with other classes, or none, are refused.
func TestImageDomainsRefuses(t *testing.T) {
	given := map[string]any{"folder": "office", "domains": []any{"dslr", "webcam"},
		"classes": int64(2), "size": int64(2)}
	for want, change := range map[string]func(folder string) map[string]any{
		"dslr has 2 classes, want 3": func(string) map[string]any {
			return map[string]any{"classes": int64(3)}
		},
		"not found: office/nowhere": func(string) map[string]any {
			return map[string]any{"domains": []any{"dslr", "nowhere"}}
		},
		"webcam has other classes than dslr": func(folder string) map[string]any {
			put(t, plain(t, color.Black, 1, 1, false), folder, "office/webcam/bird/1.png")
			return nil
		},
	} {
		folder := office(t)
		err := refuse(t, ImageDomains, with(given, change(folder)), folder)
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
		given := with(given, change(folder))
		if found := inspected(build(t, ImageDomains, given, 1), &ImageDomains, folder); len(found) == 0 {
			t.Errorf("%s: nothing is found before", want)
		}
	}
}
