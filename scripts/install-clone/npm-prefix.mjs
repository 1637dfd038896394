import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync, statSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";

/**
 * Returns `~/.local` if the user can't write to npm's global folder, as with a system-wide Node; undefined if the configured prefix
 * works or can't be determined.
 */
export function ownPrefix(env) {
  if (process.platform === "win32" || !env.HOME) return undefined;
  const { status, stdout } = spawnSync("npm", ["prefix", "--global"], { env, encoding: "utf8" });
  if (status !== 0) return undefined;
  const prefix = stdout.trim();
  const isUsable = ["lib/node_modules", "bin"].every((folder) => isWritable(join(prefix, folder)));
  return isUsable ? undefined : join(env.HOME, ".local");
}

/** Notes that name the command's folder, and how to add it to PATH. */
export function pathNote(prefix, env) {
  const bin = join(prefix, "bin");
  const notes = [`You can't write to npm's global folder, so the command is in ${bin}.`];
  if ((env.PATH ?? "").split(delimiter).includes(bin)) return notes;
  return [...notes, `To find it in new terminals, add this line to your shell's profile: export PATH="${bin}:$PATH"`];
}

/** Whether the user can write to `folder`, or create it. */
function isWritable(folder) {
  if (!existsSync(folder)) return dirname(folder) !== folder && isWritable(dirname(folder));
  try {
    accessSync(folder, constants.W_OK);
    return statSync(folder).isDirectory();
  } catch {
    return false;
  }
}
