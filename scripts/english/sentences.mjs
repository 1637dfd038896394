// Reads sentences out of Markdown, code and manifests. Text that is not prose is masked by as many characters, so that the
// place of a sentence stays the one in the file.
import { codeMark } from "./patterns.mjs";

/** Ends a sentence whatever stands around it: a cell of a table, a heading, a list's item. */
const border = "\ue000";
const blank = (text) => text.replace(/[^\n]/g, " ");
const code = (text) => text.replace(/[^\n]/g, codeMark);

/**
 * The pieces of prose in a file, each with the place where it begins; `kind` is "prose" or "text", a string that people see.
 * @returns {{ kind: "prose" | "text", text: string, at: number }[]}
 */
export function piecesOf(file, text) {
  if (file.endsWith(".md")) return [{ kind: "prose", text: markdownProse(text), at: 0 }];
  if (file.endsWith(".json")) return manifestTexts(text);
  return codePieces(text);
}

/**
 * Sentences of at least two words in a piece, each with its place in the piece.
 * @returns {{ sentence: string, at: number }[]}
 */
export function sentencesIn(piece) {
  const sentences = [];
  const end = /[.!?][)"'*_\u25a0]*(?=\s+["'`(*_\u25a0]*[\p{Lu}\u25a0\d])|\ue000|\n[ \t]*\n/gu;
  let from = 0;
  const add = (to) => {
    const found = piece.slice(from, to);
    const sentence = found.replaceAll(border, " ").replaceAll(/\s+/g, " ").trim();
    if (/\p{L}\S* \S/u.test(sentence)) sentences.push({ sentence, at: from + found.search(/[^\s\ue000]/) });
    from = to;
  };
  for (const { 0: mark, index } of piece.matchAll(end)) add(index + mark.length);
  add(piece.length);
  return sentences;
}

/** Markdown without front matter, samples, comments and the marks of its syntax. */
function markdownProse(text) {
  return text
    .replace(/^(`{3,}|~{3,})[^]*?^\1[^\n]*$/gm, blank)
    .replace(/<!--[^]*?-->/g, blank)
    .replace(/(`+)(?!`)[^]*?[^`]\1(?!`)/g, code)
    .replace(/!\[([^\]]*)\]\([^)]*\)/g, blank)
    .replace(/\]\([^)\n]*\)|\]\([^)]*\)/g, blank)
    .replace(/<?https?:\/\/[^\s)>]+>?/g, code)
    .replace(/^[ \t]*(?:[-*+]|\d+\.|#{1,6}|>)(?= )/gm, (mark) => border + blank(mark.slice(1)))
    .replace(/\|/g, border)
    .replace(/[*_[\]]/g, " ");
}

/** Titles, descriptions and labels of a manifest. */
function manifestTexts(text) {
  const member =
    /"(?:title|description|markdownDescription|label|altText|contents|deprecationMessage|category)":\s*"((?:[^"\\]|\\.)*)"|^\s*"((?:[^"\\]|\\.)*)",?$/gm;
  return [...text.matchAll(member)].flatMap((match) => {
    const value = match[1] ?? match[2];
    if (!/(?:\S+ ){2}\S/.test(value)) return [];
    const at = match.index + match[0].indexOf(value);
    return [{ kind: "text", text: stringProse(value), at }];
  });
}

const token = new RegExp(
  [
    /(?<comment>\/\/[^\n]*(?:\n[ \t]*\/\/[^\n]*)*|\/\*[^]*?\*\/)/,
    /(?<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\[^])*`)/,
    /(?<=(?:[=(,:;!&|?{}[+*%~^<>]|\breturn)\s*)\/(?![*/])(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/,
  ]
    .map(({ source }) => source)
    .join("|"),
  "g",
);

/** Comments, and the strings that have at least four words. */
function codePieces(text) {
  return [...text.matchAll(token)].flatMap(({ index, groups: { comment, string } }) => {
    if (comment !== undefined) return [{ kind: "prose", text: commentProse(comment), at: index }];
    if (string === undefined || !/(?:[\p{L}\d,.;:'$({})-]+\s+){3}[\p{L}$]/u.test(string)) return [];
    // A template within a template ends the outer one for these expressions: what follows is code.
    if (/=> |;\n|\b(?:const|return|function) \w+[ (]/.test(string)) return [];
    return [{ kind: "text", text: stringProse(string.slice(1, -1)), at: index + 1 }];
  });
}

function commentProse(comment) {
  return comment
    .replace(/^[ \t]*(?:\/\*\*?|\*\/|\*(?=\s)|\/\/+)/gm, blank)
    .replace(/\*\/$/, "  ")
    .replace(/\{@link [^}]*\}|@\w+(?: \{[^}\n]*\})?/g, (tag) =>
      tag.startsWith("{") ? code(tag) : border + blank(tag.slice(1)),
    )
    .replace(/^[ \t]*(?:[-*]|\d+\.)(?= )/gm, (mark) => border + blank(mark.slice(1)))
    .replace(/`[^`\n]+`/g, code)
    .replace(/https?:\/\/\S+/g, code);
}

function stringProse(string) {
  return string
    .replace(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, code)
    .replace(/\\n/g, `${border} `)
    .replace(/`[^`\n]+`|<[^>\n]*>/g, code)
    .replace(/https?:\/\/\S+/g, code);
}
