import type { Installed } from "../../../agents/install/install-place.js";
import type { Command } from "../../../base/command.js";
import { forScreen } from "../wrapped-text.js";

/** One line for people on stderr. */
export function warn(line: string): void {
  process.stderr.write(`${forScreen(line, process.stderr)}\n`);
}

/** Writes a result to stdout as {@link write} does, broken between words in a terminal; its 0 is the exit code of success. */
export async function say(text: string): Promise<number> {
  await write([forScreen(text, process.stdout), "\n"]);
  return 0;
}

/** Writes a result as JSON if the user gave `--json`, else as text for people. */
export function sayResult({ json }: { readonly json?: true }, result: object, text: string): Promise<number> {
  return say(json === true ? JSON.stringify(result) : text);
}

/** The members of an ACP McpServer that say how it starts. */
export function commandJson({ command, args, env }: Command): object {
  return { command, args, env: Object.entries(env).map(([name, value]) => ({ name, value })) };
}

/** What programs are told of an installation. */
export function installedJson({ id, version, folder, pinned, previous, command }: Installed): object {
  return { id, version, pinned, previous, folder, ...commandJson(command) };
}

/** Writes to stdout, and resolves once a pipe's reader has taken all of it or has left: process.exit drops the rest. */
export async function write(parts: Iterable<string>): Promise<void> {
  if (process.stdout.listenerCount("error") === 0) process.stdout.on("error", () => undefined);
  for (const part of parts) process.stdout.write(part);
  await new Promise((resolve) => process.stdout.write("", resolve));
}
