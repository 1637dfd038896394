import { forEachChild, parse, type SyntaxNode } from "unbash";

/** Longer command lines are read by nobody. */
const maxLength = 10_000;
const shells = /(?:^|[\\/])(?:ba|z|da|k)?sh(?:\.exe)?$/;
/** Shells that somebody put into shells. */
const maxDepth = 3;

/** What stands in a command line, wherever: behind `cd x &&`, in loops, in `bash -lc "…"`. */
interface NamedInCommand {
  /** The words of each program. */
  readonly programs: readonly (readonly string[])[];
  /** Files that its output or its input is led to. */
  readonly redirections: readonly { readonly use: "read" | "write"; readonly path: string }[];
}

/**
 * What a command line names, for those who count what runs, and for rules that refuse or ask. It allows nothing: what expansions
 * come to is not known, and what cannot be read is left out.
 */
export function namedInCommand(text: string, depth = 0): NamedInCommand {
  if (text.length > maxLength || depth > maxDepth) return { programs: [], redirections: [] };
  const programs: (readonly string[])[] = [];
  const redirections: { use: "read" | "write"; path: string }[] = [];
  const visit = (node: SyntaxNode): void => {
    if (node.type === "Command" && node.name) {
      const words = [node.name, ...node.suffix].flatMap((word) => (word.type === "Word" ? [word.value] : []));
      const script = shellScript(words);
      const inner = script === undefined ? undefined : namedInCommand(script, depth + 1);
      programs.push(...(inner ? inner.programs : [words]));
      redirections.push(...(inner?.redirections ?? []));
    } else if (node.type === "Redirect" && node.target) {
      redirections.push({ use: node.operator === "<" ? "read" : "write", path: node.target.value });
    }
    forEachChild(node, visit);
  };
  for (const statement of parse(text).commands) visit(statement);
  return { programs, redirections };
}

/** The words of each program that stands in a command line. */
export function namedPrograms(text: string): readonly (readonly string[])[] {
  return namedInCommand(text).programs;
}

/** The `…` of `bash -lc "…"`. */
function shellScript(words: readonly string[]): string | undefined {
  const option = words.findIndex((word, index) => index > 0 && /^-[a-z]*c$/.test(word));
  return shells.test(words[0] ?? "") && option !== -1 ? words[option + 1] : undefined;
}
