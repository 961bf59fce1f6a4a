package kernel

// LSTMBackward32 goes back through the gates of a long short-term memory at one position of one
// sample. Gates are the input gate, the forget gate, the cell and the output gate side by side,
// each as long as cell, after sigmoid and tanh; they become the gradients before these. Cell is the
// gradient at the cells that later positions give, and becomes that which the position before is
// given. d is the gradient at the outputs, tanh that of the cells, and before the cells before.
func LSTMBackward32(gates, cell, d, tanh, before []float32) {
	lstmBack(active, gates, cell, [3][]float32{d, tanh, before})
}

// GRUBackward32 goes back through gated recurrent units at one position of one sample. Gates are
// the reset gate, the update gate and the new state side by side, each as long as held, after
// sigmoid and tanh; they become the gradients before these. Inner is what the reset gate
// multiplies, and becomes the gradient at it. Held is set to the gradient at the state before that
// the update gate lets pass. before is that state, and d the gradient at the outputs.
func GRUBackward32(gates, inner, held, before, d []float32) {
	gruBack(active, gates, inner, held, [2][]float32{before, d})
}

func lstmBack(p path, gates, cell []float32, by [3][]float32) {
	n, d, tanh, before := len(cell), by[0], by[1], by[2]
	fit(len(gates) == 4*n && len(d) == n && len(tanh) == n && len(before) == n)
	lstmBack32(whole(p, n), gates, cell, d, tanh, before)
}

func gruBack(p path, gates, inner, held []float32, by [2][]float32) {
	n, before, d := len(held), by[0], by[1]
	fit(len(gates) == 3*n && len(inner) == n && len(before) == n && len(d) == n)
	gruBack32(whole(p, n), gates, inner, held, before, d)
}

func lstmBackGeneric(gates, cell, d, tanh, before []float32) {
	n := len(cell)
	in, forget, state, out := gates[:n], gates[n:][:n], gates[2*n:][:n], gates[3*n:][:n]
	d, tanh, before = d[:n], tanh[:n], before[:n]
	for k := range cell {
		i, f, g, o, c := in[k], forget[k], state[k], out[k], tanh[k]
		dc := cell[k] + float32(float32(d[k]*o)*(1-float32(c*c)))
		out[k] = float32(d[k]*c) * float32(o*(1-o))
		in[k] = float32(dc*g) * float32(i*(1-i))
		forget[k] = float32(dc*before[k]) * float32(f*(1-f))
		state[k] = float32(dc*i) * (1 - float32(g*g))
		cell[k] = dc * f
	}
}

func gruBackGeneric(gates, inner, held, before, d []float32) {
	n := len(held)
	reset, update, state := gates[:n], gates[n:][:n], gates[2*n:][:n]
	inner, before, d = inner[:n], before[:n], d[:n]
	for k := range held {
		r, u, s, q := reset[k], update[k], state[k], inner[k]
		ds := float32(d[k]*(1-u)) * (1 - float32(s*s))
		update[k] = float32(d[k]*(before[k]-s)) * float32(u*(1-u))
		reset[k] = float32(ds*q) * float32(r*(1-r))
		state[k], inner[k] = ds, ds*r
		held[k] = d[k] * u
	}
}
