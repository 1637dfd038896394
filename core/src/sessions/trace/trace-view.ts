import { type ParsedTrace, parseTrace } from "./parse-trace.js";
import { formatMs, type HopLatency, type SlowRequest, summarizeTrace, type TraceSummary } from "./trace-summary.js";
import { htmlText, pageHtml, scriptJson } from "./view/page-html.js";

/**
 * Renders a trace as one self-contained HTML page: a sequence diagram with filters, slow requests and failures. Trace contents never become
 * markup or script. Throws SymposiumError `invalid-trace`.
 */
export function renderTrace(text: string): string {
  const trace = parseTrace(text);
  const summary = summarizeTrace(trace);
  return pageHtml({
    title: "Symposium trace",
    components: trace.components,
    startedHtml: trace.started === undefined ? "" : startedHtml(trace.started),
    summaryHtml: summaryHtml(trace, summary),
    dataJson: scriptJson({
      components: trace.components,
      events: trace.events.map((event) => event.raw),
      partners: summary.partners,
      took: summary.durations.map((ms) => (ms === undefined ? "" : formatMs(ms))),
    }),
    nonce: crypto.randomUUID(),
  });
}

function startedHtml(started: string): string {
  const text = htmlText(started);
  return `<time datetime="${text}">${text}</time>`;
}

function summaryHtml(trace: ParsedTrace, summary: TraceSummary): string {
  return `<details class="summary" open>
<summary><h2>Summary</h2></summary>
<div class="summary-grid">
<dl class="facts">${facts(trace, summary).join("")}</dl>
${slowestHtml(summary.slowest)}
${hopsHtml(summary.hops)}
</div>
</details>`;
}

function facts(trace: ParsedTrace, summary: TraceSummary): string[] {
  const messages = trace.events.filter((event) => event.type !== "process").length;
  const all = [
    fact("Messages", count(messages)),
    fact("Requests", count(summary.requests)),
    fact("Notifications", count(summary.notifications)),
    fact("Errors", count(summary.errors), summary.errors > 0 ? "bad" : ""),
    fact("Sessions", count(summary.sessions)),
    fact("Duration", formatMs(summary.spanMs)),
  ];
  if (summary.unanswered > 0) all.push(fact("Unanswered", count(summary.unanswered), "warn"));
  if (trace.brokenLines > 0) all.push(fact("Unreadable lines", count(trace.brokenLines), "warn"));
  return all;
}

function fact(name: string, value: string, look = ""): string {
  return `<div class="fact ${look}"><dt>${name}</dt><dd>${value}</dd></div>`;
}

function slowestHtml(slowest: readonly SlowRequest[]): string {
  const rows = slowest.map(
    ({ index, event, durationMs }) =>
      `<tr><td><button type="button" class="link" data-show="${index}">${htmlText(String(event.raw["method"]))}</button></td>` +
      `<td>${htmlText(event.from)} → ${htmlText(event.to)}</td><td class="number">${formatMs(durationMs)}</td></tr>`,
  );
  return tableHtml("Slowest requests", ["Method", "Hop", "Took"], rows);
}

function hopsHtml(hops: readonly HopLatency[]): string {
  const cell = (ms: number | undefined): string => `<td class="number">${ms === undefined ? "–" : formatMs(ms)}</td>`;
  const rows = hops.map(
    (hop) =>
      `<tr><td>${htmlText(hop.from)} → ${htmlText(hop.to)}</td><td class="number">${count(hop.requests)}</td>` +
      `<td class="number${hop.errors > 0 ? " bad" : ""}">${count(hop.errors)}</td>` +
      `${cell(hop.p50Ms)}${cell(hop.p95Ms)}${cell(hop.maxMs)}${cell(hop.ownP50Ms)}</tr>`,
  );
  return tableHtml("Latency per hop", ["Hop", "Requests", "Errors", "p50", "p95", "Max", "Receiver’s own p50"], rows);
}

function tableHtml(caption: string, columns: readonly string[], rows: readonly string[]): string {
  if (rows.length === 0) return "";
  const head = columns.map((column) => `<th scope="col">${column}</th>`).join("");
  return `<table><caption>${caption}</caption><thead><tr>${head}</tr></thead><tbody>${rows.join("")}</tbody></table>`;
}

function count(value: number): string {
  return value.toLocaleString("en-US");
}
