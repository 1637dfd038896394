import { DetailPanel, element } from "./detail.js";
import { Diagram } from "./diagram.js";
import { type PageTrace, TraceRows } from "./rows.js";

/** Milliseconds to wait after typing in the search field. */
const typingMs = 120;

function byId(id: string): HTMLElement;
function byId<K extends "form" | "input" | "select">(id: string, name: K): HTMLElementTagNameMap[K];
function byId(id: string, name = ""): HTMLElement {
  const found = document.querySelector<HTMLElement>(`${name}#${id}`);
  if (!found) throw new Error(`The page has no ${name} "${id}".`);
  return found;
}

const rows = new TraceRows(JSON.parse(byId("trace-data").textContent) as PageTrace);
const detailPanel = byId("detail");
const detail = new DetailPanel(detailPanel, rows, {
  reveal: (index) => diagram.reveal(index),
  closed: (index) => {
    diagram.paint();
    diagram.focusEvent(index);
  },
});
const diagram = new Diagram(
  { scroller: byId("rows"), canvas: byId("canvas"), laneHead: byId("lane-head"), empty: byId("empty") },
  rows,
  {
    detail,
    clearFilter: () => {
      toolbar.reset();
      applyFilter();
    },
  },
);

const toolbar = byId("toolbar", "form");
const fields = {
  text: byId("filter-text", "input"),
  method: byId("filter-method", "select"),
  hop: byId("filter-hop", "select"),
  session: byId("filter-session", "select"),
  hidesUpdates: byId("hide-updates", "input"),
  onlyErrors: byId("only-errors", "input"),
};

function applyFilter(): void {
  const indexes = rows.filtered({
    text: fields.text.value.trim(),
    method: fields.method.value,
    hop: fields.hop.value,
    session: fields.session.value,
    hidesUpdates: fields.hidesUpdates.checked,
    onlyErrors: fields.onlyErrors.checked,
  });
  const all = rows.trace.events.length;
  const counted = indexes.length === all ? "" : `${indexes.length.toLocaleString("en-US")} of `;
  byId("shown").textContent = `${counted}${all.toLocaleString("en-US")} events`;
  diagram.setRows(indexes);
}

/** Counts the events for each value by which a filter can select. */
function countBy(valueOf: (index: number) => unknown): Map<string, number> {
  const counts = new Map<string, number>();
  for (const index of rows.trace.events.keys()) {
    const value = valueOf(index);
    if (typeof value === "string" && value !== "") counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return counts;
}

function fillChoices(
  select: HTMLSelectElement,
  values: Iterable<[string, number]>,
  textOf = (value: string) => value,
): void {
  for (const [value, count] of values) {
    const option = element("option", "", `${textOf(value)} (${count.toLocaleString("en-US")})`);
    option.setAttribute("value", value);
    select.append(option);
  }
}

function sessionText(session: string): string {
  const shown = session.length > 24 ? `${session.slice(0, 24)}…` : session;
  return `s${diagram.sessions.indexOf(session) + 1} ${shown}`;
}

const methods = [...countBy((index) => rows.methodOf(index))].sort(([a], [b]) => (a < b ? -1 : 1));
fillChoices(fields.method, methods);
fillChoices(
  fields.hop,
  countBy((index) => rows.hopOf(index)),
);
fillChoices(
  fields.session,
  countBy((index) => rows.sessionOf(index)),
  sessionText,
);
if (fields.session.parentElement) fields.session.parentElement.hidden = diagram.sessions.length === 0;

let typing: ReturnType<typeof setTimeout> | undefined;
toolbar.addEventListener("submit", (event) => event.preventDefault());
toolbar.addEventListener("input", (event) => {
  clearTimeout(typing);
  typing = setTimeout(applyFilter, event.target === fields.text ? typingMs : 0);
});
document.querySelector(".summary")?.addEventListener("click", ({ target }) => {
  const link = target instanceof Element ? target.closest<HTMLElement>("[data-show]") : null;
  if (link) diagram.reveal(Number(link.dataset["show"]));
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && !detailPanel.hidden) detail.close();
});
applyFilter();
