// The page: figures of curves, charts that stand still.

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

theme();
document.querySelectorAll("table.sorts").forEach(sorts);
document.querySelectorAll("figure[data-chart]").forEach(f => chartFigure(f, DATA.charts[f.dataset.chart]));
if (DATA.curves.lines.length) {
  const place = document.getElementById("curves-here"), c = DATA.curves;
  curvesFigure(place, c, 0, 0);
  if (c.conditions.length > 1) curvesFigure(place, c, 0, 1);
  else if (c.metrics.filter(m => !m.across).length > 1) curvesFigure(place, c, 1, 0);
}
