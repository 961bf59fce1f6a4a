package main

import (
	"os"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/reports/leaderboard"
)

// board is an experiment with two methods, a sweep, a claim and a choice of parameters.
const board = `
title = "A board"
seeds = [1, 2, 3]
[setting]
clients    = 5
rounds     = 3
dataset    = { name = "glyphs", train = 100, test = 50 }
importance = "uniform"
partition  = "iid"
model      = { name = "mlp", widths = [4] }
local      = { name = "sgd", epochs = 1, batch = 10, lr = 0.2 }
metrics    = ["accuracy", "upload"]
[[method]]
label      = "FedAvg"
aggregator = { name = "fedavg", weights = "uniform" }
[[method]]
label      = "FedAdam"
aggregator = { name = "fedadam", weights = "uniform" }
[sweep]
participation = [
  { label = "always",  availability = "always" },
  { label = "uniform", selection = { name = "uniform-k", k = 2 } },
]
[tune]
budget = 2
by     = "accuracy"
seeds  = [9]
across = ["participation"]
[tune.space]
"local.lr" = [0.1, 0.3]
[[claim]]
source = "nowhere"
says   = "FedAdam is better"
holds  = "better(FedAdam, FedAvg, accuracy)"
`

// onBoard runs an experiment in a new folder, as the run called board.
func onBoard(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	put(t, "board.toml", board)
	try(t, exitOK, "run", "board.toml")
}

// put writes a file.
func put(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// A site is the same, byte by byte, whether it is made of a run or of the file that --json wrote of
// it; and so is the file.
func TestSiteOfAFileIsThatOfTheRun(t *testing.T) {
	onBoard(t)
	try(t, exitOK, "leaderboard", "board", "--title", "Mine", "-o", "a")
	_, said := try(t, exitOK, "leaderboard", "board", "--json", "board.json")
	if !strings.Contains(said, "wrote board.json: ") {
		t.Errorf("said %s", said)
	}
	try(t, exitOK, "leaderboard", "board.json", "--title", "Mine", "-o", "b")
	a, b := contents(t, "a"), contents(t, "b")
	if len(a) != 1+1+2+2 || len(a) != len(b) {
		t.Errorf("%d and %d pages", len(a), len(b))
	}
	for name := range a {
		if a[name] != b[name] {
			t.Errorf("%s differs", name)
		}
	}
	try(t, exitOK, "leaderboard", "board.json", "--json", "packed.json.gz")
	try(t, exitOK, "leaderboard", "packed.json.gz", "--json", "again.json")
	files := contents(t, ".")
	if files["again.json"] != files["board.json"] {
		t.Error("the file of the file differs")
	}
	if n := len(files["packed.json.gz"]); n == 0 || n > len(files["board.json"])/2 {
		t.Errorf("%d bytes packed of %d", n, len(files["board.json"]))
	}
	if index := a["index.html"]; !strings.Contains(index, "<code>hansa leaderboard board --title Mine<") {
		t.Errorf("the site does not say what made it: %s", index[strings.Index(index, "<footer>"):])
	}
}

// With --audit the pages of methods have what audits say, of a run as of its file.
func TestSiteHasAudits(t *testing.T) {
	onBoard(t)
	try(t, exitOK, "leaderboard", "board", "--audit", "-o", "a")
	try(t, exitOK, "leaderboard", "board", "--audit", "--json", "board.json")
	try(t, exitOK, "leaderboard", "board.json", "-o", "b")
	page := contents(t, "a")["method-fedavg.html"]
	for _, part := range []string{"n = 1: of the clients and the data of seed 1;",
		`always</a><td>5 of 5<td>1<td>0.000<td>0.000<td class="range">—<td>1<td>5<td class="text">exact`,
		`uniform</a><td>2 of 5<td>0.4<td>0.000<td>0.000<td class="range">—<td>1<td>2<td class="text">exact`} {
		if !strings.Contains(page, part) {
			t.Errorf("the page has no %s: %s", part, page[strings.Index(page, `id="audit"`):])
		}
	}
	if !strings.Contains(contents(t, "a")["method-fedadam.html"], "it has no p̃") {
		t.Error("FedAdam has weights")
	}
	if page != contents(t, "b")["method-fedavg.html"] {
		t.Error("the page of the file differs")
	}
}

// Of --claims, and of lists of verdicts, only claims are shown; a site that replaces another has no
// page of that.
func TestSiteOfClaims(t *testing.T) {
	onBoard(t)
	try(t, exitOK, "leaderboard", "board", "-o", "site")
	_, said := try(t, exitOK, "leaderboard", "--claims", "board", "-o", "site")
	if !strings.Contains(said, "2 pages; removed 4 pages of an earlier site") ||
		len(contents(t, "site")) != 2 {
		t.Errorf("said %s", said)
	}
	printed, _ := try(t, exitOK, "claims", "board", "--format", "json")
	if !strings.Contains(printed, `"direction": true`) {
		t.Errorf("printed %s", printed)
	}
	put(t, "verdicts.json", strings.ReplaceAll(printed, `"direction": true`, `"direction": false`))
	try(t, exitOK, "leaderboard", "verdicts.json", "-o", "verdicts")
	ofRun, _, _ := strings.Cut(contents(t, "site")["claims.html"], "<footer>")
	ofList, made, _ := strings.Cut(contents(t, "verdicts")["claims.html"], "<footer>")
	if ofRun != ofList || !strings.Contains(made, "<code>hansa leaderboard --claims verdicts.json<") {
		t.Errorf("verdicts that were printed are other ones; the site is made by %s", made)
	}
	try(t, exitOK, "leaderboard", "--claims", "board", "--json", "claims.json")
	try(t, exitOK, "leaderboard", "claims.json", "-o", "file")
	if contents(t, "site")["index.html"] != contents(t, "file")["index.html"] {
		t.Error("the file of claims makes another site")
	}
}

// What cannot be read, or shown, is one error before anything is written.
func TestSitesRefuseWhatTheyCannotRead(t *testing.T) {
	onBoard(t)
	try(t, exitOK, "leaderboard", "board", "--json", "board.json")
	whole := contents(t, ".")["board.json"]
	put(t, "damaged.json", strings.Replace(whole, `"seed":2`, `"seed":3`, 1))
	put(t, "later.json", strings.Replace(whole, "leaderboard/1", "leaderboard/2", 1))
	put(t, "half.json", whole[:200])
	try(t, exitOK, "leaderboard", "board", "--json", "cut.json.gz")
	put(t, "cut.json.gz", contents(t, ".")["cut.json.gz"][:200])
	put(t, "list.json", "[]")
	if err := os.Mkdir("mine", 0o777); err != nil {
		t.Fatal(err)
	}
	put(t, "mine/index.html", "mine")
	put(t, "silent.toml", strings.Split(board, "[[claim]]")[0])
	try(t, exitOK, "run", "silent.toml")
	for _, c := range []struct{ args, want string }{
		{"damaged.json", "damaged.json is no file that hansa leaderboard --json wrote: its checksum"},
		{"later.json", `its format is "hansa/leaderboard/2", and this version of hansa reads`},
		{"half.json", "half.json is no file that hansa leaderboard --json wrote: it is no whole JSON"},
		{"list.json", "list.json has no verdicts on claims"},
		{"none.json", "none.json cannot be read: no such file"},
		{"none.json.gz", "none.json.gz cannot be read: no such file"},
		{"cut.json.gz", "cut.json.gz cannot be read: unexpected EOF"},
		{"board -o mine", "index.html is there, and hansa leaderboard did not write it"},
		{"--claims silent", "--claims silent: its experiment makes no claims"},
		{"", "leaderboard takes at least one RUN"},
		{"board --json x.json -o y", "--json and --output exclude each other"},
		{"board --verify 0", "--verify 0: want at least 1"},
	} {
		_, said := try(t, exitUsage, append([]string{"leaderboard"}, strings.Fields(c.args)...)...)
		if !strings.Contains(said, c.want) || strings.Count(said, "\n") > 1 {
			t.Errorf("hansa leaderboard %s says %q, want %q", c.args, said, c.want)
		}
		if files := contents(t, "."); files["leaderboard/index.html"] != "" || files["x.json"] != "" {
			t.Errorf("hansa leaderboard %s wrote", c.args)
		}
	}
}

// Training runs that are chosen by a seed come to the same bits again, of a run and of its file; one
// whose result is another one is told, with what made it and its final value.
func TestResultsAreVerified(t *testing.T) {
	onBoard(t)
	try(t, exitOK, "leaderboard", "board", "--json", "board.json")
	_, said := try(t, exitOK, "leaderboard", "board.json", "--verify", "3", "--verify-seed", "5")
	_, again := try(t, exitOK, "leaderboard", "board", "--verify", "3", "--verify-seed", "5")
	_, other := try(t, exitOK, "leaderboard", "board", "--verify", "3", "--verify-seed", "6")
	if said != again || said == other || strings.Count(said, "equal: ") != 3 ||
		!strings.Contains(said, "3 of 12 training runs, chosen by --verify-seed 5") ||
		!strings.Contains(said, "3 of 3 results are equal to the last bit") {
		t.Errorf("said %q, %q and %q", said, again, other)
	}
	_, both := try(t, exitOK, "leaderboard", "board", "board.json", "--verify", "3")
	if strings.Count(both, "equal: board: ") != 3 || strings.Contains(said, "equal: board: ") {
		t.Errorf("of one run it says %q, of two %q", said, both)
	}
	records, err := leaderboard.Decode([]byte(contents(t, ".")["board.json"]))
	if err != nil {
		t.Fatal(err)
	}
	r := records[0]
	digest := r.Digests[r.IDs[4]]
	r.Digests[r.IDs[4]] = strings.Repeat("0", len(digest))
	change := func() string {
		text, err := leaderboard.Encode(records)
		if err != nil {
			t.Fatal(err)
		}
		put(t, "changed.json", string(text))
		_, said := try(t, exitFailed, "leaderboard", "changed.json", "--verify", "100")
		return said
	}
	if said := change(); strings.Count(said, "equal: ") != 11 ||
		!strings.Contains(said, "final values are equal, and an earlier one is not") ||
		!strings.Contains(said, "1 of 12 results differ. They are of this version of hansa") {
		t.Errorf("another digest: %s", said)
	}
	r.Results[r.IDs[4]].Series[0].Values[0]++
	r.Made[0].Platform = "plan9/abacus"
	if said := change(); !strings.Contains(said, " in the file") ||
		!strings.Contains(said, "Stored results were made by "+r.Made[0].Go+" plan9/abacus") {
		t.Errorf("another result: %s", said)
	}
}
