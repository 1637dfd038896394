/**
 * The diagram. Only the rows in sight are in the document; each is a real button. Rows have one height, so
 * that a row's place follows from its number.
 */
export const diagramScript = String.raw`
const rowHeight = 28;
const overscan = 12;
const scroller = document.getElementById("rows");
const canvas = document.getElementById("canvas");
const laneHead = document.getElementById("lane-head");
const lanes = new Map(trace.components.map((name, place) => [name, place]));
const sessions = [...new Set(trace.events.map((event) => event.session).filter((session) => typeof session === "string"))];
const expanded = new Set();
const drawn = new Map();
let shown = [];
let rows = [];
let activeRow = 0;

function drawLaneHead() {
  const names = trace.components.map((name) => {
    const cell = element("span", "", name);
    cell.title = name;
    return cell;
  });
  laneHead.append(element("span", "head time", "Time (s)"), element("span", "names", ...names), element("span", "head", "Message"), element("span", "head took", "Took"));
}

function arrowOf(event) {
  const from = lanes.get(event.from ?? event.component) ?? 0;
  const to = lanes.get(event.to ?? event.component) ?? 0;
  if (from === to) {
    const dot = element("span", "dot");
    dot.style.setProperty("--from", from);
    return dot;
  }
  const arrow = element("span", "arrow " + (to > from ? "right" : "left"));
  arrow.style.setProperty("--from", Math.min(from, to));
  arrow.style.setProperty("--hops", Math.abs(to - from));
  return arrow;
}

function sessionBadge(index) {
  const place = sessions.indexOf(sessionOf(index));
  if (place === -1 || sessions.length < 2) return "";
  const badge = element("span", "session session-" + (place % 6), "s" + (place + 1));
  badge.title = sessions[place];
  return badge;
}

function tookText(row) {
  const event = trace.events[row.index];
  if (event.type === "response") return trace.took[row.index];
  return event.type === "request" && trace.partners[row.index] === -1 ? "no answer" : "";
}

function spokenText(row, name, preview) {
  const event = trace.events[row.index];
  const what = row.run ? row.run.length + " notifications" : kindOf(event);
  return [formatTime(event.ts) + " s", hopText(event), what, name, preview, tookText(row)].filter(Boolean).join(", ");
}

function drawRow(number) {
  const row = rows[number];
  const event = trace.events[row.index];
  const name = event.type === "process" ? textOf(event.component) : methodOf(row.index);
  const preview = row.run ? runPreview(row.run) : previewOf(event);
  const text = element("span", "text", sessionBadge(row.index), element("span", "method", name));
  if (row.run) text.append(element("span", "count", "×" + row.run.length.toLocaleString("en-US")));
  text.append(element("span", "preview", preview));
  const took = tookText(row);
  const made = element("button", "row " + kindOf(event) + (event.protocol === "mcp" ? " mcp" : "") + (isCrash(event) ? " failed" : ""),
    element("span", "time", formatTime(event.ts)), element("span", "lanes", arrowOf(event)), text,
    element("span", took === "no answer" ? "took warn" : "took", took));
  made.type = "button";
  made.setAttribute("aria-label", spokenText(row, name, preview));
  if (row.run) made.setAttribute("aria-expanded", String(row.isExpanded));
  if (row.run) made.classList.add("run");
  if (row.isMember) made.classList.add("member");
  made.addEventListener("click", () => activate(number));
  const item = element("div", "item", made);
  item.setAttribute("role", "listitem");
  item.setAttribute("aria-posinset", String(number + 1));
  item.setAttribute("aria-setsize", String(rows.length));
  item.style.transform = "translateY(" + number * rowHeight + "px)";
  return item;
}

function paint() {
  const first = Math.max(0, Math.floor(scroller.scrollTop / rowHeight) - overscan);
  const last = Math.min(rows.length, Math.ceil((scroller.scrollTop + scroller.clientHeight) / rowHeight) + overscan);
  for (const [number, item] of drawn) {
    if ((number >= first && number < last) || number === activeRow) continue;
    item.remove();
    drawn.delete(number);
  }
  for (let number = first; number < last; number++) drawOnce(number);
  if (activeRow < rows.length) drawOnce(activeRow);
  for (const [number, item] of drawn) mark(number, item.firstChild);
}

function drawOnce(number) {
  if (drawn.has(number)) return;
  const item = drawRow(number);
  drawn.set(number, item);
  canvas.append(item);
}

function mark(number, rowButton) {
  const { index, run } = rows[number];
  rowButton.tabIndex = number === activeRow ? 0 : -1;
  const isShown = shownIndex !== -1 && index === shownIndex && !run;
  rowButton.classList.toggle("selected", isShown);
  if (isShown) rowButton.setAttribute("aria-current", "true");
  else rowButton.removeAttribute("aria-current");
  rowButton.classList.toggle("partner", shownIndex !== -1 && !run && trace.partners[shownIndex] === index);
}

/** Takes new rows, and keeps the active event active where it is still there. */
function setRows(indexes) {
  const active = rows[activeRow]?.index;
  shown = indexes;
  rows = rowsOf(shown, expanded);
  activeRow = Math.max(0, rows.findIndex((row) => row.index === active));
  for (const item of drawn.values()) item.remove();
  drawn.clear();
  canvas.style.height = rows.length * rowHeight + "px";
  document.getElementById("empty").hidden = rows.length > 0;
  paint();
}

function refreshRows() {
  paint();
}

function activate(number) {
  activeRow = number;
  const row = rows[number];
  if (row.run) {
    if (!expanded.delete(row.index)) expanded.add(row.index);
    setRows(shown);
  } else {
    showDetail(row.index);
    paint();
  }
  focusRow(activeRow);
}

function focusRow(number) {
  if (rows.length === 0) return;
  activeRow = Math.min(Math.max(number, 0), rows.length - 1);
  const top = activeRow * rowHeight;
  const room = scroller.clientHeight - laneHead.offsetHeight;
  if (top < scroller.scrollTop) scroller.scrollTop = top;
  else if (top + rowHeight > scroller.scrollTop + room) scroller.scrollTop = top + rowHeight - room;
  paint();
  drawn.get(activeRow)?.firstChild.focus({ preventScroll: true });
}

function focusEvent(index) {
  const number = rows.findIndex((row) => row.index === index && !row.run);
  if (number !== -1) focusRow(number);
}

/** Shows an event wherever it hides: behind a filter or in a folded run. */
function revealEvent(index) {
  if (!shown.includes(index)) clearFilter();
  let number = rows.findIndex((row) => row.index === index && !row.run);
  if (number === -1) {
    const run = rows.find((row) => row.run?.includes(index));
    if (run) expanded.add(run.index);
    setRows(shown);
    number = rows.findIndex((row) => row.index === index && !row.run);
  }
  activeRow = Math.max(0, number);
  scroller.scrollTop = Math.max(0, activeRow * rowHeight - scroller.clientHeight / 2);
  showDetail(index);
  focusRow(activeRow);
}

const steps = { ArrowDown: () => activeRow + 1, ArrowUp: () => activeRow - 1, Home: () => 0, End: () => rows.length - 1,
  PageDown: () => activeRow + Math.floor(scroller.clientHeight / rowHeight) - 2,
  PageUp: () => activeRow - Math.floor(scroller.clientHeight / rowHeight) + 2 };

drawLaneHead();
scroller.addEventListener("scroll", () => requestAnimationFrame(paint), { passive: true });
scroller.addEventListener("keydown", (event) => {
  const step = steps[event.key];
  if (!step || event.altKey || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  focusRow(step());
});
new ResizeObserver(() => paint()).observe(scroller);
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && !detail.hidden) closeDetail();
});
`;
