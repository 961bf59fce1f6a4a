// Tables that sort, light and dark: of all pages.

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
  const button = document.createElement("button");
  button.type = "button";
  button.className = "theme";
  const now = () => root.dataset.theme ?? (dark.matches ? "dark" : "light");
  const name = () => { button.textContent = now() === "dark" ? "light" : "dark"; };
  button.onclick = () => { root.dataset.theme = now() === "dark" ? "light" : "dark"; name(); };
  dark.onchange = name;
  name();
  document.querySelector("header").prepend(button);
}
