import { html, nothing, type TemplateResult } from "lit";
import { icon } from "./element.js";
import { keyedRows } from "./keyed-rows.js";

/** Listbox line. `matches` are the indices of the searched letters in `label`. */
export interface ListLine {
  readonly label: string;
  readonly icon?: string;
  readonly detail?: string;
  readonly group?: string;
  readonly isSelected?: boolean;
  readonly matches?: ReadonlySet<number>;
}

interface ListboxOptions {
  /** Id of the listbox, unique in the page. The options have the ids `<id>-<index>`. */
  readonly id: string;
  readonly label: string;
  readonly lines: readonly ListLine[];
  readonly active: number;
  readonly onChoose: (index: number) => void;
  /** True if the listbox takes the focus itself instead of an input next to it. */
  readonly isFocusable?: boolean;
}

export function listbox(options: ListboxOptions): TemplateResult {
  const { id, label, lines, active, isFocusable } = options;
  return html`<div
    class="listbox"
    role="listbox"
    id=${id}
    aria-label=${label}
    tabindex=${isFocusable === true ? 0 : -1}
    aria-activedescendant=${isFocusable === true && lines[active] ? `${id}-${active}` : nothing}
    @mousedown=${(event: MouseEvent) => event.preventDefault()}
  >
    ${groupsOf(lines).map(({ name, from, to }) => {
      const rows = keyedRows(
        lines.slice(from, to),
        ({ label, detail = "" }) => `${label} ${detail}`,
        (line, at) => row(options, line, from + at),
      );
      if (name === "") return rows;
      return html`<div role="group" aria-label=${name}>
        <div class="listbox-group" aria-hidden="true">${name}</div>
        ${rows}
      </div>`;
    })}
  </div>`;
}

/** Returns the index for an arrow, Home or End key, wrapping around; undefined for other keys. */
export function nextIndex(key: string, active: number, count: number): number | undefined {
  if (count === 0) return undefined;
  switch (key) {
    case "ArrowDown":
      return (active + 1) % count;
    case "ArrowUp":
      return (active + count - 1) % count;
    case "Home":
    case "PageUp":
      return 0;
    case "End":
    case "PageDown":
      return count - 1;
    default:
      return undefined;
  }
}

function row({ id, active, onChoose }: ListboxOptions, line: ListLine, index: number): TemplateResult {
  return html`<div
    class="listbox-option ${index === active ? "active" : ""}"
    role="option"
    id="${id}-${index}"
    aria-selected=${line.isSelected ?? index === active}
    @click=${() => onChoose(index)}
  >
    ${line.icon === undefined ? nothing : icon(line.icon)}
    <span class="listbox-label">${marked(line.label, line.matches)}</span>
    ${line.detail ? html`<span class="listbox-detail" title=${line.detail}>${line.detail}</span>` : nothing}
  </div>`;
}

function marked(label: string, matches: ReadonlySet<number> | undefined): unknown {
  if (matches === undefined || matches.size === 0) return label;
  const parts: unknown[] = [];
  for (let from = 0; from < label.length;) {
    const isMatch = matches.has(from);
    let to = from + 1;
    while (to < label.length && matches.has(to) === isMatch) to += 1;
    const part = label.slice(from, to);
    parts.push(isMatch ? html`<mark>${part}</mark>` : part);
    from = to;
  }
  return parts;
}

function groupsOf(lines: readonly ListLine[]): { name: string; from: number; to: number }[] {
  const groups: { name: string; from: number; to: number }[] = [];
  for (const [index, { group = "" }] of lines.entries()) {
    const last = groups.at(-1);
    if (last?.name === group) last.to = index + 1;
    else groups.push({ name: group, from: index, to: index + 1 });
  }
  return groups;
}
