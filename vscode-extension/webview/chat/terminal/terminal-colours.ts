import Anser from "anser";

/** A run of output with one look. Colours are CSS values. */
export interface StyledText {
  readonly text: string;
  readonly colour?: string;
  readonly background?: string;
  readonly classes: readonly string[];
}

const names = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];
const terminalForeground = "var(--vscode-terminal-foreground, var(--vscode-foreground))";
/** The steps of the colour cube of 256 colours. */
const cubeSteps = [0, 95, 135, 175, 215, 255];

/** A line of output in runs; the sixteen named colours are those of the editor's terminal. */
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

/** Themes choose their sixteen colours for a terminal that raises the contrast of each; so does this. */
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
