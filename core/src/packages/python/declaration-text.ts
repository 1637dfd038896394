import type { PythonDeclaration, PythonModule } from "./python-module.js";

const maxText = 6_000;
/** Bodies of functions that are longer than this are left out. */
const maxBodyLines = 30;

/** A declaration as it is shown: functions with a short body whole, classes with a line for each member. */
export function declarationText(module: PythonModule, one: PythonDeclaration): string {
  const { text } = module;
  const whole = text.slice(one.start, one.end).trimEnd();
  if (one.kind === "assignment") return bounded(whole);
  const head = text.slice(one.start, one.bodyStart).trimEnd();
  if (one.kind === "def") {
    const lines = whole.slice(head.length).split("\n").length;
    return bounded(lines <= maxBodyLines ? whole : `${head}\n    … ${lines - 1} lines`);
  }
  const members = module.members(one).filter(({ name }) => !/^_(?!_init__$)/.test(name));
  const lines = members.map((member) => {
    const end = member.kind === "assignment" ? member.end : headEnd(text, member);
    return text.slice(member.start, end).trimEnd().slice(0, 400);
  });
  return bounded([head, ...lines].join("\n"));
}

/** Where the colon of a head is behind: its lines end before the documentation. */
function headEnd(text: string, { start, bodyStart }: PythonDeclaration): number {
  // No one writes longer ones, and the search takes the square of it.
  const head = text.slice(start, Math.min(bodyStart, start + maxText));
  const docs = head.search(/:[ \t]*(?:#[^\n]*)?\n\s*[rRuUbB]?(?:"""|'''|"|')/);
  return docs < 0 ? bodyStart : start + docs + 1;
}

function bounded(text: string): string {
  return text.length <= maxText
    ? text
    : `${text.slice(0, maxText)}\n… ${text.length - maxText} more characters: read the file`;
}
