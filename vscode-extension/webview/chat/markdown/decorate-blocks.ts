import * as l10n from "@vscode/l10n";
import { highlight } from "./highlight.js";

/** Chunk size in characters for long code, so that appended text doesn't make the page lay out all of the code again. */
const chunkChars = 8_000;

/** Completes sanitized Markdown: highlighted code with a copy button, scrollable tables, file links and task marks. */
export function decorateBlocks(fragment: DocumentFragment): DocumentFragment {
  for (const pre of fragment.querySelectorAll("pre")) finishCode(pre);
  for (const table of fragment.querySelectorAll("table")) wrap(table, "table-scroll", l10n.t("Table"));
  for (const link of fragment.querySelectorAll<HTMLElement>(".file[data-path]")) {
    link.tabIndex = 0;
    link.setAttribute("role", "link");
  }
  for (const item of fragment.querySelectorAll("li.task")) markTask(item);
  for (const node of [...fragment.childNodes]) if (node instanceof Text && node.data.trim() === "") node.remove();
  return fragment;
}

export function appendCode(code: Element, text: string): void {
  let part = code.lastElementChild;
  for (let rest = text; rest !== "";) {
    const shown = part?.textContent ?? "";
    if (part === null || (shown.length >= chunkChars && shown.endsWith("\n"))) {
      part = code.ownerDocument.createElement("span");
      part.className = "code-part";
      code.append(part);
      continue;
    }
    const end = rest.indexOf("\n", Math.max(0, chunkChars - shown.length - 1));
    const piece = end === -1 ? rest : rest.slice(0, end + 1);
    if (part.lastChild instanceof Text) part.lastChild.appendData(piece);
    else part.append(piece);
    rest = rest.slice(piece.length);
  }
}

function finishCode(pre: HTMLPreElement): void {
  const { ownerDocument: document } = pre;
  const code = pre.querySelector("code");
  if (code === null) return;
  const language = /(?:^| )language-(\S+)/u.exec(code.className)?.[1] ?? "";
  const text = code.textContent;
  const coloured = language === "" ? undefined : highlight(text, language);
  if (coloured !== undefined) code.innerHTML = coloured;
  else if (text.length > chunkChars) {
    code.replaceChildren();
    appendCode(code, text);
  }
  pre.tabIndex = 0;
  const block = wrap(pre, "code-block");
  const head = document.createElement("div");
  head.className = "code-head";
  const label = document.createElement("span");
  label.className = "code-language";
  label.textContent = language;
  const copy = document.createElement("button");
  copy.type = "button";
  copy.className = "control-icon codicon codicon-copy";
  copy.dataset["copy"] = "code";
  copy.title = l10n.t("Copy code");
  copy.setAttribute("aria-label", language === "" ? l10n.t("Copy code") : l10n.t("Copy {0} code", language));
  head.append(label, copy);
  block.prepend(head);
}

function wrap(element: HTMLElement, className: string, label?: string): HTMLElement {
  const box = element.ownerDocument.createElement("div");
  box.className = className;
  if (label !== undefined) {
    box.tabIndex = 0;
    box.setAttribute("role", "group");
    box.setAttribute("aria-label", label);
  }
  element.replaceWith(box);
  box.append(element);
  return box;
}

function markTask(item: Element): void {
  const isDone = item.classList.contains("is-done");
  const mark = item.ownerDocument.createElement("span");
  mark.className = `task-mark codicon codicon-${isDone ? "pass-filled" : "circle-large-outline"}`;
  mark.setAttribute("role", "img");
  mark.setAttribute("aria-label", isDone ? l10n.t("Done") : l10n.t("To do"));
  item.prepend(mark);
}
