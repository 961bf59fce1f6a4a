// The site: search, above the tables of a page. Sorting is that of pages of runs.

// search hides the rows that lack a word of what is searched, and says how many there are.
function search() {
  const box = document.getElementById("search"), found = document.getElementById("found");
  if (!box) return;
  const rows = [...document.querySelectorAll("table.sorts tbody tr")];
  const text = row => (row.querySelector("th a") ?? row.cells[0]).textContent.toLowerCase();
  const names = new Map(rows.map(row => [row, text(row)]));
  const all = new Set(names.values()).size;
  box.oninput = () => {
    const words = box.value.toLowerCase().split(/\s+/).filter(Boolean), shown = new Set();
    for (const [row, name] of names) {
      row.hidden = !words.every(w => name.includes(w));
      if (!row.hidden) shown.add(name);
    }
    found.textContent = words.length ? `${shown.size} of ${all} ${box.dataset.of}` : "";
  };
  box.closest(".search").hidden = false;
  box.oninput();
}

theme();
document.querySelectorAll("table.sorts").forEach(sorts);
search();
