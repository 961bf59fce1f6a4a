// What a reader does with the page, and what must come of it. A promise that is broken is a line.
(() => {
const said = [];
const must = (what, ok) => { if (!ok) said.push(what); };
const same = (what, got, want) => must(`${what}: ${JSON.stringify(got)}, not ${JSON.stringify(want)}`,
  JSON.stringify(got) === JSON.stringify(want));
const all = (selector, root = document) => [...root.querySelectorAll(selector)];
const count = (selector, root) => all(selector, root).length;
let violated = 0;
document.addEventListener("securitypolicyviolation", () => violated++);
try {
  // Sorting: best first, worst first, as it was.
  const table = document.querySelector("table.sorts"), head = all("thead tr:last-child th", table);
  const column = c => [...table.tBodies[0].rows].map(r => +r.cells[c].dataset.v);
  const heads = () => [...table.tBodies[0].rows].map(r => r.cells[0].textContent);
  const before = heads(), down = column(1).toSorted((a, b) => a - b);
  must("the example is sorted already", JSON.stringify(column(1)) !== JSON.stringify(down));
  head[1].click();
  same("sorted by loss", column(1), down);
  same("its head says", head[1].ariaSort, "ascending");
  head[1].click();
  same("the other way round", column(1), down.toReversed());
  head[1].click();
  same("as it was", heads(), before);
  head[0].dispatchEvent(new KeyboardEvent("keydown", {key: "Enter"}));
  same("by method, with the keyboard", heads(), before.toSorted((a, b) => a.localeCompare(b)));
  const accuracy = head.findIndex(h => h.textContent.startsWith("accuracy"));
  head[accuracy].click();
  must("a metric of which more is better is not sorted from the top",
    head[accuracy].ariaSort === "descending");

  // Curves: two figures, of two conditions.
  const place = document.getElementById("curves-here"), boxes = [...place.children];
  same("figures of curves", boxes.length, 2);
  const figure = boxes[0], control = name => figure.querySelector(`select[name=${name}]`);
  const set = (name, value) => {
    control(name).value = value;
    control(name).dispatchEvent(new Event("change"));
  };
  const lines = () => count("path.line", figure), bands = () => count("path.band", figure);
  same("lines", lines(), 4);
  same("bands", bands(), 4);
  set("band", "ci");
  same("bands of intervals", bands(), 4);
  must("the note says what they are", figure.textContent.includes("95 % confidence interval"));
  const interval = figure.querySelector("path.band").getAttribute("d");
  set("band", "std");
  must("intervals are not s.d.", figure.querySelector("path.band").getAttribute("d") !== interval);
  set("band", "seeds");
  same("no bands but seeds", [bands(), count("path.faint", figure)], [0, 4 * 3]);
  set("band", "none");
  same("neither", [bands(), count("path.faint", figure), lines()], [0, 0, 4]);

  // The legend hides and shows.
  const key = () => figure.querySelector(".key[data-e='1']");
  key().dispatchEvent(new MouseEvent("click"));
  same("a line is hidden", [lines(), key().getAttribute("aria-pressed")], [3, "false"]);
  must("the focus stays", document.activeElement === key());
  key().dispatchEvent(new KeyboardEvent("keydown", {key: " "}));
  same("and shown", [lines(), key().getAttribute("aria-pressed")], [4, "true"]);

  // Metric, axis across, scale, condition.
  const label = text => all("svg text", figure).some(t => t.textContent === text);
  must("loss over rounds", label("loss") && label("round"));
  same("a range this wide is logarithmic", control("scale").value, "log");
  set("metric", "1");
  must("the other metric", label("accuracy (%)") && !label("loss"));
  same("and its scale", control("scale").value, "linear");
  const path = figure.querySelector("path.line").getAttribute("d");
  set("over", control("over").options[1].value);
  must("over what was sent", label("upload (B)") && !label("round"));
  must("is another curve", figure.querySelector("path.line").getAttribute("d") !== path);
  set("over", "-1");
  set("metric", "0");
  const log = figure.querySelector("path.line").getAttribute("d");
  set("scale", "linear");
  must("a linear scale is another", figure.querySelector("path.line").getAttribute("d") !== log);
  set("at", "1");
  must("the other condition", label("k = 1"));

  // Hovering tells the mean of all lines, with their spread.
  const root = figure.querySelector("figure svg"), box = root.getBoundingClientRect();
  root.dispatchEvent(new PointerEvent("pointermove",
    {clientX: box.left + 0.95 * box.width, clientY: box.top + 0.6 * box.height}));
  const tip = document.querySelector(".tip");
  must("no tip", !tip.hidden);
  must(`the tip says ${tip.textContent}`,
    /round 5\d.*mean: 3\.\d+ ± 0\.\d+ \(3 seeds\).*FedAVOT: 2\.\d+ ± 0\.\d+ \(2 seeds\)/.test(tip.textContent));
  same("rows of the tip", count("div", tip), 4);
  root.dispatchEvent(new PointerEvent("pointerleave"));
  must("the tip stays", tip.hidden);

  // The SVG that is downloaded stands alone. A browser that saves a file does not end.
  let offered = "";
  HTMLAnchorElement.prototype.click = function () { offered = this.download; };
  const file = save(root, "test"), doc = new DOMParser().parseFromString(file, "image/svg+xml");
  same("the file that is offered", offered, "example-test.svg");
  must("no SVG", doc.documentElement.nodeName === "svg" && !doc.querySelector("parsererror"));
  must("it needs the page", !file.includes("var(") && !file.includes("light-dark"));
  must("it has the colour of figures", file.includes("#0072b2"));

  // Other figures.
  same("differences", count("figure[data-chart=forest] .across"), 3 + 2);
  same("bubbles", count("figure[data-chart=partition] .bubble"), 4);
  same("panels of weights", count("figure[data-chart=weights] svg"), 2);
  must("participation", count("figure[data-chart=participation] .dot") > 0);
  same("pictures of a plan and of its scale", count("#plans + figure svg image"), 2);

  // Light and dark.
  const ground = () => getComputedStyle(document.body).backgroundColor;
  const theme = document.querySelector(".theme"), one = ground();
  theme.click();
  must("light and dark look the same", ground() !== one);
  theme.click();
  same("and back", ground(), one);

  // Nothing is wider than the window but what scrolls by itself.
  must("the page scrolls sideways", document.documentElement.scrollWidth <= innerWidth);
} catch (e) {
  said.push(String(e.stack));
}
addEventListener("load", () => {
  same("requests", performance.getEntriesByType("resource").filter(r => !/^(data|blob):/.test(r.name))
    .map(r => r.name), []);
  same("violations of the policy", violated, 0);
  const verdict = document.createElement("pre");
  verdict.id = "verdict";
  verdict.textContent = JSON.stringify(said);
  document.body.append(verdict);
});
})();
