import * as l10n from "@vscode/l10n";
import { randomBytes } from "node:crypto";
import type { ComparedFile, ComparedResult } from "./compared-result.js";

export const comparisonCommands = {
  diff: "symposium.comparison.diff",
  keep: "symposium.comparison.keep",
  show: "symposium.comparison.show",
  remove: "symposium.comparison.remove",
} as const;

const stateWords: Readonly<Record<ComparedResult["state"], string>> = {
  working: l10n.t("Working…"),
  waiting: l10n.t("Needs your input"),
  done: l10n.t("Done"),
  stopped: l10n.t("Stopped"),
  failed: l10n.t("Failed"),
  gone: l10n.t("Worktree removed"),
};

const maxFiles = 200;

const style = `
body { padding: 0 16px 16px; color: var(--vscode-foreground); font: var(--vscode-font-size) var(--vscode-font-family); }
h1 { font-size: 1.3em; font-weight: 600; }
.prompt { margin: 0 0 16px; max-height: 6em; overflow: auto; white-space: pre-wrap; color: var(--vscode-descriptionForeground); }
main { display: grid; grid-template-columns: repeat(auto-fit, minmax(240px, 1fr)); gap: 12px; align-items: start; }
section { padding: 12px; border: 1px solid var(--vscode-widget-border, var(--vscode-contrastBorder, transparent)); border-radius: 6px; background: var(--vscode-editorWidget-background); }
h2 { margin: 0; font-size: 1.15em; }
dl { display: grid; grid-template-columns: auto 1fr; gap: 2px 12px; margin: 10px 0; }
dt { color: var(--vscode-descriptionForeground); }
dd { margin: 0; overflow-wrap: anywhere; }
ul { margin: 0 0 12px; padding: 0; list-style: none; }
li { display: flex; gap: 8px; padding: 1px 0; }
li > span:first-child { flex: 1; min-width: 0; overflow-wrap: anywhere; }
.note { color: var(--vscode-descriptionForeground); }
.added { color: var(--vscode-gitDecoration-addedResourceForeground); }
.removed { color: var(--vscode-gitDecoration-deletedResourceForeground); }
li a { color: var(--vscode-textLink-foreground); }
nav { display: flex; flex-wrap: wrap; gap: 6px; }
nav a { padding: 4px 10px; border-radius: 4px; background: var(--vscode-button-secondaryBackground); color: var(--vscode-button-secondaryForeground); text-decoration: none; }
nav a.first { background: var(--vscode-button-background); color: var(--vscode-button-foreground); }
nav a:focus { outline: 1px solid var(--vscode-focusBorder); outline-offset: 2px; }
`;

export function comparisonPage(prompt: string, results: readonly ComparedResult[], language: string): string {
  const nonce = randomBytes(16).toString("base64url");
  return `<!DOCTYPE html>
<html lang="${escaped(language)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'nonce-${nonce}'; base-uri 'none'; form-action 'none'">
<style nonce="${nonce}">${style}</style>
<title>${escaped(l10n.t("Compared results"))}</title>
</head>
<body>
<h1>${escaped(results.length === 1 ? l10n.t("Results from 1 agent") : l10n.t("Results from {0} agents", results.length))}</h1>
<p class="prompt">${escaped(prompt)}</p>
<main>
${results.map(column).join("\n")}
</main>
</body>
</html>
`;
}

function column(result: ComparedResult): string {
  const { tabId, agentName, name, state } = result;
  const files = typeof result.files === "string" ? [] : result.files;
  const isKnown = files === result.files;
  const facts = [
    [l10n.t("State"), stateWords[state]],
    [l10n.t("Files"), typeof result.files === "string" ? result.files : filesInShort(files)],
    [l10n.t("Tests"), result.tests.length === 0 ? l10n.t("No test results") : result.tests.join("; ")],
    [l10n.t("Time"), result.durationMs === undefined ? "" : durationText(result.durationMs)],
    [l10n.t("Tokens"), tokensText(result)],
    [l10n.t("Cost"), result.cost ?? ""],
  ].filter(([, text]) => text !== "");
  const shown = files
    .slice(0, maxFiles)
    .map((file) => fileLine(tabId, file))
    .join("");
  const more = escaped(l10n.t("… and {0} more", files.length - maxFiles));
  const rest = files.length > maxFiles ? `<li class="note">${more}</li>` : "";
  const isBusy = state === "working" || state === "waiting" || state === "gone";
  const links = [
    ...(isBusy || (isKnown && files.length === 0)
      ? []
      : [
          link(
            comparisonCommands.keep,
            [tabId],
            l10n.t("Keep this one…"),
            l10n.t("Keep the result of {0}", agentName),
            "first",
          ),
        ]),
    link(comparisonCommands.show, [tabId], l10n.t("Show chat"), l10n.t("Show the chat of {0}", agentName)),
    link(comparisonCommands.remove, [tabId], l10n.t("Remove…"), l10n.t("Remove the worktree of {0}", agentName)),
  ];
  return `<section aria-label="${escaped(agentName)}">
<h2>${escaped(agentName)}</h2>
<div class="note">${escaped(name)}</div>
<dl>${facts.map(([term = "", text = ""]) => `<dt>${escaped(term)}</dt><dd>${escaped(text)}</dd>`).join("")}</dl>
<ul aria-label="${escaped(l10n.t("Changed files"))}">${shown}${rest}</ul>
<nav aria-label="${escaped(l10n.t("Actions for {0}", agentName))}">${links.join("")}</nav>
</section>`;
}

function fileLine(tabId: string, { path, added, removed }: ComparedFile): string {
  if (added === undefined || removed === undefined)
    return `<li><span>${escaped(path)}</span><span class="note">${escaped(l10n.t("Not text"))}</span></li>`;
  const name = link(comparisonCommands.diff, [tabId, path], path, l10n.t("Show the changes in {0}", path));
  return `<li><span>${name}</span><span class="added">+${added}</span><span class="removed">−${removed}</span></li>`;
}

function filesInShort(files: readonly ComparedFile[]): string {
  const added = files.reduce((sum, file) => sum + (file.added ?? 0), 0);
  const removed = files.reduce((sum, file) => sum + (file.removed ?? 0), 0);
  if (files.length === 0) return l10n.t("none changed");
  return files.length === 1
    ? l10n.t("1 file changed, +{0} −{1}", added, removed)
    : l10n.t("{0} files changed, +{1} −{2}", files.length, added, removed);
}

function durationText(ms: number): string {
  const seconds = ms / 1_000;
  if (seconds < 60) return l10n.t("{0} s", seconds < 10 ? seconds.toFixed(1) : Math.round(seconds));
  return l10n.t("{0} min {1} s", Math.floor(seconds / 60), Math.round(seconds % 60));
}

function tokensText({ inputTokens, outputTokens }: ComparedResult): string {
  if (inputTokens === undefined && outputTokens === undefined) return "";
  return l10n.t("{0} in, {1} out", (inputTokens ?? 0).toLocaleString("en"), (outputTokens ?? 0).toLocaleString("en"));
}

/** Set a title, because VS Code otherwise shows the command in the tooltip. */
function link(command: string, args: readonly string[], text: string, label: string, look = ""): string {
  const href = `command:${command}?${encodeURIComponent(JSON.stringify(args))}`;
  const [said, shown] = [escaped(label), escaped(text)];
  return `<a class="${look}" href="${href}" role="button" aria-label="${said}" title="${said}">${shown}</a>`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
