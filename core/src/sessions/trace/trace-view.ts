import { parseTrace } from "./parse-trace.js";
import { formatMs, summarizeTrace } from "./trace-summary.js";
import { htmlText, scriptJson, pageHtml } from "./view/page-html.js";
import { summaryHtml } from "./view/summary-html.js";

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
