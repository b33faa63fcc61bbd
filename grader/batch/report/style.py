"""How the pages of a batch look, and what sorts and filters their table."""

from grader.show.html_page import BASE_CSS

CSS = f"""{BASE_CSS}\
main {{ max-width: 72rem; }}
p, ul {{ max-width: 46rem; overflow-wrap: anywhere; }}
pre {{ white-space: pre-wrap; overflow-wrap: anywhere; font-size: .8125rem; margin: .25rem 0 .75rem;
  border-left: 3px solid var(--grid); padding-left: .75rem; }}
.scroll {{ overflow-x: auto; }}
table {{ border-collapse: collapse; font-size: .875rem; }}
th, td {{ text-align: left; padding: .3rem .75rem .3rem 0; border-top: 1px solid var(--grid);
  vertical-align: top; }}
thead th {{ border: 0; white-space: nowrap; }}
#students td, #students th {{ white-space: nowrap; }}
#students tr > :first-child {{ position: sticky; left: 0; background: var(--paper); max-width: 14rem;
  overflow: hidden; text-overflow: ellipsis; }}
th button {{ font: inherit; font-weight: 600; color: inherit; background: none; border: 0; padding: 0;
  cursor: pointer; }}
th[aria-sort=ascending] button::after {{ content: " ▲"; }}
th[aria-sort=descending] button::after {{ content: " ▼"; }}
input, select {{ font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--grid);
  border-radius: .25rem; padding: .25rem .5rem; margin: 0 .5rem .5rem 0; }}
a {{ color: var(--first); }}
td a {{ text-decoration: none; color: inherit; }}
td a:hover {{ text-decoration: underline; }}
.pass {{ color: var(--good); }}
.partly {{ color: var(--bad); }}
.none {{ color: var(--quiet); }}
.fault, .look {{ color: var(--second); font-weight: 600; }}
details {{ border-top: 1px solid var(--grid); padding: .35rem 0; }}
summary {{ cursor: pointer; overflow-wrap: anywhere; }}
"""

SCRIPT = """
"use strict";
const table = document.getElementById("students");
const body = table.tBodies[0];
const words = document.getElementById("words");
const kind = document.getElementById("kind");
const shown = document.getElementById("shown");

function filter() {
  const word = words.value.trim().toLowerCase();
  let count = 0;
  for (const row of body.rows) {
    const named = row.cells[0].textContent.toLowerCase().includes(word);
    const fits = !kind.value || row.querySelector(`[data-kind~="${kind.value}"]`) !== null;
    row.hidden = !(named && fits);
    count += row.hidden ? 0 : 1;
  }
  shown.textContent = `${count} of ${body.rows.length}`;
}

function sort(head, column) {
  const descending = head.getAttribute("aria-sort") === "ascending";
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", descending ? "descending" : "ascending");
  const value = (row) => row.cells[column].dataset.value;
  const order = column === 0
    ? (a, b) => value(a).localeCompare(value(b), undefined, { numeric: true })
    : (a, b) => Number(value(a)) - Number(value(b));
  const rows = [...body.rows].sort(order);
  body.append(...(descending ? rows.reverse() : rows));
}

function open() {
  const target = document.getElementById(location.hash.slice(1));
  if (target instanceof HTMLDetailsElement) target.open = true;
}

[...table.tHead.rows[0].cells].forEach((head, column) => {
  head.querySelector("button").addEventListener("click", () => sort(head, column));
});
words.addEventListener("input", filter);
kind.addEventListener("input", filter);
window.addEventListener("hashchange", open);
filter();
open();
"""
