import { html, LitElement, svg, type SVGTemplateResult, type TemplateResult } from "lit";

/**
 * An element whose content is part of the page: one style sheet, icons of the font, text that can be selected across
 * elements. Properties are declared in `static properties`, their types with `declare`.
 */
export class LightElement extends LitElement {
  protected override createRenderRoot(): HTMLElement {
    return this;
  }
}

/** A codicon. It is decoration: whatever it says stands in the text or label beside it too. */
export function icon(name: string, isSpinning = false): TemplateResult {
  return html`<span
    class="codicon codicon-${name}${isSpinning ? " codicon-modifier-spin" : ""}"
    aria-hidden="true"
  ></span>`;
}

/**
 * Signs of our own for the agents that are known without a registry, in a field of 16 by 16 and the colour of the text
 * around. They are no marks of their makers.
 */
const signs: Readonly<Record<string, SVGTemplateResult>> = {
  "claude-code": svg`<path d="M11.8 4.6a5 5 0 1 0 0 6.8"/><path d="M6.8 8h5.4M9.5 6v4"/>`,
  "gemini-cli": svg`<circle cx="6" cy="8" r="3.8"/><circle cx="10" cy="8" r="3.8"/>`,
  codex: svg`<path d="M8 4.4C6.6 3.3 4.6 3 2.5 3.2v9c2.1-.2 4.1.1 5.5 1.2 1.4-1.1 3.4-1.4 5.5-1.2v-9C11.4 3 9.4 3.3 8 4.4zM8 4.4v9"/>`,
  "kiro-cli": svg`<path d="M4.5 3v10M11.5 3 5 8l6.5 5"/>`,
  opencode: svg`<path d="M6 3H3v10h3M10 3h3v10h-3"/><path d="M8 6.5v3"/>`,
  "qwen-code": svg`<circle cx="7.7" cy="7.7" r="4.7"/><path d="m9.5 9.5 4 4"/>`,
  "github-copilot": svg`<path d="m3 8.5 5-5 5 5M3 12.5l5-5 5 5"/>`,
  goose: svg`<path d="M2 5.5c2.5-.5 4.5.5 6 3 1.5-2.5 3.5-3.5 6-3M8 8.5V12"/>`,
  auggie: svg`<path d="m3 13 5-10 5 10M5 9.5h6"/>`,
  "cursor-agent": svg`<path d="M5.5 2.8h5M5.5 13.2h5M8 2.8v10.4"/>`,
  eliza: svg`<path d="M2.5 3.5h11v7h-6l-3 2.5v-2.5h-2z"/><path d="M5.5 7h.01M8 7h.01M10.5 7h.01"/>`,
};

/**
 * The icon of an agent: `picture`, a data: URI of a picture in black, or our own sign, or the first letter of its name.
 * It is decoration: the name stands beside it.
 */
export function agentIcon({ id, name, picture }: AgentLook): TemplateResult {
  if (picture !== undefined) return html`<img class="agent-icon agent-picture" src=${picture} alt="" />`;
  const sign = Object.hasOwn(signs, id) ? signs[id] : undefined;
  if (sign) {
    return html`<svg class="agent-icon" viewBox="0 0 16 16" aria-hidden="true">${sign}</svg>`;
  }
  const [letter = "?"] = /[\p{L}\p{N}]/u.exec(name) ?? [];
  return html`<span class="agent-icon agent-letter" aria-hidden="true">${letter.toUpperCase()}</span>`;
}

/** What an icon is made of. */
interface AgentLook {
  readonly id: string;
  readonly name: string;
  readonly picture?: string | undefined;
}
