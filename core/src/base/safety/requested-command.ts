import { asObject, isStrings, type Members } from "../rpc/json.js";
import { shellWord } from "../shell-word.js";
import { visibleText } from "./visible-text.js";

export interface RequestedCommand {
  readonly text: string;
  /** Program and arguments; present if the agent passes them without a shell. */
  readonly words?: readonly string[];
  /** Working folder, absolute or relative to the session's folder. Default: the session's folder. */
  readonly cwd?: string;
  readonly variables: Readonly<Record<string, string>>;
  /** Input members that change how the command runs, such as elevated permissions. Empty if there are none. */
  readonly special: Readonly<Record<string, unknown>>;
  /** Whether `special` has members, or the text contains hidden or misleading characters. */
  readonly isSpecial: boolean;
}

const shells = /(?:^|[\\/])(?:ba|z|da|k)?sh(?:\.exe)?$/;
const folderName = /^(?:cwd|(?:work(?:ing)?_?)?dir(?:ectory)?(?:_?path)?|folder)$/i;
const variablesName = /^env(?:iron(?:ment)?)?(?:_?var(?:iable)?s)?$|^variables$/i;
/** Members that only describe a command or set its timeout. Any other member may change the command's effect. */
const plainName =
  /^(?:description|explanation|justification|title|summary|purpose|reason|intent|(?:\w+_?)?id|(?:initial_?|block_?until_?|yield_?)?(?:timeout|wait|time)(?:_?(?:ms|s|sec|seconds|millis|milliseconds))?|max_?(?:output|result)_?\w*|(?:run_?in_?|is_?)?background|async|blocking|requires_?approval|status|command_?actions|parsed_?cmd)$/i;

/**
 * Name of the member that stands for a second command, or for arguments in an unknown form. No rule that names words can match a command
 * with this member.
 */
const unreadMember = "shell input";

export function requestedCommand(rawInput: unknown): RequestedCommand | undefined {
  const input = asObject(rawInput);
  if (!input) return undefined;
  const { command, cmd, script, args, ...others } = input;
  const [main, ...unread] = [command, cmd, script].filter((one) => !isNothing(one));
  const more = isStrings(args) ? args : [];
  if (!isStrings(args)) unread.push(args);
  const rest = unread.every(isNothing) ? others : { ...others, [unreadMember]: unread };
  if (isStrings(main)) return withSurroundings(fromWords([...main, ...more]), rest);
  if (typeof main !== "string") return undefined;
  if (more.length > 0) return withSurroundings(fromWords([main, ...more]), rest);
  return withSurroundings({ text: typeof args === "string" ? `${main} ${args}`.trim() : main }, rest);
}

type Line = Pick<RequestedCommand, "text" | "words">;

function withSurroundings(line: Line, members: Members): RequestedCommand {
  const entries = Object.entries(members).filter(([, value]) => !isNothing(value));
  const folders = entries.flatMap(([name, value]) =>
    folderName.test(name) && typeof value === "string" ? [value] : [],
  );
  const [cwd] = folders;
  const variables = entries.flatMap(([name, value]) => (variablesName.test(name) ? (variablesOf(value) ?? []) : []));
  const special = entries.filter(
    ([name, value]) =>
      !plainName.test(name) &&
      !(variablesName.test(name) && variablesOf(value)) &&
      !(folderName.test(name) && value === cwd),
  );
  return {
    ...line,
    ...(cwd === undefined ? {} : { cwd }),
    variables: Object.fromEntries(variables),
    special: Object.fromEntries(special),
    isSpecial: special.length > 0 || visibleText(line.text, "").warnings.length > 0,
  };
}

/** Returns only the script if the words run a shell with a script argument. */
function fromWords(list: readonly string[]): Line {
  const [program = "", option = "", script] = list;
  if (list.length === 3 && script !== undefined && shells.test(program) && /^-l?c$/.test(option)) {
    return { text: script };
  }
  return { text: list.map(shellWord).join(" "), words: list };
}

/** Parses `{NAME: value}`, `[{name, value}]` or `["NAME=value"]`. Undefined for other forms. */
function variablesOf(value: unknown): [string, string][] | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (!Array.isArray(value)) return Object.entries(value).map(([name, text]) => [name, String(text)]);
  const pairs = value.map(variableOf);
  return pairs.includes(undefined) ? undefined : pairs.flatMap((pair) => (pair ? [pair] : []));
}

function variableOf(item: unknown): [string, string] | undefined {
  const pair = asObject(item);
  if (pair) {
    const { name, value } = pair;
    return typeof name === "string" && typeof value === "string" ? [name, value] : undefined;
  }
  const [, name, text = ""] = (typeof item === "string" && /^([^=]+)=([^]*)$/.exec(item)) || [];
  return name === undefined ? undefined : [name, text];
}

function isNothing(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.keys(value).length === 0;
  return value === undefined || value === null || value === false || value === "";
}
