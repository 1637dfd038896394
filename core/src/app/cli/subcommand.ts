import type { OptionDeclarations } from "./options.js";
import type { GroupDeclaration, GroupMember, Subcommand, SubcommandDeclaration } from "./declaration.js";

/** Creates a subcommand from its declaration. Prints help on request; rejects with `invalid-arguments` if the arguments are invalid. */
export function subcommand<const O extends OptionDeclarations>(declaration: SubcommandDeclaration<O>): Subcommand {
  const run: Subcommand = async (words) => {
    const needsWords = Object.keys(declaration.arguments ?? {}).some((name) => name.startsWith("<"));
    const values = needsWords ? undefined : plainValues(words, declaration.options ?? {});
    if (values) return declaration.run({ values, positionals: [], command: undefined });
    const { parseCommandLine } = await import("./command-line.js");
    const parsed = parseCommandLine(declaration, words);
    return parsed.kind === "help" ? print(parsed.text) : declaration.run(parsed.line);
  };
  return Object.assign(run, { declaration });
}

/**
 * Returns the values of words that are only `--name` and `--name value`; undefined if another word needs the parser. Programs write such
 * words, and wait for the start, in which the parser takes 4 ms to load.
 */
function plainValues(words: readonly string[], options: OptionDeclarations): object | undefined {
  const values: Record<string, string | true | readonly string[]> = {};
  const left = words.values();
  for (const word of left) {
    const name = word.replace(/^--(?!no-)/, "");
    const option = name !== word && Object.hasOwn(options, name) ? options[name] : undefined;
    if (!option || option.isCount || option.mostSeconds !== undefined) return undefined;
    const value = option.value === undefined ? true : left.next().value;
    if (value === undefined || (value !== true && /^-./.test(value))) return undefined;
    if (option.choices && !option.choices.some((choice) => choice === value)) return undefined;
    const before = values[name];
    values[name] = option.multiple && value !== true ? [...(typeof before === "object" ? before : []), value] : value;
  }
  return values;
}

export function subcommandGroup(declaration: GroupDeclaration): Subcommand {
  const { members, options = {}, defaultMember } = declaration;
  const memberNamed = (name: string): GroupMember | undefined =>
    Object.hasOwn(members, name) ? members[name] : undefined;
  const run: Subcommand = async (given) => {
    const words = withNameFirst(given, options, (word) => memberNamed(word) !== undefined);
    const [first = "", ...rest] = words;
    const member = memberNamed(first);
    if (member) return start(member, rest);
    const asked = first === "help" ? memberNamed(rest[0] ?? "") : undefined;
    if (asked) return (await asked.load())([...rest.slice(1), "--help"]);
    const isHelp = ["help", "--help", "-h"].includes(first);
    const usual = memberNamed(defaultMember ?? "");
    if (usual && !isHelp && (first === "" || first.startsWith("-"))) return start(usual, words);
    const { groupHelp, unknownMember } = await import("./command-line.js");
    const isAboutUnknown = first === "help" && rest[0] !== undefined && !rest[0].startsWith("-");
    if (isHelp && !isAboutUnknown) return print(groupHelp(declaration));
    throw unknownMember(declaration, isAboutUnknown ? rest : words);
  };
  return Object.assign(run, { declaration });
}

async function start({ load, elsewhere }: GroupMember, words: readonly string[]): Promise<number> {
  return (await elsewhere?.(words)) ?? (await load())(words);
}

function print(text: string): number {
  process.stdout.write(`${text}\n`);
  return 0;
}

/**
 * Moves the subcommand's name before common `options`, because earlier editor extensions put these options first. Leaves other orders
 * unmodified.
 */
export function withNameFirst(
  words: readonly string[],
  options: OptionDeclarations,
  isName: (word: string) => boolean,
): readonly string[] {
  let index = 0;
  for (;;) {
    const word = words[index] ?? "";
    const [flag = ""] = /^--[^=]+/.exec(word) ?? [];
    const name = flag.slice(2);
    const option = Object.hasOwn(options, name) ? options[name] : undefined;
    if (!option) break;
    index += option.value !== undefined && word === flag ? 2 : 1;
  }
  const name = words[index];
  if (index === 0 || name === undefined || !isName(name)) return words;
  return [name, ...words.slice(0, index), ...words.slice(index + 1)];
}
