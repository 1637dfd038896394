import * as l10n from "@vscode/l10n";
import type { Terminal } from "../../../protocol/index.js";
import { styledText, type TerminalLine, TerminalLines } from "./terminal-lines.js";

/** Maximum number of lines in the page; the log file has the full output. */
const shownLines = 500;
const stickyPixels = 8;

/** Live end of a command's output: `<symposium-output .terminal>`. Scrolls along until the user scrolls up. */
class SymposiumOutput extends HTMLElement {
  readonly #lines = new TerminalLines(shownLines);
  #rows: { readonly line: TerminalLine; text: string; readonly node: HTMLElement }[] = [];
  #terminal: Terminal | undefined;
  #isStale = false;
  #isAtEnd = true;

  set terminal(terminal: Terminal | undefined) {
    if (terminal === this.#terminal) return;
    this.#terminal = terminal;
    this.#isStale = true;
    if (this.isConnected) this.#show();
  }

  get terminal(): Terminal | undefined {
    return this.#terminal;
  }

  get dropped(): number {
    return this.#lines.dropped;
  }

  connectedCallback(): void {
    this.classList.add("output");
    this.tabIndex = 0;
    this.setAttribute("role", "group");
    if (!this.hasAttribute("aria-label")) this.setAttribute("aria-label", l10n.t("Output"));
    this.addEventListener("scroll", this.#onScroll);
    this.#show();
  }

  disconnectedCallback(): void {
    this.removeEventListener("scroll", this.#onScroll);
  }

  readonly #onScroll = (): void => {
    this.#isAtEnd = this.scrollHeight - this.scrollTop - this.clientHeight <= stickyPixels;
  };

  #show(): void {
    if (!this.#isStale || this.#terminal === undefined) return;
    this.#isStale = false;
    const { text, dropped } = this.#terminal;
    this.#lines.update(text, dropped);
    const { lines } = this.#lines;
    const wanted = lines.at(-1)?.text === "" ? lines.slice(0, -1) : lines;
    const first = wanted[0];
    const gone = first === undefined ? this.#rows.length : this.#rows.findIndex(({ line }) => line === first);
    for (const { node } of this.#rows.splice(0, gone === -1 ? this.#rows.length : gone)) node.remove();
    for (const [at, line] of wanted.entries()) this.#showLine(at, line);
    for (const { node } of this.#rows.splice(wanted.length)) node.remove();
    if (this.#isAtEnd) this.scrollTop = this.scrollHeight;
  }

  #showLine(at: number, line: TerminalLine): void {
    const row = this.#rows[at];
    if (row?.line === line && row.text === line.text) return;
    const node = row?.node ?? document.createElement("div");
    const runs = styledText(line.opening + line.text).map(({ text, colour, background, classes }) => {
      if (colour === undefined && background === undefined && classes.length === 0) return text;
      const span = document.createElement("span");
      span.textContent = text;
      span.classList.add(...classes);
      if (colour !== undefined) span.style.color = colour;
      if (background !== undefined) span.style.backgroundColor = background;
      return span;
    });
    // An empty line needs content for its height.
    node.replaceChildren(...(runs.length === 0 ? ["\n"] : runs));
    if (row === undefined) this.append(node);
    this.#rows[at] = { line, text: line.text, node };
  }
}

customElements.define("symposium-output", SymposiumOutput);
