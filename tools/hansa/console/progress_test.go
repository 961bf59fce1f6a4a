package console

import (
	"errors"
	"strings"
	"testing"
	"time"
)

// How long the rest will take is told by rounds, of cells at work, too; a cell that fails at once
// does not make it less.
func TestRestIsToldByRounds(t *testing.T) {
	var said strings.Builder
	p := newDisplay(&Console{Err: &said, Color: "never"}, 3, 300, 2)
	p.start = time.Now().Add(-10 * time.Second)
	a, b := p.lanes[0], p.lanes[1]
	a.Begin("a", 100)
	b.Begin("b", 100)
	if eta := p.eta(); eta != "" {
		t.Errorf("before any round: %q", eta)
	}
	b.End(errors.New("no"))
	a.Rounds(50)
	if eta := p.eta(); eta != "eta 00:30" {
		t.Errorf("50 of 200 rounds in ten seconds: %q", eta)
	}
	if text := p.clocks(); text != " 1 failed  elapsed 00:10  eta 00:30" {
		t.Errorf("%q", text)
	}
	a.End(nil)
	b.Begin("c", 100)
	if eta := p.eta(); eta != "eta 00:10" {
		t.Errorf("100 of 200 rounds in ten seconds: %q", eta)
	}
	b.End(nil)
	if eta := p.eta(); eta != "" {
		t.Errorf("nothing is left: %q", eta)
	}
	lines := strings.Split(said.String(), "\n")
	if len(lines) != 4 || lines[0][:8] != "[1/3] FA" || !strings.HasSuffix(lines[1], "  eta 00:10") ||
		strings.Contains(lines[2], "eta") {
		t.Errorf("%q", lines)
	}
}

// While cells run the line of all of them says for which share of the time lanes had one.
func TestUtilisationIsShown(t *testing.T) {
	var said strings.Builder
	p := newDisplay(&Console{Err: &said, Color: "never"}, 3, 300, 2)
	if text := p.utilisation(); text != "" {
		t.Errorf("at once: %q", text)
	}
	began := time.Now().Add(-20 * time.Second)
	p.start = began
	a, b := p.lanes[0], p.lanes[1]
	a.Begin("a", 100)
	b.Begin("b", 100)
	a.start, b.start = began, began.Add(10*time.Second)
	b.End(nil) // after ten seconds of idleness
	if text := p.utilisation(); text != "busy 75 %" {
		t.Errorf("30 of 40 seconds: %q", text)
	}
	if text := p.clocks(); text != " elapsed 00:20  busy 75 %  eta 00:40" {
		t.Errorf("%q", text)
	}
	p.narrow = true
	if text := p.clocks(); text != " eta 00:40" {
		t.Errorf("narrow: %q", text)
	}
}
