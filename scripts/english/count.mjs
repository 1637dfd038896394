import { patternsIn } from "./patterns.mjs";
import { piecesOf, sentencesIn } from "./sentences.mjs";

const product = /^(?:core|lsp-adapter|vscode-extension)\/src\//;

/** The kinds of text of the report. */
export const kinds = ["docs", "changelog", "architecture", "comments", "texts"];

/**
 * Counts words by kind and finds the patterns in a file.
 * @returns {{ words: Map<string, number>, hits: { kind: string, line: number, name: string, write: string, sentence: string }[] }}
 */
export function readFileEnglish(file, text) {
  const words = new Map();
  const hits = [];
  for (const piece of piecesOf(file, text)) {
    const kind = kindOf(file, piece.kind);
    if (kind === undefined) continue;
    for (const { sentence, at } of sentencesIn(piece.text)) {
      words.set(kind, (words.get(kind) ?? 0) + sentence.split(" ").length);
      for (const { name, write } of patternsIn(sentence))
        hits.push({ kind, line: text.slice(0, piece.at + at).split("\n").length, name, write, sentence });
    }
  }
  return { words, hits };
}

/**
 * Compares the hits of each file with the numbers that are allowed; a file without a number is allowed none.
 * @param {ReadonlyMap<string, readonly { line: number, name: string, write: string, sentence: string }[]>} found hits by file
 * @param {Readonly<Record<string, number>>} allowed
 * @returns {string[]} a line for each hit of a file that has too many, and one for the file
 */
export function englishProblems(found, allowed) {
  return [...found].flatMap(([file, hits]) => {
    const limit = Object.hasOwn(allowed, file) ? allowed[file] : 0;
    if (hits.length <= limit) return [];
    const lines = hits.map(
      ({ line, name, write, sentence }) => `${file}:${line}: ${name}: write ${write}. In: ${shortened(sentence)}`,
    );
    return [...lines, `${file} has ${hits.length} of these, and may have ${limit}.`];
  });
}

/**
 * The numbers to allow from now on: those of today. Files may be moved, split and joined, so the sum alone may not rise.
 * @returns {{ allowed: Record<string, number> } | { refusal: string }}
 */
export function loweredBaseline(found, allowed) {
  const counts = [...found].filter(([, hits]) => hits.length > 0).map(([file, hits]) => [file, hits.length]);
  const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);
  const [now, before] = [sum(counts.map(([, count]) => count)), sum(Object.values(allowed))];
  if (now > before) return { refusal: `All files together have ${now} hits, and may have ${before}.` };
  return { allowed: Object.fromEntries(counts.sort(([a], [b]) => (a < b ? -1 : 1))) };
}

function kindOf(file, kind) {
  if (file === "CHANGELOG.md") return "changelog";
  if (file === "ARCHITECTURE.md" || file.startsWith("docs/decisions/")) return "architecture";
  if (file.endsWith(".md")) return "docs";
  if (file.endsWith(".json")) return "texts";
  if (kind === "prose") return "comments";
  return product.test(file) ? "texts" : undefined;
}

function shortened(sentence) {
  const text = sentence.replace(/\u25a0+/g, "`…`");
  return text.length <= 120 ? text : `${text.slice(0, 117)}…`;
}
