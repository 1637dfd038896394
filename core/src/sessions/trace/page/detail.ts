import { formatTime, kindOf, type PageEvent, textOf } from "./labels.js";
import type { TraceRows } from "./rows.js";

/** Creates an element with an optional class. Strings become text, never markup. */
export function element(name: string, className: string, ...children: readonly (Node | string)[]): HTMLElement {
  const made = document.createElement(name);
  if (className !== "") made.className = className;
  made.append(...children);
  return made;
}

/** Returns the sender and receiver of a message, or the component of a process event. */
export function hopText(event: PageEvent): string {
  return event.type === "process" ? textOf(event.component) : `${textOf(event.from)} → ${textOf(event.to)}`;
}

interface DetailHooks {
  reveal(index: number): void;
  closed(index: number): void;
}

export class DetailPanel {
  #shown: number | undefined;

  constructor(
    private readonly panel: HTMLElement,
    private readonly rows: TraceRows,
    private readonly hooks: DetailHooks,
  ) {}

  get shown(): number | undefined {
    return this.#shown;
  }

  show(index: number): void {
    this.#shown = index;
    const event = this.rows.event(index);
    const json = JSON.stringify(event, undefined, 2);
    const session = this.rows.sessionOf(index);
    const facts = [hopText(event), `${formatTime(event.ts)} s`, this.rows.tookOf(index), textOf(session)];
    const actions = element("div", "actions", copyButton(json));
    const partner = this.rows.partnerOf(index);
    if (partner !== undefined) {
      const label = event.type === "request" ? "Go to response" : "Go to request";
      actions.append(button(label, "", () => this.hooks.reveal(partner)));
    } else if (event.type === "request") actions.append(element("span", "warn", "No answer in this trace"));
    actions.append(button("Close", "close", () => this.close()));
    const pre = element("pre", "", ...jsonNodes(json));
    pre.tabIndex = 0;
    this.panel.replaceChildren(
      element("h2", "", this.#titleOf(index)),
      element("p", "hop", facts.filter((fact) => fact !== "").join(" · ")),
      actions,
      pre,
    );
    this.panel.hidden = false;
  }

  close(): void {
    const index = this.#shown;
    this.#shown = undefined;
    this.panel.hidden = true;
    if (index !== undefined) this.hooks.closed(index);
  }

  #titleOf(index: number): string {
    const event = this.rows.event(index);
    if (event.type === "process") return `${textOf(event.component)} process`;
    const words: Readonly<Record<string, string>> = { error: "error response", cancel: "cancellation" };
    return `${this.rows.methodOf(index)} · ${words[kindOf(event)] ?? textOf(event.type)}`;
  }
}

function button(text: string, className: string, onClick: () => void): HTMLElement {
  const made = element("button", className, text);
  made.setAttribute("type", "button");
  made.addEventListener("click", onClick);
  return made;
}

function copyButton(json: string): HTMLElement {
  const copy = button("Copy JSON", "", () => {
    navigator.clipboard.writeText(json).then(
      () => (copy.textContent = "Copied"),
      () => (copy.textContent = "Not allowed"),
    );
  });
  return copy;
}

const tokenPattern = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\d[\d.eE+-]*/g;

function jsonNodes(json: string): (Node | string)[] {
  const nodes: (Node | string)[] = [];
  let end = 0;
  for (const match of json.matchAll(tokenPattern)) {
    const [whole, text, colon] = match;
    const token = text ?? whole;
    nodes.push(json.slice(end, match.index));
    nodes.push(element("span", text === undefined ? "atom" : colon === undefined ? "string" : "key", token));
    end = match.index + token.length;
  }
  nodes.push(json.slice(end));
  return nodes;
}
