import { parseTrace } from "./parse-trace.js";
import { formatMs, summarizeTrace } from "./trace-summary.js";
import { htmlText, scriptJson, pageHtml } from "./view/page-html.js";
import { summaryHtml } from "./view/summary-html.js";

/**
 * Turns the text of a trace into one self-contained HTML page: a sequence diagram with filters, and what
 * was slow or failed. Nothing in a trace can become markup or script. Throws SymposiumError `invalid-trace`.
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
