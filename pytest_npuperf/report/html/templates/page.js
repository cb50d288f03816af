"use strict";

// --- sorting: each heading becomes a button; what has no value is last either way ---

function value(row, column) {
  const cell = row.cells[column];
  if (cell.dataset.v !== undefined) return Number(cell.dataset.v);
  return cell.classList.contains("n") ? "" : cell.textContent.trim();
}

function compare(a, b) {
  if (typeof a === "number" && typeof b === "number") return a < b ? -1 : a > b ? 1 : 0;
  if (typeof a === typeof b) return a.localeCompare(b, undefined, { numeric: true });
  return typeof a === "number" ? -1 : 1;
}

function sort(table, rows, column, down) {
  const keyed = rows.map((row) => [value(row, column), row]);
  const [empty, full] = [keyed.filter(([key]) => key === ""), keyed.filter(([key]) => key !== "")];
  full.sort(([a], [b]) => (down ? compare(b, a) : compare(a, b)));
  table.tBodies[0].append(...[...full, ...empty].map(([, row]) => row));
}

for (const table of document.querySelectorAll("table")) {
  const rows = [...table.tBodies[0].rows]; // as they came, so that equal ones stay worst first
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const sorted = head.getAttribute("aria-sort");
      const first = head.classList.contains("n") ? "descending" : "ascending";
      const other = first === "ascending" ? "descending" : "ascending";
      const order = sorted === first ? other : first;
      heads.forEach((each) => each.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", order);
      sort(table, rows, column, order === "descending");
    });
  });
}

// --- filtering the limits by words and by verdict ---

const filter = document.querySelector(".filter");
if (filter) {
  const rows = [...document.querySelector("table.limits").tBodies[0].rows];
  const [words, verdict, shown] = ["words", "verdict", "shown"].map((id) => document.getElementById(id));
  const texts = rows.map((row) => row.textContent.toLowerCase());
  const verdicts = rows.map((row) => row.cells[0].textContent.trim());
  for (const each of new Set(verdicts)) verdict.append(new Option(each));
  const apply = () => {
    const wanted = words.value.toLowerCase().split(/\s+/);
    let count = 0;
    rows.forEach((row, at) => {
      const fits = !verdict.value || verdicts[at] === verdict.value;
      row.hidden = !(fits && wanted.every((word) => texts[at].includes(word)));
      count += row.hidden ? 0 : 1;
    });
    shown.textContent = `${count} of ${rows.length}`;
  };
  filter.addEventListener("input", apply);
  filter.hidden = false;
  apply();
}

// --- a link to a case opens it, and all are open on paper ---

const cases = [...document.querySelectorAll("details")];
const reveal = () => {
  const found = cases.find((each) => `#${each.id}` === location.hash);
  if (found) found.open = true;
};
addEventListener("hashchange", reveal);
reveal();

let closed = [];
addEventListener("beforeprint", () => {
  closed = cases.filter((each) => !each.open);
  closed.forEach((each) => (each.open = true));
});
addEventListener("afterprint", () => closed.forEach((each) => (each.open = false)));
