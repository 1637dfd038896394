import * as z from "zod/mini";

/** A command line that a tool call wants to run, and the words it surely consists of, where that is known. */
export interface RequestedCommand {
  readonly text: string;
  /** Present when the agent passed a program and its arguments without a shell. */
  readonly words?: readonly string[];
  readonly cwd?: string;
}

const words = z.array(z.string());
const input = z.looseObject({
  command: z.optional(z.unknown()),
  cmd: z.optional(z.unknown()),
  script: z.optional(z.unknown()),
  args: z.optional(z.unknown()),
  cwd: z.optional(z.unknown()),
  workdir: z.optional(z.unknown()),
  working_directory: z.optional(z.unknown()),
  directory: z.optional(z.unknown()),
});
const shells = /(?:^|[\\/])(?:ba|z|da|k)?sh(?:\.exe)?$/;

/** The command in the `rawInput` of a tool call, by the names that agents use for it. */
export function requestedCommand(rawInput: unknown): RequestedCommand | undefined {
  const parsed = input.safeParse(rawInput);
  if (!parsed.success) return undefined;
  const { command, cmd, script, args, cwd, workdir, working_directory, directory } = parsed.data;
  const folder = [cwd, workdir, working_directory, directory].find((value) => typeof value === "string");
  const place = folder === undefined || folder === "" ? {} : { cwd: folder };
  const main = command ?? cmd ?? script;
  const list = words.safeParse(main);
  const more = words.safeParse(args);
  if (list.success) return { ...fromWords([...list.data, ...(more.success ? more.data : [])]), ...place };
  if (typeof main !== "string" || main === "") return undefined;
  return { ...(more.success ? fromWords([main, ...more.data]) : { text: main }), ...place };
}

/** A shell and its script mean the script. */
function fromWords(list: readonly string[]): RequestedCommand {
  const [program = "", option = "", script] = list;
  if (list.length === 3 && script !== undefined && shells.test(program) && /^-l?c$/.test(option)) {
    return { text: script };
  }
  return { text: list.map(quoted).join(" "), words: list };
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
