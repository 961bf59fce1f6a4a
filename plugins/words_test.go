package plugins

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/hansa-fl/hansa/plugins/symbols"
	"github.com/hansa-fl/hansa/plugins/testdata/panics"
	"github.com/hansa-fl/hansa/plugins/vet"
)

// ways are the functions of testdata/panics, compiled.
var ways = map[string]func(){
	"AssertFunction": panics.AssertFunction, "AssertInterface": panics.AssertInterface,
	"AssertMethod": panics.AssertMethod, "AssertNil": panics.AssertNil,
	"AssertNilInterface": panics.AssertNilInterface, "AssertOther": panics.AssertOther,
	"AssertPointer": panics.AssertPointer, "AssertUnnamed": panics.AssertUnnamed,
	"CompareSlices": panics.CompareSlices, "CompareStructs": panics.CompareStructs,
	"CompareWithin": panics.CompareWithin, "Divide": panics.Divide, "Held": panics.Held,
	"HeldFloat": panics.HeldFloat, "IndexArray": panics.IndexArray,
	"IndexBelow": panics.IndexBelow, "IndexSlice": panics.IndexSlice,
	"IndexText": panics.IndexText, "MakeBelow": panics.MakeBelow,
	"MakeCapacity": panics.MakeCapacity, "MakeCapacityBelow": panics.MakeCapacityBelow,
	"MakeHuge": panics.MakeHuge, "MakeMap": panics.MakeMap, "MakeWide": panics.MakeWide,
	"NilArray": panics.NilArray, "NilDeferred": panics.NilDeferred, "NilField": panics.NilField,
	"NilFunction": panics.NilFunction, "NilInterface": panics.NilInterface,
	"NilLocal": panics.NilLocal, "NilMap": panics.NilMap, "NilMethod": panics.NilMethod,
	"NilNext": panics.NilNext, "NilPointer": panics.NilPointer,
	"NilPointerRead": panics.NilPointerRead, "NilPointerWhole": panics.NilPointerWhole,
	"NilReceiver": panics.NilReceiver, "NilReceiverCopied": panics.NilReceiverCopied,
	"Number": panics.Number, "Remainder": panics.Remainder, "Shift": panics.Shift,
	"SliceArray": panics.SliceArray, "SliceArrayPointer": panics.SliceArrayPointer,
	"SliceHigh": panics.SliceHigh, "SliceHighBelow": panics.SliceHighBelow,
	"SliceLow": panics.SliceLow, "SliceLowBelow": panics.SliceLowBelow,
	"SliceOrder": panics.SliceOrder, "SliceSmall": panics.SliceSmall,
	"SliceText": panics.SliceText, "SliceTextHigh": panics.SliceTextHigh,
	"SliceTextOrder": panics.SliceTextOrder, "SliceThree": panics.SliceThree,
	"SliceThreeLow": panics.SliceThreeLow, "SliceThreeOrder": panics.SliceThreeOrder,
	"Text": panics.Text, "ToArray": panics.ToArray, "ToArrayPointer": panics.ToArrayPointer,
}

// numbers are what Go says of an index and of bounds that are out of range, and the interpreter does
// not.
var numbers = regexp.MustCompile(` \[[-:\d]+\]( with (length|capacity) \d+)?$`)

// What a fault says of a panic are the words of Go, interpreted as compiled. Of an index and of
// bounds that are out of range the interpreter does not say the numbers.
func TestPanicsHaveTheWordsOfGo(t *testing.T) {
	text, err := os.ReadFile("testdata/panics/panics.go")
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), "\nfunc "); n != len(ways)+3 { // and the methods
		t.Errorf("%d functions, and %d are run", n, len(ways)+3)
	}
	pkg, problems := vet.CheckProgram([]vet.File{{Name: "p.go", Text: string(text)}}, nil)
	if problems != nil {
		t.Fatal(problems)
	}
	for name, compiled := range ways {
		m, err := newMachine(t.Context(), pkg, time.Minute, yaegi{symbols.Table()})
		if err != nil {
			t.Fatal(err)
		}
		err = m.call("p", name, func() error { m.value(name).Call(nil); return nil })
		want := "panic: " + new(compiledEvaluation).words(panicOf(compiled))
		if strings.Contains(want, " out of range [") {
			want = numbers.ReplaceAllString(want, "")
		}
		if fault, ok := err.(*Fault); !ok || fault.Message != want {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
		m.stop()
	}
}

// panicOf returns what a function panics with.
func panicOf(f func()) (p any) {
	defer func() { p = recover() }()
	f()
	return fmt.Errorf("no panic")
}
