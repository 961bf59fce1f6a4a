// The page: figures of curves, charts that stand still, tables that sort, light and dark.

// chartFigure draws a chart: all of its panels, or where these are many those that one chooses.
function chartFigure(place, chart) {
  const panels = chart.panels.map(p => ({...p, marks: p.marks.map(m => {
    const y = unpack(m.y), x = unpack(m.x) ?? y.map((_, i) => i);
    return {...m, x, y, low: unpack(m.low), high: unpack(m.high), size: unpack(m.size)};
  })}));
  const many = chart.square ? "trio" : "pair";
  const most = 6, boxes = html("div", {className: panels.length > 1 ? many : ""});
  const bar = html("div", {className: "bar"}), shown = [];
  const put = from => {
    boxes.replaceChildren();
    shown.length = 0;
    for (const panel of panels.slice(from, from + most)) {
      const box = boxes.appendChild(html("div", {}));
      shown.push(drawing(box, () => ({panel, square: chart.square})).root);
    }
  };
  const parts = [];
  for (let i = 0; i < panels.length; i += most) {
    const last = Math.min(i + most, panels.length);
    parts.push([i, `${i + 1} – ${last} of ${panels.length}: ${panels[i].title} …`]);
  }
  bar.append(choice("panels", parts, 0, v => put(+v)).label, html("button", {type: "button",
    textContent: "SVG", onclick: () => shown.forEach((root, i) =>
      save(root, chart.name + (shown.length > 1 ? `-${i + 1}` : "")))}));
  place.append(bar, boxes);
  put(0);
}

// sorts makes the heads of a table sort its rows: best first, the other way round, as they were.
function sorts(table) {
  const body = table.tBodies[0], rows = [...body.rows];
  const heads = [...table.tHead.rows].at(-1).cells;
  const key = (row, c) => {
    const cell = row.cells[c], x = parseFloat((cell.dataset.v ?? cell.textContent).replace("−", "-"));
    return c === 0 && cell.dataset.v === undefined && !(x === x) ? cell.textContent : x;
  };
  [...heads].forEach((head, c) => {
    const down = !head.textContent.includes("↓");
    const turn = () => {
      const now = head.ariaSort, ways = down && c > 0 ? ["descending", "ascending"] :
        ["ascending", "descending"];
      const next = !now || now === "none" ? ways[0] : now === ways[0] ? ways[1] : "none";
      for (const h of heads) h.ariaSort = "none";
      head.ariaSort = next;
      table.classList.toggle("sorted", next !== "none");
      const sign = next === "ascending" ? 1 : -1;
      const sorted = next === "none" ? rows : [...rows].sort((a, b) => {
        const x = key(a, c), y = key(b, c);
        if (typeof x === "string" || typeof y === "string") return sign * String(x).localeCompare(y);
        if (x !== x || y !== y) return (x !== x) - (y !== y);
        return sign * (x - y);
      });
      body.append(...sorted);
    };
    head.tabIndex = 0;
    head.ariaSort = "none";
    head.title = "sort";
    head.onclick = turn;
    head.onkeydown = k => { if (k.key === "Enter" || k.key === " ") { k.preventDefault(); turn(); } };
  });
}

// theme adds the button that chooses light or dark; at first it is what the reader's system is.
function theme() {
  const dark = matchMedia("(prefers-color-scheme: dark)"), root = document.documentElement;
  const button = html("button", {type: "button", className: "theme"});
  const now = () => root.dataset.theme ?? (dark.matches ? "dark" : "light");
  const name = () => { button.textContent = now() === "dark" ? "light" : "dark"; };
  button.onclick = () => { root.dataset.theme = now() === "dark" ? "light" : "dark"; name(); };
  dark.onchange = name;
  name();
  document.querySelector("header").prepend(button);
}

theme();
document.querySelectorAll("table.sorts").forEach(sorts);
document.querySelectorAll("figure[data-chart]").forEach(f => chartFigure(f, DATA.charts[f.dataset.chart]));
if (DATA.curves.lines.length) {
  const place = document.getElementById("curves-here"), c = DATA.curves;
  curvesFigure(place, c, 0, 0);
  if (c.conditions.length > 1) curvesFigure(place, c, 0, 1);
  else if (c.metrics.filter(m => !m.across).length > 1) curvesFigure(place, c, 1, 0);
}
