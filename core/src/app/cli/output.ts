import type { Installed } from "../../agents/install/install-place.js";
import type { Command } from "../../base/command.js";
import { forScreen } from "./wrapped-text.js";

export function warn(line: string): void {
  process.stderr.write(`${forScreen(line, process.stderr)}\n`);
}

/** Writes a result to stdout as {@link write} does, wrapped at words in a terminal. Resolves with 0, the exit code for success. */
export async function say(text: string): Promise<number> {
  await write([forScreen(text, process.stdout), "\n"]);
  return 0;
}

export function sayResult({ json }: { readonly json?: true }, result: object, text: string): Promise<number> {
  return say(json === true ? JSON.stringify(result) : text);
}

export function commandJson({ command, args, env }: Command): object {
  return { command, args, env: Object.entries(env).map(([name, value]) => ({ name, value })) };
}

export function installedJson({ id, version, folder, pinned, previous, command }: Installed): object {
  return { id, version, pinned, previous, folder, ...commandJson(command) };
}

/** Writes to stdout. Resolves after a pipe's reader has consumed everything or exited, because process.exit discards pending output. */
export async function write(parts: Iterable<string>): Promise<void> {
  if (process.stdout.listenerCount("error") === 0) process.stdout.on("error", () => undefined);
  for (const part of parts) process.stdout.write(part);
  await new Promise((resolve) => process.stdout.write("", resolve));
}
