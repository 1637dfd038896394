import { diagramStyle } from "./diagram-style.js";

/** Colors for light and dark mode, and styles of the page around the diagram. `--lanes` is the number of components. */
export const pageStyle = `
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
