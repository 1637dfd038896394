/** Arguments of `cmd.exe` that run a batch file (`.cmd`, `.bat`), each to be passed verbatim. */
export type BatchArguments = readonly string[];

/**
 * How to run a batch file, which Windows starts only through `cmd.exe`, with arguments that arrive unchanged and
 * never act as commands. Undefined when that is impossible: no quoting carries a line break or a NUL, and a path
 * cannot hold a quote. Doubled quotes keep the state of cmd.exe and of the C runtime in step in every parse, and
 * a `%` is followed by a variable that expands to nothing, so that no name is formed.
 */
export function batchArguments(file: string, args: readonly string[]): BatchArguments | undefined {
  if (/["\r\n\0]|\\$/.test(file) || args.some((arg) => /[\r\n\0]/.test(arg))) return undefined;
  const line = [`"${escapePercents(file)}"`, ...args.map(quote)].join(" ");
  return ["/d", "/e:ON", "/v:OFF", "/s", "/c", `"${line}"`];
}

/** Characters that need no quotes in any parse. */
const plain = /^[\w#$*+\-./:?@\\]*[\w#$*+\-./:?@]$/;

function quote(arg: string): string {
  if (plain.test(arg)) return arg;
  // Backslashes count only before a quote, where each must be doubled.
  const escaped = arg.replace(/(\\*)"/g, '$1$1""').replace(/\\+$/, "$&$&");
  return `"${escapePercents(escaped)}"`;
}

function escapePercents(text: string): string {
  return text.replaceAll("%", "%%cd:~,%");
}
