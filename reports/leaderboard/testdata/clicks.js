// What a reader does with the site, and what must come of it. A promise that is broken is a line.
(() => {
const said = [];
const must = (what, ok) => { if (!ok) said.push(what); };
const same = (what, got, want) => must(`${what}: ${JSON.stringify(got)}, not ${JSON.stringify(want)}`,
  JSON.stringify(got) === JSON.stringify(want));
const all = (selector, root = document) => [...root.querySelectorAll(selector)];
let violated = 0;
document.addEventListener("securitypolicyviolation", () => violated++);
try {
  // Sorting the table of a condition, or of conditions, by its mean, and back.
  const table = all("table.sorts").find(t => all("thead th", t).some(h => h.textContent.startsWith("accuracy")));
  const head = all("thead th", table);
  const shown = () => [...table.tBodies[0].rows].map(r => r.cells[0].textContent);
  const before = shown(), mean = head.findIndex(h => h.textContent.startsWith("accuracy"));
  const values = () => [...table.tBodies[0].rows].map(r => +r.cells[mean].dataset.v);
  must("means have no numbers to sort by", values().every(Number.isFinite));
  head[mean].click();
  same("the most accurate first", values(), values().toSorted((a, b) => b - a));
  same("its head says", head[mean].ariaSort, "descending");
  head[mean].click();
  same("the least accurate first", values(), values().toSorted((a, b) => a - b));
  head[mean].click();
  same("as it was", shown(), before);
  head[0].dispatchEvent(new KeyboardEvent("keydown", {key: "Enter"}));
  same("by method, with the keyboard", shown(), before.toSorted((a, b) => a.localeCompare(b)));

  // Searching shows the rows that have all words, in all tables.
  const box = document.getElementById("search"), found = document.getElementById("found");
  must("the search is hidden", box.getBoundingClientRect().width > 0);
  const type = text => { box.value = text; box.dispatchEvent(new Event("input")); };
  const visible = () => all("table.sorts tbody tr").filter(r => r.getClientRects().length > 0);
  const searched = () => visible().filter(r => !r.closest(".apart"));
  const rows = visible().length;
  type("GOOD");
  must("others than good are shown", searched().length > 0 &&
    searched().every(r => r.cells[0].textContent.includes("good")));
  same("how many", found.textContent, "1 of 6 methods");
  type("good bad");
  same("no method has both words", [searched().length, found.textContent], [0, "0 of 6 methods"]);
  type("");
  same("all again", [visible().length, found.textContent], [rows, ""]);

  // Light and dark, as the next page has it, too.
  const colour = () => getComputedStyle(document.body).backgroundColor, light = colour();
  document.querySelector("button.theme").click();
  must("the theme does not change", colour() !== light);
  same("the theme that is kept", localStorage.getItem("hansa-theme"), document.documentElement.dataset.theme);

  // The page itself never scrolls sideways; wide tables do.
  const root = document.documentElement;
  must(`the page scrolls sideways: ${root.scrollWidth} of ${root.clientWidth}`,
    root.scrollWidth <= root.clientWidth);
  must("an identity is there twice", new Set(all("[id]").map(e => e.id)).size === all("[id]").length);
  must("something was requested or refused", violated === 0);
} catch (e) {
  said.push(String(e.stack ?? e));
}
const verdict = document.createElement("pre");
verdict.id = "verdict";
verdict.textContent = JSON.stringify(said);
document.body.append(verdict);
})();
