package main

import (
	"errors"
	"fmt"
	"go/ast"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// starters are methods and functions that start goroutines, by whatever they are called on.
var starters = []string{"Go", "AfterFunc", "AddCleanup", "Parallel", "RunParallel", "Pull", "Pull2",
	"NewServer", "NewTLSServer", "NewUnstartedServer", "Serve", "ListenAndServe"}

// playing are packages that start no goroutine, but whose components share what they know among
// the goroutines of the engine, and those of their tests that run under the race detector: they
// call all that the menu has at once, or play rounds with several workers. The others play rounds
// with one, or do again with other components what these do.
var playing = map[string][]string{
	"builtin": {"TestContractAtOnce", "TestAsynchronousServersGoOn", "TestCompletionGoesOn",
		"TestDENSESurvives", "TestFedDFOnTokens", "TestFedKTIsExact", "TestGainSurvives",
		"TestLossesAreOfTheReceivedModel", "TestMeasuredOortGoesOn"},
}

// measuring are packages of which nothing is tested under the race detector, though their files
// would ask for it: one measures how fast a worker is, and what another locks is shared by tests
// of package plugins only.
var measuring = []string{"tools/bench", "plugins/grammar"}

// aloneIn are the packages of which some tests run without the race detector, and these tests: they
// keep to one goroutine, or measure memory or time, which the detector multiplies, or repeat for
// every kind of strategy, for every experiment, for thousands of programs or through long trainings
// what other tests do under the detector, or start programs that are built without it, or wait for
// a cluster.
var aloneIn = map[string][]string{
	"builtin/availability": {"TestAstronomicalLaws"},
	"builtin/preprocess": {"TestEncodersAreKnownByAllThatDecidesThem", "TestEncoderLearns",
		"TestChannelUndoesCasts", "TestChannelFitSeesTrainingImagesAlone",
		"TestSqueezeNetIsPublished", "TestFeaturesOfDigitsArePublished", "TestResNet20IsPublished"},
	"framework/tensor": {"TestDecompositions", "TestRanksAllocateNothing"},
	"plugins": {"TestGrammar", "TestRandomPrograms", "TestCorpora",
		"TestRulesWithoutLoopsAreTheRules", "TestRulesWithoutLoopsKeepTheContract",
		"TestNoLoopOverCoordinatesIsInterpreted", "TestInterpretedKeepsTheContract",
		"TestInterpretedReach", "TestBlendingInterpreted", "TestNamesAreTakenOnce"},
	"registry/contract": {"TestSeeds", "TestBadAggregators", "TestBadEntries",
		"TestBadAdversaries", "TestBadAvailability", "TestBadCompletions", "TestBadCompressors",
		"TestBadEnrollments", "TestBadGuards", "TestBadImportances",
		"TestBadLocalRules",
		"TestBadMetrics", "TestBadModels", "TestBadOptimizers", "TestBadPartitioners",
		"TestBadPreprocessors", "TestBadSelections", "TestBadSources"},
	"tools/hansa": {"TestCommands", "TestStoredStrategiesAreRebuilt", "TestEndsNameTheirLine",
		"TestCompiled", "TestCompiledGoesWrong", "TestCellsOfAllExperimentsAreStored",
		"TestNewWorksAsItIs", "TestNewCompilesByAnyName", "TestCluster", "TestDoctorOnSlurm",
		"TestLoopsAreSeenByTheirStatements", "TestHintsRunInAShell", "TestLocalRulesAreTimed",
		"TestSchemaAcceptsEveryExperiment", "TestCellsGoOn", "TestStoppedRunsGoOn",
		"TestCellTimeout", "TestKilledWorkers", "TestRangesAreExtended", "TestTrialsAreShown",
		"TestChangedStrategiesArePlannedAnew", "TestHostileRuns", "TestSchemaRefusesMistakes",
		"TestSchemaKnowsStrategies", "TestExportedCommands", "TestExportedScript",
		"TestResultsThatCannotBe", "TestSamplesComeWithTheProgram", "TestDoctor",
		"TestNewIsReadOffline", "TestNothingThatIsPublishedHasAbsolutePaths",
		"TestStrategyIsTuned", "TestCommandsKnowTrials", "TestExportedCellsAreResumed",
		"TestRunsRefuseWhatViolatesARequirement", "TestPyTorchLoadsExportedModels",
		"TestJoinALeaderboard", "TestOneSettingAcrossPoints", "TestEverySettingFailsSomewhere",
		"TestRangesOfSomePointsAreExtended"},
}

// waiting are those of the command in aloneIn that spend more time waiting than computing, for a
// cluster, for a program to end or for a limit to pass: they have a process of their own, beside
// the others.
var waiting = map[string][]string{
	command: {"TestCellTimeout", "TestCluster", "TestDoctorOnSlurm", "TestEndsNameTheirLine",
		"TestHintsRunInAShell", "TestKilledWorkers", "TestStoppedRunsGoOn"},
}

// inSteps are the packages of which some tests do again what a step does, which runs before them,
// and these tests.
var inSteps = map[string][]string{
	"tools/docs": {"TestDocsUpToDate"}, // generated
}

// goTest begins every command that tests. Its vetting is left out: that is a step, which has more
// to say. Where there is nice, it gives way to the tests that wait: they compute little, and it is
// for them that all wait in the end.
func goTest(args ...string) (list []string) {
	if _, err := exec.LookPath("nice"); err == nil {
		list = []string{"nice", "-n", "5"}
	}
	list = append(list, "go", "test", "-vet=off", "-timeout", testTimeout)
	return append(list, args...)
}

const testTimeout = "40m"

// command is the package whose tests take longest.
const command = "tools/hansa"

// watched returns the packages whose tests run under the race detector but for some: those with a
// file that starts a goroutine or imports sync.
func watched(top string) ([]string, error) {
	found := map[string]bool{}
	err := filepath.WalkDir(top, func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == "testdata", d.IsDir() && ownModule(top, file):
			return filepath.SkipDir
		case d.IsDir() || filepath.Ext(file) != ".go":
			return nil
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		s, err := parse(file, string(text))
		if err != nil {
			return err
		}
		dir, err := filepath.Rel(top, filepath.Dir(file))
		if err == nil && concurrent(s) {
			found[filepath.ToSlash(dir)] = true
		}
		return err
	})
	for p := range playing {
		delete(found, p) // which has commands of its own
	}
	for _, p := range measuring {
		delete(found, p)
	}
	return slices.Sorted(maps.Keys(found)), err
}

// ownModule reports whether a folder below the top is a module of its own.
func ownModule(top, dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil && dir != top
}

// concurrent reports whether a file starts a goroutine, or has what goroutines share.
func concurrent(s *source) (found bool) {
	for _, spec := range s.file.Imports {
		if p, _ := strconv.Unquote(spec.Path.Value); p == "sync" || path.Dir(p) == "sync" {
			return true
		}
	}
	ast.Inspect(s.file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			found = true
		case *ast.CallExpr:
			if x, ok := n.Fun.(*ast.SelectorExpr); ok && slices.Contains(starters, x.Sel.Name) {
				found = true
			}
		}
		return !found
	})
	return found
}

// pattern matches the names of the tests in lists.
func pattern(lists ...map[string][]string) string {
	var names []string
	for _, list := range lists {
		for _, of := range list {
			names = append(names, of...)
		}
	}
	slices.Sort(names)
	return "^(" + strings.Join(names, "|") + ")$"
}

// raced tests with the race detector what is watched. Tests of the command wait for a cluster, for
// worker processes, for time to pass: they begin first, and one package more is tested meanwhile.
func raced(w io.Writer) bool {
	packages, err := watched(".")
	if err != nil {
		fmt.Fprintln(w, err)
		return false
	}
	detector, err := raceDetector(os.Getenv("CI") == "true")
	if err != nil {
		fmt.Fprintln(w, err)
		return false
	}
	if len(detector) == 0 {
		fmt.Fprintln(w, "no C compiler: the tests run without the race detector")
	}
	args := append(goTest(detector...), "-skip", pattern(aloneIn),
		"-p", strconv.Itoa(runtime.NumCPU()+1))
	slices.Reverse(packages) // tools/hansa before all others
	for _, p := range packages {
		args = append(args, module+p)
	}
	play := append(goTest(detector...), "-run", pattern(playing))
	for _, p := range slices.Sorted(maps.Keys(playing)) {
		play = append(play, module+p)
	}
	return all(quiet(args...), quiet(play...))(w)
}

// raceDetector returns the flag that turns the race detector on. It is linked by a C compiler:
// on a machine that has Go and nothing else there is no flag, and in continuous integration that
// is an error.
func raceDetector(ci bool) ([]string, error) {
	cgo, err := exec.Command("go", "env", "CGO_ENABLED").Output()
	switch {
	case err != nil:
		return nil, fmt.Errorf("go env: %w", err)
	case strings.TrimSpace(string(cgo)) == "1":
		return []string{"-race"}, nil
	case ci:
		return nil, errors.New("CI=true asks for the race detector, which needs a C compiler")
	}
	return nil, nil
}

// unracedTests runs the tests of watched packages that are run without the race detector. Those of
// the command are built in a folder.
func unracedTests(dir string) func(io.Writer) bool {
	args := goTest("-run", pattern(aloneIn))
	for _, p := range slices.Sorted(maps.Keys(aloneIn)) {
		if p != command {
			args = append(args, module+p)
		}
	}
	const none = "^$"
	waits, all := pattern(waiting), pattern(map[string][]string{command: aloneIn[command]})
	return atOnce(commandTests(dir, waits, none), commandTests(dir, all, waits), quiet(args...))
}

// long are the packages whose tests take longest of those that are not watched.
var long = []string{"builtin", "experiments", "tools/bench", "plugins/samples", "builtin/dataset"}

// rank orders packages: what begins last ends alone, with the other processors idle.
func rank(name string) int {
	if k := slices.Index(long, strings.TrimPrefix(name, module)); k >= 0 {
		return k
	}
	return len(long)
}

// unraced tests the packages that are not watched.
func unraced(w io.Writer) bool {
	list, err := exec.Command("go", "list", "./...").Output()
	if err != nil {
		fmt.Fprintln(w, "go list:", err)
		return false
	}
	watching, err := watched(".")
	if err != nil {
		fmt.Fprintln(w, err)
		return false
	}
	args := goTest("-skip", pattern(inSteps, playing))
	names := strings.Fields(string(list))
	slices.SortStableFunc(names, func(a, b string) int { return rank(a) - rank(b) })
	for _, name := range names {
		if !slices.Contains(watching, strings.TrimPrefix(name, module)) {
			args = append(args, name)
		}
	}
	return quiet(args...)(w)
}
