/** The filters, and the links of the summary: `applyFilter()`, `clearFilter()`. Runs last. */
export const toolbarScript = String.raw`
const toolbar = document.getElementById("toolbar");
const fields = {
  text: document.getElementById("filter-text"),
  method: document.getElementById("filter-method"),
  hop: document.getElementById("filter-hop"),
  session: document.getElementById("filter-session"),
  hidesUpdates: document.getElementById("hide-updates"),
  onlyErrors: document.getElementById("only-errors"),
};

function fillChoices(select, values, textOfChoice) {
  for (const [value, count] of values) {
    const option = element("option", "", textOfChoice(value) + " (" + count.toLocaleString("en-US") + ")");
    option.value = value;
    select.append(option);
  }
}

function countBy(valueOf) {
  const counts = new Map();
  for (let index = 0; index < trace.events.length; index++) {
    const value = valueOf(index);
    if (typeof value === "string" && value !== "") counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return counts;
}

function applyFilter() {
  const filter = {
    text: fields.text.value.trim(),
    method: fields.method.value,
    hop: fields.hop.value,
    session: fields.session.value,
    hidesUpdates: fields.hidesUpdates.checked,
    onlyErrors: fields.onlyErrors.checked,
  };
  const indexes = filterEvents(filter);
  const all = trace.events.length.toLocaleString("en-US");
  document.getElementById("shown").textContent =
    indexes.length === trace.events.length ? all + " events" : indexes.length.toLocaleString("en-US") + " of " + all + " events";
  setRows(indexes);
}

function clearFilter() {
  toolbar.reset();
  applyFilter();
}

fillChoices(fields.method, [...countBy(methodOf)].sort(([a], [b]) => (a < b ? -1 : 1)), (method) => method);
fillChoices(fields.hop, countBy(hopOf), (hop) => hop);
fillChoices(fields.session, countBy(sessionOf), (session) =>
  "s" + (sessions.indexOf(session) + 1) + " " + (session.length > 24 ? session.slice(0, 24) + "…" : session));
fields.session.parentElement.hidden = sessions.length === 0;
toolbar.addEventListener("submit", (event) => event.preventDefault());
let typing = 0;
toolbar.addEventListener("input", (event) => {
  clearTimeout(typing);
  typing = setTimeout(applyFilter, event.target === fields.text ? 120 : 0);
});
document.querySelector(".summary").addEventListener("click", (event) => {
  const target = event.target.closest("[data-show]");
  if (target) revealEvent(Number(target.dataset.show));
});
applyFilter();
`;
