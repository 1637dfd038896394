import { type Command, type Redirection, type Statement, type SyntaxNode, parse } from "unbash";

/** Words of shells that run their own words, or a file, as if these stood there: what that starts is not said here. */
const runsItsWords: readonly string[] = [".", "alias", "builtin", "command", "eval", "exec", "fc", "source", "trap"];
/** Longer command lines are read by nobody. */
const maxLength = 10_000;
const operators: readonly string[] = ["", "&&", "||", "|", ";"];
/** Output that goes nowhere, or with the other output. */
const harmlessRedirection = /^(?:2>&1|[12]?> ?\/dev\/null)$/;

/**
 * The programs that a shell starts for `text`, each with exactly these words, where it does nothing else: programs alone,
 * joined by `&&`, `||`, `|`, `;` or line ends. Undefined for everything else (expansions, assignments, redirections to
 * files, loops, functions, background, comments, errors), also for what a later parser may know and this does not. On
 * Windows, whose shells read differently, it is one program.
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

/** Levels of substitutions and groups in each other: the parser calls itself for each. */
const mostLevels = 100;

/** Whether a command line has more levels of brackets than the parser follows. */
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

/** By an allow-list of kinds: whatever else a node is, it is refused. */
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

/** Nothing but one operator stands between two programs: no comment, since some shells would run it. */
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

/** The words of one program; a second reader, which knows less and refuses more, must find the same ones. */
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

/** A word of this form needs no quotes in any shell. */
const plain = /^[A-Za-z0-9_@+=:,./^-]+$/;
/** PowerShell takes typographic quotes for quotes. */
const typographicQuote = /[\u2018-\u201f]/;

/**
 * The words of `text` when every shell would run it as one program with exactly these words: no operator, expansion,
 * assignment, wildcard or escape stands in it. Undefined for everything else, also where it is only hard to say.
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
  // For cmd.exe a single quote is a letter, so what stands between two of them is not protected there.
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
