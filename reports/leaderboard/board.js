// The site: search, above the tables of a page. Sorting is that of pages of runs.

// search hides the rows that lack a word of what is searched, and says how many there are.
function search() {
  const box = document.getElementById("search"), found = document.getElementById("found");
  if (!box) return;
  const rows = [...document.querySelectorAll("table.sorts:not(.apart) tbody tr")];
  const text = row => (row.querySelector("th a") ?? row.cells[0]).textContent.toLowerCase();
  const names = new Map(rows.map(row => [row, text(row)]));
  const all = new Set(names.values()).size;
  box.oninput = () => {
    const words = box.value.toLowerCase().split(/\s+/).filter(Boolean), shown = new Set();
    for (const [row, name] of names) {
      row.hidden = !words.every(w => name.includes(w));
      if (!row.hidden) shown.add(name);
    }
    for (const part of document.querySelectorAll("section.apart"))
      part.hidden = words.length > 0 && !part.querySelector("tbody tr:not([hidden])");
    found.textContent = words.length ? `${shown.size} of ${all} ${box.dataset.of}` : "";
  };
  box.closest(".search").hidden = false;
  box.oninput();
}

// keep remembers whether the reader chose light or dark, where the browser lets a page remember.
function keep() {
  const key = "hansa-theme", root = document.documentElement;
  try {
    const kept = localStorage.getItem(key);
    if (kept === "light" || kept === "dark") root.dataset.theme = kept;
  } catch {}
  theme();
  document.querySelector("button.theme").addEventListener("click", () => {
    try { localStorage.setItem(key, root.dataset.theme); } catch {}
  });
}

keep();
document.querySelectorAll("table.sorts").forEach(sorts);
search();
