// Curves: a metric over the rounds, in a figure with controls.

// choice returns a control with a name, and calls change with the value that is chosen.
function choice(name, options, chosen, change) {
  const select = html("select", {name});
  options.forEach(([value, text]) => select.add(new Option(text, value)));
  select.value = chosen;
  select.onchange = () => change(select.value);
  const label = html("label", {hidden: options.length < 2}, name + " ", select);
  return {label, select};
}

const mean = list => list.reduce((a, b) => a + b, 0) / list.length;

function deviation(list) {
  const m = mean(list);
  return Math.sqrt(list.reduce((a, v) => a + (v - m) ** 2, 0) / (list.length - 1));
}

// runsOf returns the values of a metric of a line: a list for each seed.
function runsOf(line, metric) {
  line.unpacked ??= [];
  return line.unpacked[metric] ??= (line.values[metric] ?? []).map(unpack);
}

// marksOf returns what is drawn of a line: its mean over seeds, and what the band is.
function marksOf(line, rounds, state) {
  const runs = runsOf(line, state.metric);
  if (runs.length === 0) return [];
  const at = k => runs.map(r => r[k]).filter(v => v !== undefined);
  const long = Math.max(...runs.map(r => r.length)), n = runs.length;
  const m = {shape: "line", e: line.e, x: [], y: [], low: [], high: []};
  const across = state.x < 0 ? null : runsOf(line, state.x);
  for (let k = 0; k < long; k++) {
    const values = at(k), y = mean(values), sd = values.length > 1 ? deviation(values) : NaN;
    const half = {std: sd, ci: sd * line.t[values.length - 2] / Math.sqrt(values.length)}[state.band];
    m.x.push(across ? mean(across.map(r => r[k])) : rounds[line.r][k]);
    m.y.push(y);
    // On a logarithmic axis the mean less so much may have no place.
    m.low.push(state.log ? Math.max(y - half, Math.min(...values)) : y - half);
    m.high.push(y + half);
  }
  m.say = k => {
    const values = at(k), pm = values.length > 1 ? ` ± ${brief(deviation(values), 2)}` : "";
    return `${brief(mean(values), 3)}${pm} (${values.length} seed${values.length > 1 ? "s" : ""})`;
  };
  if (state.band !== "std" && state.band !== "ci" || n < 2) m.low = m.high = null;
  const seeds = state.band === "seeds" && n > 1 ?
    runs.map(r => ({shape: "faint", e: line.e, x: m.x, y: r})) : [];
  return [...seeds, m];
}

// wide reports whether all values of a metric are positive and so far apart that a logarithmic axis
// shows them better.
function wide(curves, metric) {
  let low = Infinity, high = 0;
  for (const line of curves.lines) {
    for (const run of runsOf(line, metric)) {
      for (const v of run) if (v === v) { low = Math.min(low, v); high = Math.max(high, v); }
    }
  }
  return low > 0 && high / low > 50;
}

const BANDS = {std: "s.d.", ci: "95 % CI", seeds: "seeds", none: "none"};

const said = (band, n) => n < 2 ? "one seed" : {
  std: `mean ± s.d. over ${n} seeds`,
  ci: `mean and its 95 % confidence interval (Student's t) over ${n} seeds`,
  seeds: `mean over ${n} seeds, and each of them`,
  none: `mean over ${n} seeds`,
}[band];

// curvesFigure puts a figure of curves into a place.
function curvesFigure(place, curves, metric, condition) {
  const state = {metric, condition, band: "std", x: -1, log: wide(curves, metric)};
  const box = html("figure", {className: "curves"}), bar = html("div", {className: "bar"});
  const note = html("p", {className: "note"});
  place.append(html("div", {}, bar, box, note));
  const show = () => {
    const lines = curves.lines.filter(l => l.c === state.condition);
    const marks = lines.flatMap(l => marksOf(l, curves.rounds, state));
    const sizes = lines.map(l => l.seeds.length);
    const unlike = curves.metrics[state.metric].unlike?.[state.condition];
    note.textContent = said(state.band, Math.max(...sizes)) +
      (Math.min(...sizes) < Math.max(...sizes) ? "; of some lines fewer" : "") +
      (unlike ? "; " + unlike : "");
    const x = state.x < 0 ? "round" : curves.metrics[state.x].label;
    return {panel: {title: curves.conditions[state.condition], x: {label: x},
      y: {label: curves.metrics[state.metric].label, log: state.log}, marks}};
  };
  const figure = drawing(box, show);
  const index = list => list.map((text, i) => [i, text]);
  const across = index(curves.metrics).filter(([, m]) => m.across).map(([i, m]) => [i, m.label]);
  const scale = choice("scale", [["linear", "linear"], ["log", "log"]],
    state.log ? "log" : "linear", v => { state.log = v === "log"; figure.draw(); });
  bar.append(
    choice("metric", index(curves.metrics.map(m => m.label)), metric, v => {
      state.metric = +v;
      state.log = wide(curves, state.metric);
      scale.select.value = state.log ? "log" : "linear";
      figure.draw();
    }).label,
    choice("at", index(curves.conditions), condition, v => { state.condition = +v; figure.draw(); })
      .label,
    choice("band", Object.entries(BANDS), "std", v => { state.band = v; figure.draw(); }).label,
    choice("over", [[-1, "rounds"], ...across], -1, v => { state.x = +v; figure.draw(); }).label,
    scale.label,
    html("button", {type: "button", textContent: "SVG",
      onclick: () => save(figure.root, curves.metrics[state.metric].key.replace(/\W+/g, "-"))}));
}
