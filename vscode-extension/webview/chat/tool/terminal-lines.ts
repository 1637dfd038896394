import Anser from "anser";

/** Raw output line with its color codes. `opening` contains codes of earlier lines that still apply. */
export interface TerminalLine {
  readonly opening: string;
  text: string;
}

/** Escape sequences without visible output: operating system commands and character sets. */
const silentSequence = /\u001b(?:\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[()*+][\w]|[=>78cDEHMNOZ])/gu;
const colourCode = /\u001b\[([\d;:]*)m/gu;
/** Control sequences except colors: cursor moves and erasing. */
const controlSequence = /\u001b\[(?<numbers>[\d;:]*)(?<final>[@-ln-~])|\u001b\[[<=>?][\d;]*[@-~]/gu;
/** Matches a color code or one character. */
const pieces = /\u001b\[[\d;:]*m|./gsu;
const longestLine = 4_000;
const longestOpening = 200;

/**
 * Last lines of a command's output, as a terminal would show them: applies carriage returns and upward cursor moves. Stores only the last
 * `limit` lines.
 */
export class TerminalLines {
  #lines: TerminalLine[] = [{ opening: "", text: "" }];
  #dropped = 0;
  #position = 0;
  #lastSeen = "";

  constructor(private readonly limit: number) {}

  /** Output lines. The last line is unfinished; after a line break, it is empty. */
  get lines(): readonly TerminalLine[] {
    return this.#lines;
  }

  get dropped(): number {
    return this.#dropped;
  }

  /**
   * Updates the output and appends only new text; `dropped` is the number of characters before `text`. Returns false if the output was
   * restarted.
   */
  update(text: string, dropped: number): boolean {
    const known = this.#position - dropped;
    const isLonger =
      known <= text.length && (known <= 0 || this.#lastSeen.endsWith(text.slice(Math.max(0, known - 64), known)));
    if (!isLonger) {
      this.#lines = [{ opening: "", text: "" }];
      this.#dropped = 0;
    }
    const fresh = isLonger && known > 0 ? text.slice(known) : text;
    this.#position = dropped + text.length;
    this.#lastSeen = text.slice(-64);
    this.#push(fresh);
    return isLonger;
  }

  #push(text: string): void {
    let start = 0;
    for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", start)) {
      this.#extend(text.slice(start, end));
      const { opening, text: line } = this.#last();
      this.#lines.push({ opening: openingAfter(opening, line), text: "" });
      start = end + 1;
    }
    this.#extend(text.slice(start));
    const surplus = this.#lines.length - this.limit;
    if (surplus > 0) {
      this.#lines.splice(0, surplus);
      this.#dropped += surplus;
    }
  }

  #extend(part: string): void {
    if (part === "") return;
    const last = this.#last();
    const text = last.text + part;
    if (!/[\u001b\r\u0008]/u.test(text)) {
      last.text = bounded(text);
      return;
    }
    let goesUp = 0;
    const shown = text
      .replace(silentSequence, "")
      .replace(controlSequence, (_sequence, numbers: string | undefined, final: string | undefined) => {
        const count = Number.parseInt(numbers ?? "", 10);
        const isUp = final === "A" || final === "F";
        if (isUp) goesUp += Number.isNaN(count) ? 1 : count;
        // The cursor is at the end, so erasing to the right has no effect.
        const erasesLine = final === "K" && count > 0;
        return isUp || erasesLine || final === "G" ? "\r" : "";
      });
    if (goesUp > 0) this.#lines.splice(-1 - goesUp, Math.min(goesUp, this.#lines.length - 1));
    this.#last().text = bounded(withoutOverwritten(shown));
  }

  #last(): TerminalLine {
    const last = this.#lines.at(-1) ?? { opening: "", text: "" };
    if (this.#lines.length === 0) this.#lines.push(last);
    return last;
  }
}

/** Applies carriage returns and backspaces to a line; color codes stay. */
function withoutOverwritten(text: string): string {
  // A carriage return only takes effect if text follows.
  let end = text.length;
  while (text[end - 1] === "\r") end--;
  const at = text.lastIndexOf("\r", end - 1);
  const codes = at < 1 ? "" : [...text.slice(0, at).matchAll(colourCode)].map(([code]) => code).join("");
  const line = withoutErased(codes + text.slice(end === 0 ? 0 : at + 1, end));
  return end < text.length ? `${line}\r` : line;
}

/** Removes the character before each backspace, but no part of a color code. */
function withoutErased(line: string): string {
  if (!line.includes("\b")) return line;
  const kept: string[] = [];
  for (const { 0: piece } of line.matchAll(pieces)) {
    if (piece !== "\b") kept.push(piece);
    else if (kept.at(-1)?.startsWith("\u001b") === false) kept.pop();
  }
  return kept.join("");
}

function openingAfter(opening: string, text: string): string {
  let codes = opening;
  if (!text.includes("\u001b")) return codes;
  for (const [code, numbers = ""] of text.matchAll(colourCode)) {
    codes = /^0*$/u.test(numbers) ? "" : codes + code;
  }
  return codes.length > longestOpening ? codes.slice(codes.indexOf("\u001b", codes.length - longestOpening)) : codes;
}

function bounded(text: string): string {
  return text.length > longestLine ? `${text.slice(0, longestLine)}…` : text;
}

interface StyledText {
  readonly text: string;
  readonly colour?: string;
  readonly background?: string;
  readonly classes: readonly string[];
}

const names = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];
const terminalForeground = "var(--vscode-terminal-foreground, var(--vscode-foreground))";
/** Levels of the 256-color cube. */
const cubeSteps = [0, 95, 135, 175, 215, 255];

/** Splits an output line into styled runs. The 16 named colors are those of the editor's terminal. */
export function styledText(line: string): StyledText[] {
  const text = line.endsWith("\r") ? line.slice(0, -1) : line;
  if (!text.includes("\u001b")) return text === "" ? [] : [{ text, classes: [] }];
  return Anser.ansiToJson(text, { use_classes: true, remove_empty: true }).map((run) => {
    const decorations: string[] = [...new Set(run.was_processed ? run.decorations : [])];
    const isReversed = decorations.includes("reverse");
    const fore = readable(cssColour(run.fg, run.fg_truecolor));
    const back = cssColour(run.bg, run.bg_truecolor);
    const colour = isReversed ? (back ?? "var(--vscode-editor-background)") : fore;
    const background = isReversed ? (fore ?? terminalForeground) : back;
    return {
      text: run.content,
      ...(colour === undefined ? {} : { colour }),
      ...(background === undefined ? {} : { background }),
      classes: decorations.filter((name) => name !== "reverse").map((name) => `output-${name}`),
    };
  });
}

/** Returns a color with more contrast. Themes choose the 16 colors for VS Code's terminal, which increases the contrast itself. */
function readable(colour: string | undefined): string | undefined {
  return colour?.startsWith("var(") === true ? `color-mix(in srgb, ${colour} 60%, ${terminalForeground})` : colour;
}

function cssColour(name: string | null, trueColour: string | null): string | undefined {
  if (!name) return undefined;
  if (name === "ansi-truecolor") return trueColour ? `rgb(${trueColour})` : undefined;
  const palette = /^ansi-palette-(\d+)$/u.exec(name);
  if (palette) return paletteColour(Number(palette[1]));
  const [, bright = "", base = ""] = /^ansi-(bright-)?(\w+)$/u.exec(name) ?? [];
  if (!names.includes(base)) return undefined;
  return `var(--vscode-terminal-ansi${bright === "" ? "" : "Bright"}${base.charAt(0).toUpperCase()}${base.slice(1)})`;
}

function paletteColour(index: number): string {
  if (index >= 232) {
    const level = (index - 232) * 10 + 8;
    return `rgb(${level}, ${level}, ${level})`;
  }
  const cube = index - 16;
  const step = (at: number): number => cubeSteps[at] ?? 0;
  return `rgb(${step(Math.floor(cube / 36))}, ${step(Math.floor(cube / 6) % 6)}, ${step(cube % 6)})`;
}
