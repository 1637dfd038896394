import type { Command } from "../../../protocol/index.js";

/** The hint of the command that `text` consists of, shown where its input goes; empty as soon as there is input. */
export function findHint(text: string, commands: readonly Command[]): string {
  const name = /^\/(\S+) $/u.exec(text)?.[1];
  return commands.find((command) => command.name === name)?.hint ?? "";
}
