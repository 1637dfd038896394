import type { LineInput } from "./line-input.js";
import type { Style } from "./style.js";

/** The next prompt: one line, or several whose ends are marked with a backslash; undefined at the end of input. */
export async function readPrompt(input: LineInput, style: Style): Promise<string | undefined> {
  const lines: string[] = [];
  for (;;) {
    const line = await input.next(style.bold(lines.length === 0 ? "you> " : "...> "));
    if (line === undefined) return lines.length === 0 ? undefined : lines.join("\n");
    if (!line.endsWith("\\")) return [...lines, line].join("\n");
    lines.push(line.slice(0, -1));
  }
}
