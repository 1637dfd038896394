import { existsSync } from "node:fs";
import { posix, win32 } from "node:path";

/** The editors that take extensions of VS Code: the command of each, and its name for people. */
const known = [
  { command: "code", name: "VS Code", app: "Visual Studio Code" },
  { command: "code-insiders", name: "VS Code Insiders", app: "Visual Studio Code - Insiders" },
  { command: "codium", name: "VSCodium", app: "VSCodium" },
  { command: "cursor", name: "Cursor", app: "Cursor" },
  { command: "windsurf", name: "Windsurf", app: "Windsurf" },
];

/**
 * Returns the editors on this machine with the program of each. Looks on PATH and, on a Mac, in Applications. `look` returns whether a
 * file exists.
 */
export function findEditors({ env, platform, look = existsSync }) {
  return known.flatMap((editor) => {
    const program = [...onPath(editor, env, platform), ...inApplications(editor, env, platform)].find(look);
    return program === undefined ? [] : [{ name: editor.name, program }];
  });
}

function onPath({ command }, env, platform) {
  const { delimiter, join } = platform === "win32" ? win32 : posix;
  const folders = (env.PATH ?? env.Path ?? "").split(delimiter).filter((folder) => folder !== "");
  return folders.map((folder) => join(folder, platform === "win32" ? `${command}.cmd` : command));
}

function inApplications({ command, app }, env, platform) {
  if (platform !== "darwin") return [];
  const bin = `Applications/${app}.app/Contents/Resources/app/bin/${command}`;
  return [`/${bin}`, posix.join(env.HOME ?? "/", bin)];
}
