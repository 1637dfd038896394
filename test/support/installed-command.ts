import { chmod, cp, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { conductorProgram } from "./conductor-command.js";

/** Copies the released command and its Node into `home`, as an installation of the user whom the folder belongs to. */
export async function installCommand(home: string): Promise<string> {
  const bin = join(home, ".local", "bin");
  const library = join(home, ".local", "lib");
  await mkdir(bin, { recursive: true });
  await cp(dirname(conductorProgram), library, { recursive: true });
  await cp(process.execPath, join(bin, "node"));
  const command = join(bin, "symposium-acp-agent");
  await writeProgram(command, `exec "$HOME/.local/bin/node" "$HOME/.local/lib/symposium-acp-agent.mjs" "$@"`);
  return command;
}

export async function writeProgram(path: string, script: string): Promise<void> {
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
}
