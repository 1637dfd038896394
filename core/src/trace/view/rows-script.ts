/**
 * Which rows the diagram has. Pure over `trace`: `rowsOf(indexes, expanded)` folds runs of the same
 * notification, hop by hop, `filterEvents(filter)` gives the indexes that match, `sessionOf` and `methodOf`
 * look at the request too, because responses of other conductors name neither.
 */
export const rowsScript = String.raw`
const minRun = 3;
const searchTexts = [];

function partnerOf(index) {
  return trace.events[trace.partners[index]];
}

function methodOf(index) {
  return textOf(trace.events[index].method ?? partnerOf(index)?.method);
}

function sessionOf(index) {
  return trace.events[index].session ?? partnerOf(index)?.session;
}

/** The two sides of a hop, in the order of the chain whichever way the message goes. */
function hopOf(index) {
  const { type, from, to } = trace.events[index];
  if (type === "process") return "";
  return trace.components.indexOf(from) <= trace.components.indexOf(to) ? from + " ↔ " + to : to + " ↔ " + from;
}

function searchText(index) {
  return (searchTexts[index] ??= (methodOf(index) + " " + JSON.stringify(trace.events[index])).toLowerCase());
}

function filterEvents(filter) {
  const text = filter.text.toLowerCase();
  const indexes = [];
  for (let index = 0; index < trace.events.length; index++) {
    if (filter.hidesUpdates && methodOf(index) === "session/update") continue;
    if (filter.onlyErrors && !isFailure(index)) continue;
    if (filter.method !== "" && methodOf(index) !== filter.method) continue;
    if (filter.hop !== "" && hopOf(index) !== filter.hop) continue;
    if (filter.session !== "" && sessionOf(index) !== filter.session) continue;
    if (text !== "" && !searchText(index).includes(text)) continue;
    indexes.push(index);
  }
  return indexes;
}

function isCrash(event) {
  return event.type === "process" && event.event === "exit" && event.code !== 0;
}

/** A failed answer, the request it answers, and the exit of a process with a code or a signal. */
function isFailure(index) {
  const event = trace.events[index];
  return isCrash(event) || kindOf(event) === "error" || (event.type === "request" && partnerOf(index)?.is_error === true);
}

/** Notifications that belong to one run, whichever hop they are on. */
function runKey(event) {
  if (event.type !== "notification") return undefined;
  return JSON.stringify([event.method, event.params?.update?.sessionUpdate, event.session]);
}

function rowsOf(indexes, expanded) {
  const rows = [];
  for (let start = 0; start < indexes.length; ) {
    const key = runKey(trace.events[indexes[start]]);
    let end = start + 1;
    while (key !== undefined && end < indexes.length && runKey(trace.events[indexes[end]]) === key) end++;
    if (key === undefined) rows.push({ index: indexes[start] });
    else pushRun(rows, indexes.slice(start, end), expanded);
    start = end;
  }
  return rows;
}

/** One row for each hop of the run that has enough of them; in a chain the hops of a run take turns. */
function pushRun(rows, run, expanded) {
  const hops = new Map();
  for (const index of run) {
    const { from, to } = trace.events[index];
    const hop = JSON.stringify([from, to]);
    if (!hops.has(hop)) hops.set(hop, []);
    hops.get(hop).push(index);
  }
  for (const members of hops.values()) {
    if (members.length < minRun) {
      for (const index of members) rows.push({ index });
      continue;
    }
    const isExpanded = expanded.has(members[0]);
    rows.push({ index: members[0], run: members, isExpanded });
    if (isExpanded) for (const index of members) rows.push({ index, isMember: true });
  }
}

/** The text that the chunks of a run make, or how the first begins. */
function runPreview(run) {
  const kind = textOf(trace.events[run[0]].params?.update?.sessionUpdate);
  let text = "";
  for (const index of run) {
    if (text.length > maxPreview) break;
    text += textOf(trace.events[index].params?.update?.content?.text);
  }
  return text === "" ? previewOf(trace.events[run[0]]) : join(kind, text);
}
`;
