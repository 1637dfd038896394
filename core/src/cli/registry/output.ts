import type { Installed } from "../../install/install-place.js";
import type { Command } from "../../base/command.js";

/** One line for people on stderr. */
export function warn(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** A result on stdout; resolves a subcommand with success. */
export function say(text: string): number {
  process.stdout.write(`${text}\n`);
  return 0;
}

/** The members of an ACP McpServer that say how it starts. */
export function commandJson({ command, args, env }: Command): object {
  return { command, args, env: Object.entries(env).map(([name, value]) => ({ name, value })) };
}

/** What programs are told of an installation. */
export function installedJson({ id, version, folder, pinned, previous, command }: Installed): object {
  return { id, version, pinned, previous, folder, ...commandJson(command) };
}

/** Writes to stdout, and resolves once the reader of a pipe has taken all of it: process.exit drops the rest. */
export async function write(parts: Iterable<string>): Promise<void> {
  for (const part of parts) process.stdout.write(part);
  await new Promise((resolve) => process.stdout.write("", resolve));
}
