package study

// A slot is a place of a setting for one component of a kind, which is called like it; that of
// public data is for one more dataset, and that of downloads for one more compressor.
type slot struct {
	name      string
	byDefault string // the component where a setting names none; empty: there is no default
	required  bool   // a setting names one in the end
	ofMethod  bool   // the component makes a method, and is no part of what methods share
}

// slotTable lists the slots in the order in which a reader meets them. "metrics" and "preprocess"
// hold lists and stand apart.
func slotTable() []slot {
	return []slot{
		{name: "dataset", required: true},
		{name: "partition", required: true},
		{name: "public"},
		{name: "importance", required: true},
		{name: "model", required: true},
		{name: "local", required: true, ofMethod: true},
		{name: "enrollment", byDefault: "everyone"},
		{name: "availability", byDefault: "always"},
		{name: "selection", byDefault: "all", ofMethod: true},
		{name: "completion"},
		{name: "compressor", ofMethod: true},
		{name: "download", ofMethod: true},
		{name: "adversary"},
		{name: "guard", ofMethod: true},
		{name: "aggregator", required: true, ofMethod: true},
	}
}

// slots are the names of the slots.
var slots = slotsThat(func(slot) bool { return true })

// slotsThat returns the names of some slots.
func slotsThat(hold func(s slot) bool) (names []string) {
	for _, s := range slotTable() {
		if hold(s) {
			names = append(names, s.name)
		}
	}
	return names
}

// Slots returns the names of the slots that hold one component each.
func Slots() []string { return append([]string(nil), slots...) }

// MethodKeys returns the keys of a setting whose components make a method.
func MethodKeys() []string {
	return append(slotsThat(func(s slot) bool { return s.ofMethod }), chainKey, "metrics")
}
