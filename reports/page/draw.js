// Drawing: a panel of marks as SVG, with its legend, its axes, and what is said where one points.

const DATA = JSON.parse(document.getElementById("data").textContent);
const SVG = "http://www.w3.org/2000/svg";
const FONT = '12px "Liberation Sans", Arial, Helvetica, sans-serif';
const ruler = document.createElement("canvas").getContext("2d");
const tip = document.body.appendChild(html("div", {className: "tip", hidden: true}));

function html(name, properties, ...children) {
  const e = Object.assign(document.createElement(name), properties);
  e.append(...children);
  return e;
}

function svg(name, attributes, parent, text) {
  const e = document.createElementNS(SVG, name);
  for (const k in attributes) if (attributes[k] !== undefined) e.setAttribute(k, attributes[k]);
  if (text !== undefined) e.textContent = text;
  if (parent) parent.append(e);
  return e;
}

const ink = e => (e < 0 ? "var(--link)" : `var(--e${e})`);
const dash = e => (e < 0 || !DATA.entries[e].dash ? undefined :
  DATA.entries[e].dash.map(d => 1.4 * d).join(" "));
const px = x => Math.round(10 * x) / 10;

function measure(text) {
  ruler.font = FONT;
  return ruler.measureText(text).width;
}

// clipped returns as much of a text as fits into a width.
function clipped(text, width) {
  if (measure(text) <= width) return text;
  let n = text.length;
  while (n > 1 && measure(text.slice(0, n) + "…") > width) n--;
  return text.slice(0, n) + "…";
}

// legend draws the entries that marks have, in lines as wide as the figure, and returns how high
// that is. A click hides the marks of an entry, another shows them.
function legend(root, entries, wide, hidden, redraw) {
  let x = 4, y = 10;
  if (entries.length < 2) return 6;
  for (const e of entries) {
    const text = clipped(DATA.entries[e].label, wide - 40), long = 30 + measure(text) + 14;
    if (x + long > wide && x > 4) { x = 4; y += 19; }
    const off = hidden.has(e);
    const g = svg("g", {class: "key", tabindex: 0, role: "button", "aria-pressed": !off,
      "data-e": e, opacity: off ? 0.35 : 1}, root);
    svg("rect", {x: x - 2, y: y - 9, width: long - 8, height: 18, fill: "transparent"}, g);
    svg("line", {x1: x, x2: x + 24, y1: y, y2: y, stroke: ink(e), "stroke-width": 2,
      "stroke-dasharray": dash(e)}, g);
    svg("text", {x: x + 29, y: y + 4}, g, text);
    const turn = () => {
      if (!hidden.delete(e)) hidden.add(e);
      redraw();
      root.ownerDocument.querySelector(`#${root.id} [data-e="${e}"]`)?.focus();
    };
    g.onclick = turn;
    g.onkeydown = k => { if (k.key === "Enter" || k.key === " ") { k.preventDefault(); turn(); } };
    x += long;
  }
  return y + 14;
}

// extents returns all numbers that an axis must show.
function* extents(marks, axis) {
  const across = axis === "x";
  for (const m of marks) {
    yield* m[axis];
    if ((m.shape === "across") === across) { yield* m.low ?? []; yield* m.high ?? []; }
  }
}

// frameOf lays out the axes of a panel below a height.
function frameOf(panel, marks, top, wide, square) {
  const names = panel.y.names, few = wide < 460;
  let left = 0;
  const high = names ? 30 * Math.max(2, names.length) : square ? Math.min(wide - 80, 300) :
    Math.max(200, Math.min(320, wide * 0.55));
  const head = top + (panel.title ? 20 : 4), bottom = head + high;
  const y = names ? {at: i => head + (i + 0.5) * high / names.length, names} :
    scaleOf(extents(marks, "y"), {...panel.y, from: bottom, to: head, room: 0.03});
  const yticks = names ? names.map((n, i) => [i, n]) : ticksOf(y, 5,
    panel.marks.some(m => m.shape === "bubbles"));
  for (const [, text] of yticks) left = Math.max(left, measure(text));
  left = Math.min(left, wide * 0.4) + (names ? 12 : 32);
  const room = panel.marks.some(m => m.shape === "bubbles" || m.shape === "dots" ||
    m.shape === "across") ? 0.03 : 0;
  const x = scaleOf(extents(marks, "x"), {...panel.x, from: left, to: wide - 14, room});
  const xticks = ticksOf(x, few ? 4 : 7, [...extents(marks, "x")].every(Number.isInteger));
  return {x, y, xticks, yticks, left, right: wide - 14, top: head, bottom, height: bottom + 42};
}

// axes draws the grid, the ticks, their labels and those of the axes.
function axes(root, panel, f) {
  if (panel.title) {
    svg("text", {x: (f.left + f.right) / 2, y: f.top - 8, class: "title",
      "text-anchor": "middle"}, root, clipped(panel.title, f.right - 8));
  }
  for (const [v, text] of f.yticks) {
    const y = px(f.y.at(v));
    svg("line", {x1: f.left, x2: f.right, y1: y, y2: y, class: "grid"}, root);
    const t = svg("text", {x: f.left - 6, y: y + 4, "text-anchor": "end"}, root,
      clipped(text, f.left - 10));
    if (f.y.names) svg("title", {}, t, text);
  }
  let free = -Infinity;
  for (const [v, text] of f.xticks) {
    const x = px(f.x.at(v)), half = measure(text) / 2;
    svg("line", {x1: x, x2: x, y1: f.top, y2: f.bottom, class: "grid"}, root);
    if (x - half < free) continue;
    free = x + half + 8;
    svg("text", {x: Math.min(x, f.right + 12 - half), y: f.bottom + 17, "text-anchor": "middle"},
      root, text);
  }
  svg("path", {d: `M${f.left},${f.top}V${f.bottom}H${f.right}`, class: "axis"}, root);
  svg("text", {x: (f.left + f.right) / 2, y: f.bottom + 35, "text-anchor": "middle"}, root,
    clipped(panel.x.label, f.right));
  const middle = (f.top + f.bottom) / 2;
  if (panel.y.label) {
    svg("text", {x: 13, y: middle, "text-anchor": "middle",
      transform: `rotate(-90 13 ${middle})`}, root, clipped(panel.y.label, f.bottom - f.top + 20));
  }
}

// steps returns the path through points, with gaps where one cannot be shown.
function steps(xs, ys) {
  let d = "", pen = false;
  xs.forEach((x, i) => {
    const shown = Number.isFinite(x) && Number.isFinite(ys[i]);
    if (shown) d += `${pen ? "L" : "M"}${px(x)},${px(ys[i])}`;
    pen = shown;
  });
  return d;
}

// band fills what lies between low and high.
function band(root, m, f) {
  let run = [];
  const end = () => {
    if (run.length > 1) {
      const up = run.map(i => `${px(f.x.at(m.x[i]))},${px(f.y.edge(m.high[i]))}`);
      const down = run.map(i => `${px(f.x.at(m.x[i]))},${px(f.y.edge(m.low[i]))}`).reverse();
      svg("path", {d: "M" + up.concat(down).join("L") + "Z", fill: ink(m.e), class: "band"}, root);
    }
    run = [];
  };
  m.x.forEach((x, i) => {
    const there = [f.x.at(x), f.y.at(m.y[i]), m.low[i], m.high[i]].every(Number.isFinite);
    if (there) run.push(i); else end();
  });
  end();
}

// SHAPES draw marks; those that consist of single points say what each of them is.
const SHAPES = {
  line(root, m, f) {
    if (m.low) band(root, m, f);
    svg("path", {d: steps(m.x.map(f.x.at), m.y.map(f.y.at)), stroke: ink(m.e), fill: "none",
      "stroke-width": 1.8, "stroke-dasharray": dash(m.e), class: "line"}, root);
    if (m.x.length === 1) SHAPES.dots(root, m, f);
  },
  faint(root, m, f) {
    svg("path", {d: steps(m.x.map(f.x.at), m.y.map(f.y.at)), stroke: ink(m.e), fill: "none",
      "stroke-width": 0.7, opacity: 0.5, class: "faint"}, root);
  },
  dots(root, m, f) {
    const radius = Math.max(1.6, Math.min(3.5, 200 / m.x.length));
    m.x.forEach((x, i) => {
      const cx = f.x.at(x), cy = f.y.at(m.y[i]);
      if (!Number.isFinite(cx + cy)) return;
      const c = svg("circle", {cx: px(cx), cy: px(cy), r: radius, fill: ink(m.e), class: "dot"}, root);
      svg("title", {}, c, `${brief(x, 3)}: ${brief(m.y[i], 3)}`);
    });
  },
  across(root, m, f) {
    m.x.forEach((x, i) => {
      const y = px(f.y.at(m.y[i])), g = svg("g", {class: "across"}, root);
      let said = `${f.y.names[m.y[i]]}: ${brief(x)}`;
      if (Number.isFinite(m.low[i] + m.high[i])) {
        const [a, b] = [px(f.x.at(m.low[i])), px(f.x.at(m.high[i]))];
        svg("path", {d: `M${a},${y}H${b}M${a},${y - 5}v10M${b},${y - 5}v10`, stroke: ink(m.e),
          "stroke-width": 1.6, fill: "none"}, g);
        said += ` [${brief(m.low[i])}, ${brief(m.high[i])}]`;
      }
      svg("rect", {x: px(f.x.at(x)) - 4, y: y - 4, width: 8, height: 8, fill: ink(m.e)}, g);
      svg("title", {}, g, said);
    });
  },
  bubbles(root, m, f) {
    const pitch = (scale, list) => Math.abs(scale.at(1) - scale.at(0)) *
      Math.max(1, (Math.max(...list) - Math.min(...list)) / Math.max(1, new Set(list).size - 1));
    const [a, b] = [pitch(f.x, m.x), pitch(f.y, m.y)];
    const largest = Math.min(Math.max(a, 0.6 * b), Math.max(b, 0.6 * a)) / 2;
    m.x.forEach((x, i) => {
      const c = svg("circle", {cx: px(f.x.at(x)), cy: px(f.y.at(m.y[i])),
        r: px(Math.max(0.4, largest * Math.sqrt(m.size[i]))), fill: ink(m.e), opacity: 0.8,
        class: "bubble"}, root);
      svg("title", {}, c, `client ${x}, class ${m.y[i]}: ${brief(100 * m.size[i], 3)} % of the largest`);
    });
  },
  upright(root, m, f) {
    for (const x of m.x.map(f.x.at)) {
      svg("line", {x1: x, x2: x, y1: f.top, y2: f.bottom, class: "rule"}, root);
    }
  },
  diagonal(root, m, f) {
    const low = Math.max(f.x.lo, f.y.lo), high = Math.min(f.x.hi, f.y.hi);
    svg("line", {x1: f.x.at(low), y1: f.y.at(low), x2: f.x.at(high), y2: f.y.at(high),
      class: "rule"}, root);
  },
};

// hover tells of all lines what they are where one points.
function hover(root, panel, lines, f) {
  const hair = svg("line", {y1: f.top, y2: f.bottom, class: "rule", visibility: "hidden"}, root);
  const hide = () => { tip.hidden = true; hair.setAttribute("visibility", "hidden"); };
  root.onpointerleave = hide;
  root.onpointermove = at => {
    const box = root.getBoundingClientRect(), k = root.viewBox.baseVal.width / box.width;
    const x = (at.clientX - box.left) * k, y = (at.clientY - box.top) * k;
    if (x < f.left || x > f.right || y < f.top || y > f.bottom) return hide();
    const wanted = f.x.back(x), rows = [];
    let where = NaN;
    for (const m of lines) {
      let best = -1;
      m.x.forEach((v, i) => {
        if (Number.isFinite(v) && (best < 0 || Math.abs(v - wanted) < Math.abs(m.x[best] - wanted))) {
          best = i;
        }
      });
      if (best < 0) continue;
      if (!(Math.abs(where - wanted) <= Math.abs(m.x[best] - wanted))) where = m.x[best];
      const swatch = html("i", {});
      swatch.style.background = ink(m.e);
      rows.push(html("div", {}, swatch, `${DATA.entries[m.e].label}: `,
        m.say ? m.say(best) : brief(m.y[best], 3)));
    }
    for (const end of ["x1", "x2"]) hair.setAttribute(end, px(f.x.at(where)));
    hair.setAttribute("visibility", "visible");
    tip.replaceChildren(html("b", {}, `${panel.x.label} ${brief(where)}`), ...rows);
    tip.hidden = false;
    tip.style.left = Math.max(4, Math.min(at.clientX + 14, innerWidth - tip.offsetWidth - 8)) + "px";
    tip.style.top = Math.max(4, Math.min(at.clientY + 14, innerHeight - tip.offsetHeight - 8)) + "px";
  };
}

// drawing keeps a panel drawn in a box, as wide as the box is. Show returns what is drawn:
// {panel, square}; what it hides is kept in hidden.
function drawing(box, show) {
  const root = svg("svg", {role: "img", id: "figure-" + drawing.count++}, box);
  const hidden = new Set();
  const draw = () => {
    const {panel, square} = show(), wide = Math.max(280, Math.min(box.clientWidth || 640, 1100));
    root.replaceChildren();
    root.onpointermove = root.onpointerleave = null;
    tip.hidden = true;
    root.setAttribute("aria-label", `${panel.title} ${panel.y.label} ${panel.x.label}`.trim());
    const entries = [...new Set(panel.marks.map(m => m.e))].filter(e => e >= 0).sort((a, b) => a - b);
    const marks = panel.marks.filter(m => !hidden.has(m.e));
    const top = legend(root, entries, wide, hidden, draw);
    const f = frameOf(panel, marks, top, wide, square);
    root.setAttribute("viewBox", `0 0 ${wide} ${Math.ceil(f.height)}`);
    axes(root, panel, f);
    const inner = svg("g", {}, root);
    for (const m of marks) SHAPES[m.shape](inner, m, f);
    const lines = marks.filter(m => m.shape === "line");
    if (lines.length) hover(root, panel, lines, f);
  };
  let width = 0;
  new ResizeObserver(() => { if (box.clientWidth !== width) { width = box.clientWidth; draw(); } })
    .observe(box);
  draw();
  return {root, draw};
}
drawing.count = 0;

// save hands a figure over as a file, in the colours of light.
function save(root, name) {
  const copy = root.cloneNode(true), style = getComputedStyle(document.documentElement);
  const value = property => {
    const v = style.getPropertyValue(property).trim();
    return v.replace(/^light-dark\(\s*([^,]+),.*$/, "$1");
  };
  copy.setAttribute("xmlns", SVG);
  const [, , wide, high] = copy.getAttribute("viewBox").split(" ");
  copy.setAttribute("width", wide);
  copy.setAttribute("height", high);
  copy.prepend(svg("style", {}, null, `svg{font:${FONT};background:#fff}text{fill:#000}` +
    ".title{font-weight:bold}.grid{stroke:#e1e1e1;stroke-width:.6}.axis{stroke:#000;fill:none}" +
    ".rule{stroke:#787878;stroke-dasharray:4 3}.band{opacity:.18}"));
  const text = new XMLSerializer().serializeToString(copy)
    .replace(/var\((--[\w-]+)\)/g, (_, property) => value(property));
  const url = URL.createObjectURL(new Blob([text], {type: "image/svg+xml"}));
  html("a", {href: url, download: `${DATA.run}-${name}.svg`}).click();
  URL.revokeObjectURL(url);
  return text;
}
