import { type Command, type Redirection, type Statement, type SyntaxNode, parse } from "unbash";

/** Shell builtins that run their arguments or a file; the programs they start aren't determined here. */
const runsItsWords: readonly string[] = [".", "alias", "builtin", "command", "eval", "exec", "fc", "source", "trap"];
/** Maximum length in characters; longer command lines aren't parsed. */
const maxLength = 10_000;
const operators: readonly string[] = ["", "&&", "||", "|", ";"];
/** Redirections to /dev/null, or of stderr to stdout. */
const harmlessRedirection = /^(?:2>&1|[12]?> ?\/dev\/null)$/;

/**
 * Parses `text` into the programs that a shell starts, with their exact words, joined only by `&&`, `||`, `|`, `;` or line breaks.
 * Undefined for anything else: expansions, assignments, file redirections, loops, functions, background, comments, errors and unknown
 * syntax. On Windows, whose shells differ, accepts only a single program.
 */
export function readShell(text: string, platform: string): readonly (readonly string[])[] | undefined {
  if (text.length > maxLength || isTooDeep(text)) return undefined;
  if (platform === "win32") return asList(simpleCommand(text, platform));
  const { commands, errors } = parse(text);
  if (errors !== undefined && errors.length > 0) return undefined;
  const programs = commands.map(programsIn);
  const all = programs.flatMap((list) => list ?? []);
  if (all.length === 0 || programs.includes(undefined)) return undefined;
  return isJoinedPlainly(text, all) ? wordsOf(all, text, platform) : undefined;
}

/** Maximum nesting of substitutions and groups; the parser is recursive. */
const mostLevels = 100;

export function isTooDeep(text: string): boolean {
  let level = 0;
  for (const [bracket] of text.matchAll(/[(){}]/g)) {
    level = "({".includes(bracket) ? level + 1 : Math.max(0, level - 1);
    if (level > mostLevels) return true;
  }
  return false;
}

function asList(words: readonly string[] | undefined): readonly (readonly string[])[] | undefined {
  return words && [words];
}

function programsIn(statement: Statement): Command[] | undefined {
  return statement.background === true ? undefined : programsOf(statement.command);
}

/** Returns the commands in a syntax node; undefined for node types that aren't explicitly allowed. */
function programsOf(node: SyntaxNode): Command[] | undefined {
  switch (node.type) {
    case "Command":
      return [node];
    case "Pipeline":
      return node.prefixes.length > 0 || node.operators.some((one) => one !== "|") ? undefined : allOf(node.commands);
    case "AndOr":
      return allOf(node.commands);
    default:
      return undefined;
  }
}

function allOf(nodes: readonly SyntaxNode[]): Command[] | undefined {
  const lists = nodes.map(programsOf);
  return lists.includes(undefined) ? undefined : lists.flatMap((list) => list ?? []);
}

/** Whether only an operator separates two programs. Rejects comments, since some shells would run them. */
function isJoinedPlainly(text: string, programs: readonly Command[]): boolean {
  let end = 0;
  for (const [index, program] of programs.entries()) {
    const gap = text.slice(end, program.pos);
    if (index === 0 ? gap.trim() !== "" : !operators.includes(gap.trim())) return false;
    end = program.end;
  }
  return ["", ";"].includes(text.slice(end).trim());
}

function wordsOf(
  programs: readonly Command[],
  text: string,
  platform: string,
): readonly (readonly string[])[] | undefined {
  const lists = programs.map((program) => wordsOfProgram(program, text, platform));
  return lists.includes(undefined) ? undefined : lists.flatMap((words) => (words === undefined ? [] : [words]));
}

/** Returns a program's words. A second, stricter parser must return the same words. */
function wordsOfProgram(program: Command, text: string, platform: string): readonly string[] | undefined {
  const { name, prefix, suffix } = program;
  const rest = [...suffix];
  while (isHarmless(rest.at(-1), text)) rest.pop();
  if (name === undefined || prefix.length > 0 || runsItsWords.includes(name.value)) return undefined;
  const words = [name, ...rest].map((word) => (word.type === "Word" ? word.value : undefined));
  const last = rest.at(-1) ?? name;
  const plain = simpleCommand(text.slice(program.pos, last.end), platform);
  const isSame = plain?.length === words.length && plain.every((word, index) => word === words[index]);
  return isSame ? plain : undefined;
}

function isHarmless(
  node: { readonly type: string; readonly pos: number; readonly end: number } | undefined,
  text: string,
): boolean {
  return (
    node?.type === ("Redirect" satisfies Redirection["type"]) &&
    harmlessRedirection.test(text.slice(node.pos, node.end))
  );
}

/** Matches words that no shell treats specially. */
const plain = /^[A-Za-z0-9_@+=:,./^-]+$/;
/** PowerShell treats typographic quotes as quotes. */
const typographicQuote = /[\u2018-\u201f]/;

/**
 * Returns the words of `text` if every shell runs it as one program with exactly these words, without operators, expansions, assignments,
 * wildcards or escapes. Undefined if a shell may run it differently.
 */
function simpleCommand(text: string, platform: string): readonly string[] | undefined {
  if (typographicQuote.test(text)) return undefined;
  const words: string[] = [];
  let rest = text.trim();
  while (rest !== "") {
    const piece = nextWord(rest, platform);
    if (piece === undefined) return undefined;
    words.push(piece.word);
    rest = piece.rest;
  }
  return words.length === 0 || /^\w+=/.test(words[0] ?? "") ? undefined : words;
}

function nextWord(text: string, platform: string): { word: string; rest: string } | undefined {
  // cmd.exe doesn't treat single quotes as quotes, so they protect nothing.
  const quotes = platform === "win32" ? /^"([^"$`\\!%\n\r]*)"/ : /^(?:"([^"$`\\!\n\r]*)"|'([^'\n\r]*)')/;
  let word = "";
  let index = 0;
  while (index < text.length && !/[ \t]/.test(text.charAt(index))) {
    const quoted = quotes.exec(text.slice(index));
    if (quoted) {
      word += quoted[1] ?? quoted[2] ?? "";
      index += quoted[0].length;
      continue;
    }
    const character = text.charAt(index);
    if (!plain.test(character)) return undefined;
    word += character;
    index++;
  }
  return { word, rest: text.slice(index).trimStart() };
}
