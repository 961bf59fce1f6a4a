// Where tables lie in the window, and how what is wider than it is reached. A promise that is
// broken is a line.
addEventListener("load", () => {
  const said = [];
  const must = (what, ok) => { if (!ok) said.push(what); };
  for (const d of document.querySelectorAll("details")) d.open = true;
  const root = document.documentElement, width = root.clientWidth;
  let scrolled = 0;
  for (const table of document.querySelectorAll("table")) {
    const name = table.tHead.textContent.trim().replace(/\s+/g, " ").slice(0, 60);
    const shows = box => getComputedStyle(box).overflowX === "visible" ||
      box.scrollWidth <= box.clientWidth;
    let box = table.parentElement;
    while (box !== document.body && shows(box)) box = box.parentElement;
    const scrolls = box !== document.body;
    const {left, right} = (scrolls ? box : table).getBoundingClientRect();
    must(`${name}: ${left} to ${right} of ${width} in the window`, left >= 0 && right <= width);
    if (!scrolls) continue;
    scrolled++;
    const overflow = getComputedStyle(box).overflowX;
    must(`${name}: clipped, overflow-x is ${overflow}`, ["auto", "scroll"].includes(overflow));
    must(`${name}: no scroll bar is seen`, box.offsetHeight >= box.clientHeight + 10);
    must(`${name}: the keyboard does not reach it`, box.tabIndex === 0);
    must(`${name}: ${right - left} wide, though the window is ${width}`, right - left > width - 80);
    const last = () => [...table.rows].at(-1).cells;
    must(`${name}: it does not start on the left`, box.scrollLeft === 0 &&
      Math.abs(table.getBoundingClientRect().left - left) < 1);
    box.scrollLeft = box.scrollWidth;
    must(`${name}: its end is not reached`, [...last()].at(-1).getBoundingClientRect().right <= right + 1);
    must(`${name}: its heads leave`, Math.abs(last()[0].getBoundingClientRect().left - left) < 1);
    box.scrollLeft = 0;
  }
  must("no table of the example is wider than the window", scrolled > 0);
  must("the page scrolls sideways", root.scrollWidth <= width && document.body.scrollWidth <= width);
  const verdict = document.createElement("pre");
  verdict.id = "verdict";
  verdict.textContent = JSON.stringify(said);
  document.body.append(verdict);
});
