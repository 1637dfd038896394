import { forEachChild, parse, type SyntaxNode } from "unbash";

/** Longer command lines are read by nobody. */
const maxLength = 10_000;
const shells = /(?:^|[\\/])(?:ba|z|da|k)?sh(?:\.exe)?$/;
/** Shells that somebody put into shells. */
const maxDepth = 3;

/**
 * The words of each program that stands in a command line, wherever: behind `cd x &&`, in loops, in `bash -lc "…"`. For
 * those who count what runs. It decides nothing: what expansions come to is not known, and what cannot be read is left out.
 */
export function namedPrograms(text: string, depth = 0): readonly (readonly string[])[] {
  if (text.length > maxLength || depth > maxDepth) return [];
  const programs: string[][] = [];
  const visit = (node: SyntaxNode): void => {
    if (node.type === "Command" && node.name) {
      programs.push([node.name, ...node.suffix].flatMap((word) => (word.type === "Word" ? [word.value] : [])));
    }
    forEachChild(node, visit);
  };
  for (const statement of parse(text).commands) visit(statement);
  return programs.flatMap((words) => {
    const script = shellScript(words);
    return script === undefined ? [words] : namedPrograms(script, depth + 1);
  });
}

/** The `…` of `bash -lc "…"`. */
function shellScript(words: readonly string[]): string | undefined {
  const option = words.findIndex((word, index) => index > 0 && /^-[a-z]*c$/.test(word));
  return shells.test(words[0] ?? "") && option !== -1 ? words[option + 1] : undefined;
}
