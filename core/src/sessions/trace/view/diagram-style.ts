/** Style of rows, lanes and arrows. The script depends on the row height of 28 px. */
export const diagramStyle = `
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
