import type { NamedCommand } from "@symposium-dev/core/node";
import * as z from "zod/mini";
import { visibleText } from "./visible-text.js";
import { shellWord } from "@symposium-dev/core";

/** A command line that a tool call wants to run. */
export interface RequestedCommand extends NamedCommand {
  /** Members of the input that change how it runs, such as leave for more than usual; empty when there are none. */
  readonly special: Readonly<Record<string, unknown>>;
}

const words = z.array(z.string());
const input = z.looseObject({
  command: z.optional(z.unknown()),
  cmd: z.optional(z.unknown()),
  script: z.optional(z.unknown()),
  args: z.optional(z.unknown()),
});
const shells = /(?:^|[\\/])(?:ba|z|da|k)?sh(?:\.exe)?$/;
const folderName = /^(?:cwd|(?:work(?:ing)?_?)?dir(?:ectory)?(?:_?path)?|folder)$/i;
const variablesName = /^env(?:iron(?:ment)?)?(?:_?var(?:iable)?s)?$|^variables$/i;
/** Whose presence may let the command do more, or do it elsewhere. */
const specialName =
  /env|variable|sandbox|permission|escalat|privileg|elevat|danger|bypass|shell|interpreter|stdin|user|host/i;

/** The command in the `rawInput` of a tool call, by the names that agents use for it. */
export function requestedCommand(rawInput: unknown): RequestedCommand | undefined {
  const parsed = input.safeParse(rawInput);
  if (!parsed.success) return undefined;
  const { command, cmd, script, args, ...rest } = parsed.data;
  const main = command ?? cmd ?? script;
  const list = words.safeParse(main);
  const more = words.safeParse(args);
  const arguments_ = more.success ? more.data : [];
  if (list.success) return withSurroundings(fromWords([...list.data, ...arguments_]), rest);
  if (typeof main !== "string" || main === "") return undefined;
  return withSurroundings(arguments_.length > 0 ? fromWords([main, ...arguments_]) : { text: main }, rest);
}

type Line = Pick<NamedCommand, "text" | "words">;

function withSurroundings(line: Line, members: Readonly<Record<string, unknown>>): RequestedCommand {
  const entries = Object.entries(members).filter(([, value]) => !isNothing(value));
  const folders = entries.flatMap(([name, value]) =>
    folderName.test(name) && typeof value === "string" ? [value] : [],
  );
  const [cwd] = folders;
  const variables = entries.flatMap(([name, value]) => (variablesName.test(name) ? (variablesOf(value) ?? []) : []));
  const special = entries.filter(
    ([name, value]) =>
      (specialName.test(name) && !(variablesName.test(name) && variablesOf(value))) ||
      (folderName.test(name) && value !== cwd),
  );
  return {
    ...line,
    ...(cwd === undefined ? {} : { cwd }),
    variables: Object.fromEntries(variables),
    special: Object.fromEntries(special),
    isSpecial: special.length > 0 || visibleText(line.text, "").warnings.length > 0,
  };
}

/** A shell and its script mean the script. */
function fromWords(list: readonly string[]): Line {
  const [program = "", option = "", script] = list;
  if (list.length === 3 && script !== undefined && shells.test(program) && /^-l?c$/.test(option)) {
    return { text: script };
  }
  return { text: list.map(shellWord).join(" "), words: list };
}

/** `{NAME: value}`, `[{name, value}]` or `["NAME=value"]`; undefined where it is none of these. */
function variablesOf(value: unknown): [string, string][] | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (!Array.isArray(value)) return Object.entries(value).map(([name, text]) => [name, String(text)]);
  const pairs = value.map((item: unknown): [string, string] | undefined => {
    const [, name, text = ""] = (typeof item === "string" && /^([^=]+)=([^]*)$/.exec(item)) || [];
    const pair = variable.safeParse(item);
    if (pair.success) return [pair.data.name, pair.data.value];
    return name === undefined ? undefined : [name, text];
  });
  return pairs.includes(undefined) ? undefined : pairs.flatMap((pair) => (pair ? [pair] : []));
}

const variable = z.object({ name: z.string(), value: z.string() });

function isNothing(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.keys(value).length === 0;
  return value === undefined || value === null || value === false || value === "";
}
