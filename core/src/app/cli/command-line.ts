import { Command, CommanderError, Option } from "commander";
import { invalidArguments, type SymposiumError } from "../../base/symposium-error.js";
import type { OptionDeclarations, OptionValues } from "./options.js";
import type { CommandLine, GroupDeclaration, SubcommandDeclaration } from "./declaration.js";

const programName = "symposium-acp-agent";

export type ParsedLine<O extends OptionDeclarations> =
  | { readonly kind: "help"; readonly text: string }
  | { readonly kind: "line"; readonly line: CommandLine<O> };

/** Parses a subcommand's arguments. Throws `invalid-arguments` with the wrong word and the nearest valid one. */
export function parseCommandLine<O extends OptionDeclarations>(
  declaration: SubcommandDeclaration<O>,
  words: readonly string[],
): ParsedLine<O> {
  const options = declaration.options ?? {};
  const end = words.indexOf("--");
  const splits = declaration.takesCommand === true && end !== -1;
  const ownWords = splits ? words.slice(0, end) : words;
  const command = newCommand(declaration.name, declaration.about, options).action(() => undefined);
  for (const [name, about] of Object.entries(declaration.arguments ?? {})) command.argument(name, about);
  if (declaration.takesCommand) command.usage(`${command.usage()} | -- COMMAND...`);
  try {
    assertValues(ownWords, options);
    command.parse(ownWords, { from: "user" });
  } catch (failure) {
    if (!(failure instanceof CommanderError)) throw failure;
    if (failure.code === "commander.helpDisplayed") {
      const { epilogue } = declaration;
      return { kind: "help", text: `${helpOf(command)}${epilogue === undefined ? "" : `\n\n${epilogue}`}` };
    }
    throw refusal(declaration.name, failure, argumentsHint(declaration, failure.code));
  }
  return {
    kind: "line",
    line: {
      // Safe cast: the parser was built from the same declarations.
      values: valuesByName(command) as OptionValues<O>,
      positionals: command.args,
      command: splits ? words.slice(end + 1) : undefined,
    },
  };
}

export function groupHelp(declaration: GroupDeclaration): string {
  const { epilogue } = declaration;
  const text = helpOf(groupCommand(declaration));
  return epilogue === undefined ? text : `${text}\n\n${epilogue}`;
}

export function unknownMember(declaration: GroupDeclaration, words: readonly string[]): SymposiumError {
  const names = Object.entries(declaration.members).flatMap(([name, { isHidden }]) => (isHidden ? [] : [name]));
  try {
    groupCommand(declaration).parse([...words], { from: "user" });
  } catch (failure) {
    if (failure instanceof CommanderError && !failure.code.startsWith("commander.help")) {
      // The program has too many subcommands for a list in the error, so the error only names a similar subcommand.
      const isNear = declaration.name === "" || failure.message.includes("Did you mean");
      return refusal(declaration.name, failure, isNear ? "" : `Known: ${names.join(", ")}. `);
    }
  }
  return invalidArguments(`${declaration.name} needs a subcommand: ${names.join(", ")}.`, helpHint(declaration.name));
}

function groupCommand({ name, about, members, options = {} }: GroupDeclaration): Command {
  const group = newCommand(name, about, options).helpCommand("help [NAME]", "print a command's help");
  for (const [member, { about: memberAbout, isHidden = false }] of Object.entries(members)) {
    group.addCommand(new Command(member).description(memberAbout).helpOption(false), { hidden: isHidden });
  }
  return group;
}

function newCommand(name: string, about: string, options: OptionDeclarations): Command {
  const command = new Command(`${programName} ${name}`.trim())
    .description(about)
    .helpOption("-h, --help", "print this help")
    .allowExcessArguments(false)
    .exitOverride()
    .configureOutput({ writeOut: () => undefined, writeErr: () => undefined });
  for (const [option, { about: text, value, multiple, choices, isCount, mostSeconds }] of Object.entries(options)) {
    const made = new Option(`--${option}${value === undefined ? "" : ` <${value}>`}`, text);
    if (multiple) made.argParser((one: string, before: readonly string[] | undefined) => [...(before ?? []), one]);
    if (choices) made.argParser((word) => choiceOf(option, choices, word));
    if (isCount) made.argParser((word) => countOf(option, word));
    if (mostSeconds !== undefined) made.argParser((word) => millisecondsOf(option, mostSeconds, word));
    command.addOption(made);
  }
  return command;
}

function choiceOf(option: string, choices: readonly string[], word: string): string {
  if (choices.includes(word)) return word;
  const known = choices.join(", ").replace(/, ([^,]+)$/, " or $1");
  throw invalidArguments(`--${option} must be ${known}, not ${word}.`, "Give one of them.");
}

function countOf(option: string, word: string): number {
  const count = Number(word);
  if (Number.isSafeInteger(count) && count > 0) return count;
  throw invalidArguments(`--${option} must be a whole number above 0, not ${word}.`);
}

function millisecondsOf(option: string, most: number, word: string): number {
  const seconds = Number(word);
  if (seconds > 0 && seconds <= most) return Math.ceil(seconds * 1_000);
  const range = `more than 0 and at most ${most} seconds`;
  throw invalidArguments(`--${option} must be ${range}, not ${word}.`);
}

function valuesByName(command: Command): Readonly<Record<string, unknown>> {
  const values = command.options.map((option): [string, unknown] => {
    const value: unknown = command.getOptionValue(option.attributeName());
    // The parser stores `--no-browser` as `browser: false`.
    return [option.name(), option.negate ? value === false || undefined : value];
  });
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

/** Rejects an option that follows another option in place of its value. Values that begin with a dash require `--option=value`. */
function assertValues(words: readonly string[], options: OptionDeclarations): void {
  for (let index = 0; index < words.length && words[index] !== "--"; index += 1) {
    const flag = words[index] ?? "";
    const name = flag.slice(2);
    const isValued = flag.startsWith("--") && Object.hasOwn(options, name) && options[name]?.value !== undefined;
    if (!isValued) continue;
    index += 1;
    const value = words[index] ?? "";
    if (/^-./.test(value)) {
      const message = `option '${flag}' needs a value before '${value}'. To pass a value that begins with -, write ${flag}=${value}`;
      throw new CommanderError(2, "commander.optionMissingArgument", message);
    }
  }
}

function helpOf(command: Command): string {
  return command.helpInformation().trimEnd();
}

/** Formats a parse error, such as "run-with: Unknown option '--agnt'. Did you mean --agent?" */
function refusal(name: string, failure: CommanderError, furtherHint = ""): SymposiumError {
  const [reason = "", suggestion = ""] = failure.message.replace(/^error: /, "").split("\n");
  const said = reason
    .replace(` for '${programName} ${name}'`, "")
    .replaceAll("'", '"')
    .replace(/^./, (letter) => letter.toUpperCase())
    .replace(/\.?$/, ".");
  const nearest = suggestion.replace(/^\((.*)\)$/, "$1 ");
  const message = name === "" ? said : `${name}: ${said}`;
  return invalidArguments(message, `${nearest}${furtherHint}${helpHint(name)}`, {
    cause: failure,
  });
}

function argumentsHint(declaration: SubcommandDeclaration<OptionDeclarations>, code: string): string {
  const isExcess = code === "commander.excessArguments";
  if (!isExcess && code !== "commander.missingArgument") return "";
  const said = Object.entries(declaration.arguments ?? {}).map(([name, about]) => `${name} is ${about}. `);
  return `${said.join("")}${isExcess && said.length > 0 ? "Put values with spaces in quotes. " : ""}`;
}

function helpHint(name: string): string {
  return `Run \`${`${programName} ${name}`.trim()} --help\` for ${name === "" ? "the list" : "what it takes"}.`;
}
