package partition

import (
	"slices"
	"testing"
)

// TestShardsOfMcMahan is the experiment of the paper: 60000 digits in 200 shards of 300,
// sorted by label, 2 for each of 100 clients.
//
//hansa:verifies theorem partition/shards
func TestShardsOfMcMahan(t *testing.T) {
	d := shuffledLabels(1, 5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949)
	parts := split(t, build(t, Shards, nil), d, 100, 1)
	place := make([]int, d.Len()) // of each row among all, sorted by label
	for k, r := range slices.Concat(gather(d.Y, 10)...) {
		place[r] = k
	}
	together := 0
	for i, rows := range parts {
		taken := map[int]int{} // shard → rows of it
		for _, r := range rows {
			taken[place[r]/300]++
		}
		for shard, m := range taken {
			if m != 300 || len(taken) != 2 {
				t.Errorf("client %d has %d rows of shard %d of %d", i, m, shard, len(taken))
			}
			if taken[shard^1] > 0 {
				together++
			}
		}
	}
	// Shards 2k and 2k+1 meet with probability 1/199: a Poisson number of mean ½.
	if together/2 > 6 {
		t.Errorf("%d clients have neighbouring shards: these are not assigned at random", together/2)
	}
	if h := heterogeneity(d, parts); h[1] < 1.9 || h[1] > 2.3 {
		t.Errorf("%.2f classes per client, want about two", h[1])
	}
}

// TestShardsOfUnevenSize has sizes that nothing divides.
func TestShardsOfUnevenSize(t *testing.T) {
	p := build(t, Shards, map[string]any{"per_client": int64(3)})
	sizes := sizesOf(split(t, p, shuffledLabels(2, 17, 0, 54), 7, 1)) // 71 rows in 21 shards
	if slices.Min(sizes) < 9 || slices.Max(sizes) > 12 {
		t.Errorf("sizes %v, want three shards of 3 or 4 rows each", sizes)
	}
	const want = "per_client: 3 shards for each of 7 clients are more than 20 rows"
	_, err := p.Split(shuffledLabels(2, 10, 10), 7, random(1))
	if err == nil || err.Error() != want {
		t.Errorf("error %v, want %q", err, want)
	}
}
