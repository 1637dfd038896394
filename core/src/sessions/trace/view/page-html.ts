interface PageParts {
  readonly title: string;
  /** Lanes of the diagram from client to agent. */
  readonly components: readonly string[];
  readonly startedHtml: string;
  readonly summaryHtml: string;
  /** JSON that is safe in a script element. */
  readonly dataJson: string;
  /** Nonce that allows only the page's own script and style. */
  readonly nonce: string;
}

/** Returns the page. Its policy forbids network access, markup from strings and other scripts. */
export function pageHtml(parts: PageParts): string {
  const { nonce } = parts;
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; ");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${htmlText(parts.title)}</title>
<style nonce="${nonce}">
:root { --lanes: ${parts.components.length}; }
${pageStyle}
</style>
</head>
<body>
<header>
<h1>${htmlText(parts.title)}</h1>
<p class="chain">${parts.components.map((name) => `<span>${htmlText(name)}</span>`).join(" → ")}</p>
<p class="started">${parts.startedHtml}</p>
</header>
${parts.summaryHtml}
${toolbarHtml}
<main class="work">
<section class="diagram" aria-label="Sequence of messages">
<div class="rows" id="rows" tabindex="-1">
<div class="lane-head" id="lane-head" aria-hidden="true"></div>
<div class="canvas" id="canvas" role="list"></div>
</div>
<p class="empty" id="empty" hidden>No messages match the filter.</p>
</section>
<aside class="detail" id="detail" aria-label="Message" hidden></aside>
</main>
<script type="application/json" id="trace-data">${parts.dataJson}</script>
<script nonce="${nonce}">
${pageScript}
</script>
</body>
</html>
`;
}

const toolbarHtml = `<form class="toolbar" id="toolbar" role="search" aria-label="Filter messages">
<label>Text <input type="search" id="filter-text" placeholder="in the whole message" autocomplete="off"></label>
<label>Method <select id="filter-method"><option value="">all</option></select></label>
<label>Hop <select id="filter-hop"><option value="">all</option></select></label>
<label>Session <select id="filter-session"><option value="">all</option></select></label>
<label class="check"><input type="checkbox" id="hide-updates"> Hide session/update</label>
<label class="check"><input type="checkbox" id="only-errors"> Errors only</label>
<output id="shown" aria-live="polite"></output>
</form>`;

/** Escapes `text` for HTML content and quoted attributes. */
export function htmlText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Formats JSON so that it can't end a script element or open a comment. */
export function scriptJson(value: unknown): string {
  return JSON.stringify(value).replaceAll("<", "\\u003c");
}

declare const SYMPOSIUM_TRACE_SCRIPT: string | undefined;

/** Bundled script of `trace/page`; without a bundle, the page isn't interactive. */
const pageScript = typeof SYMPOSIUM_TRACE_SCRIPT === "undefined" ? "" : SYMPOSIUM_TRACE_SCRIPT;

/** Style of rows, lanes and arrows. The script depends on the row height of 28 px. */
const diagramStyle = `
.diagram { container-type: inline-size; position: relative; flex: 1 1 0; min-width: 0; border: 1px solid var(--line); border-radius: 8px; background: var(--card); overflow: hidden; }
.rows { --lane: clamp(68px, calc(46cqi / var(--lanes)), 148px); position: relative; height: 100%; overflow: auto; outline-offset: -2px; }
.lane-head, .row {
  display: grid; grid-template-columns: 82px calc(var(--lanes) * var(--lane)) minmax(260px, 1fr) 84px;
  align-items: center; min-width: 100%; width: 100%;
}
.lane-head, .canvas { min-width: calc(82px + var(--lanes) * var(--lane) + 344px); }
.lane-head { position: sticky; top: 0; z-index: 2; height: 32px; border-bottom: 1px solid var(--line); background: var(--card); }
.lane-head .head { padding: 0 8px; color: var(--soft); font-size: 11px; }
.lane-head .names { display: flex; }
.names span { width: var(--lane); padding: 0 4px; overflow: hidden; text-align: center; text-overflow: ellipsis; white-space: nowrap; font-weight: 600; }
.canvas { position: relative; contain: layout; }
.item { position: absolute; top: 0; left: 0; width: 100%; height: 28px; }
.row { height: 28px; padding: 0; border: 0; background: none; text-align: left; cursor: pointer; }
.row:hover { background: var(--hover); }
.row.partner { background: var(--partner); }
.row.selected { background: var(--selected); }
.row:focus-visible { outline-offset: -2px; }

.request { --kind: var(--request); }
.response { --kind: var(--response); }
.notification { --kind: var(--notification); }
.request.mcp, .notification.mcp { --kind: var(--mcp); }
.process { --kind: var(--process); }
.cancel { --kind: var(--cancel); }
.error, .failed { --kind: var(--error); }

.time, .took { padding: 0 8px; color: var(--soft); text-align: right; white-space: nowrap; font-size: 12px; font-variant-numeric: tabular-nums; }
.took.warn { color: var(--warn); }
.error .took { color: var(--error); }
.lanes {
  position: relative; align-self: stretch;
  background: linear-gradient(to right, transparent calc(50% - 0.5px), var(--life) calc(50% - 0.5px) calc(50% + 0.5px), transparent calc(50% + 0.5px)) 0 0 / var(--lane) 100%;
}
.arrow {
  position: absolute; top: 50%; left: calc((var(--from) + 0.5) * var(--lane)); width: calc(var(--hops) * var(--lane));
  border-top: 2px solid var(--kind); transform: translateY(-1px);
}
.response .arrow, .error .arrow { border-top-style: dashed; }
.notification .arrow, .cancel .arrow { border-top-width: 1px; transform: translateY(-0.5px); }
.run .arrow { border-top: 3px double var(--kind); transform: translateY(-1.5px); }
.arrow::after {
  content: ""; position: absolute; top: -6px; border: solid transparent; border-width: 5px 0;
}
.notification .arrow::after, .cancel .arrow::after { top: -5.5px; }
.run .arrow::after { top: -6.5px; }
.arrow.right::after { right: 0; border-left: 8px solid var(--kind); }
.arrow.left::after { left: 0; border-right: 8px solid var(--kind); }
.dot {
  position: absolute; top: calc(50% - 5px); left: calc((var(--from) + 0.5) * var(--lane) - 5px);
  width: 10px; height: 10px; border: 2px solid var(--kind); border-radius: 50%; background: var(--card);
}
.text { display: flex; align-items: baseline; gap: 8px; min-width: 0; padding: 0 8px; overflow: hidden; white-space: nowrap; }
.method { flex: none; color: var(--kind); font: 600 12px/1.4 var(--mono); }
.response .method { font-weight: 400; }
.preview { overflow: hidden; color: var(--soft); text-overflow: ellipsis; }
.error .preview { color: var(--error); }
.count { flex: none; padding: 0 7px; border-radius: 9px; background: var(--kind); color: var(--card); font-size: 11px; font-weight: 600; }
.run .method::before { content: "▸ "; }
.run[aria-expanded="true"] .method::before { content: "▾ "; }
.member .text { padding-left: 28px; }
.session { flex: none; padding: 0 5px; border: 1px solid currentColor; border-radius: 4px; font-size: 10px; }
.session-0 { color: var(--request); }
.session-1 { color: var(--cancel); }
.session-2 { color: var(--notification); }
.session-3 { color: var(--response); }
.session-4 { color: var(--mcp); }
.session-5 { color: var(--process); }
.empty { position: absolute; inset: 80px 0 auto; margin: 0; color: var(--soft); text-align: center; }
`;

/** Colors for light and dark mode, and styles of the page around the diagram. `--lanes` is the number of components. */
const pageStyle = `
:root {
  color-scheme: light dark;
  --page: #f7f8fa; --card: #ffffff; --ink: #1d2430; --soft: #5b6675; --line: #dde2e9; --life: #cfd6df; --hover: #eef2f8;
  --selected: #dfe9fb; --partner: #eef3fc; --focus: #1a62d6;
  --request: #1a62d6; --response: #1a7f4b; --notification: #7a5bb5; --mcp: #0b7a89; --process: #7a6a3a;
  --cancel: #a65a00; --error: #c4262e; --warn: #955000;
  --mono: ui-monospace, SFMono-Regular, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #14171c; --card: #1b1f26; --ink: #e3e7ee; --soft: #9aa5b5; --line: #2d333d; --life: #39414d; --hover: #232933;
    --selected: #24395c; --partner: #1f2b40; --focus: #7fb0ff;
    --request: #7fb0ff; --response: #63c98f; --notification: #b79df0; --mcp: #5cc8d6; --process: #d0bd83;
    --cancel: #f0a85c; --error: #ff7b7f; --warn: #f0b35c;
  }
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
html { height: 100%; }
body {
  display: flex; flex-direction: column; gap: 10px; height: 100%; margin: 0; padding: 14px 18px;
  background: var(--page); color: var(--ink); font: 13px/1.45 system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif;
}
header { display: flex; flex-wrap: wrap; align-items: baseline; gap: 4px 18px; }
h1 { margin: 0; font-size: 17px; }
h2 { display: inline; margin: 0; font-size: 13px; }
header p { margin: 0; color: var(--soft); overflow-wrap: anywhere; }
.chain span { color: var(--ink); font-weight: 600; }
.started { margin-left: auto; font-variant-numeric: tabular-nums; }
:focus-visible { outline: 2px solid var(--focus); outline-offset: 1px; }

.summary { flex: none; padding: 8px 12px; border: 1px solid var(--line); border-radius: 8px; background: var(--card); }
.summary summary { width: fit-content; cursor: pointer; }
.summary-grid { display: flex; flex-wrap: wrap; align-items: flex-start; gap: 12px 40px; max-height: 34vh; overflow: auto; padding-top: 6px; }
.facts { display: grid; grid-template-columns: repeat(2, minmax(92px, auto)); gap: 6px 20px; margin: 0; }
.fact dt { color: var(--soft); font-size: 11px; }
.fact dd { margin: 0; font-size: 16px; font-weight: 600; font-variant-numeric: tabular-nums; }
.bad, .fact.bad dd { color: var(--error); }
.warn, .fact.warn dd { color: var(--warn); }
table { border-collapse: collapse; }
caption { padding-bottom: 2px; text-align: left; font-weight: 600; }
th { color: var(--soft); font-weight: 400; font-size: 11px; text-align: left; }
th, td { padding: 1px 14px 1px 0; white-space: nowrap; }
.number { text-align: right; font-variant-numeric: tabular-nums; }
th:not(:first-child):not(:nth-child(2)) { text-align: right; }

button, input, select { font: inherit; color: inherit; }
button.link { padding: 0; border: 0; background: none; color: var(--request); font-family: var(--mono); font-size: 12px; cursor: pointer; }
button.link:hover { text-decoration: underline; }
.toolbar { display: flex; flex: none; flex-wrap: wrap; align-items: center; gap: 8px 14px; }
.toolbar label { display: inline-flex; align-items: center; gap: 6px; color: var(--soft); }
.toolbar input[type="search"], .toolbar select {
  height: 28px; max-width: 200px; padding: 0 8px; border: 1px solid var(--line); border-radius: 6px; background: var(--card); color: var(--ink);
}
.toolbar input[type="search"] { width: 190px; }
.toolbar input[type="checkbox"] { accent-color: var(--request); }
.toolbar output { margin-left: auto; color: var(--soft); font-variant-numeric: tabular-nums; }

.work { display: flex; flex: 1 0 320px; gap: 10px; min-height: 320px; overflow: hidden; }
.detail {
  display: flex; flex: 0 0 min(40%, 620px); flex-direction: column; gap: 8px; padding: 12px;
  border: 1px solid var(--line); border-radius: 8px; background: var(--card);
}
.detail h2 { font-family: var(--mono); overflow-wrap: anywhere; }
.detail .hop { margin: 0; color: var(--soft); overflow-wrap: anywhere; }
.actions { display: flex; flex-wrap: wrap; align-items: center; gap: 8px; }
.actions button { padding: 3px 10px; border: 1px solid var(--line); border-radius: 6px; background: var(--page); cursor: pointer; }
.actions button:hover { background: var(--hover); }
.actions .close { margin-left: auto; }
.detail pre { flex: 1; margin: 0; overflow: auto; font: 12px/1.5 var(--mono); white-space: pre-wrap; overflow-wrap: anywhere; }
.detail .key { color: var(--request); }
.detail .string { color: var(--response); }
.detail .atom { color: var(--notification); }
@media (max-width: 900px) {
  body { height: auto; min-height: 100%; }
  .work { flex-direction: column; height: 90vh; }
  .detail { flex-basis: 45%; }
}
${diagramStyle}`;
