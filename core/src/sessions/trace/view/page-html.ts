import { pageStyle } from "./page-style.js";

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
