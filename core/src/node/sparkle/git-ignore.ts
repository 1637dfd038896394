import { realpath, stat } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import type { IgnoreFile } from "../../proxies/sparkle/services.js";
import { atomicWrite } from "../atomic-write.js";
import { pathInside } from "./inside-folder.js";
import { readNote } from "./note-file.js";

/** The ignore rules of the git work tree that `cwd` is in, the weakest first; undefined outside of one. The user's global rules are not among them. */
export async function ignoreFilesOf(cwd: string): Promise<readonly IgnoreFile[] | undefined> {
  const workspace = await realpath(cwd);
  const folders = [workspace];
  for (let folder = workspace; !(await exists(join(folder, ".git")));) {
    const parent = dirname(folder);
    if (parent === folder) return undefined;
    folder = parent;
    folders.unshift(folder);
  }
  const [top = workspace] = folders;
  const sources = [{ folder: top, file: join(top, ".git", "info", "exclude") }];
  for (const folder of folders) sources.push({ folder, file: join(folder, ".gitignore") });
  const found = await Promise.all(
    sources.map(async ({ folder, file }) => {
      const text = await readNote(file).catch(() => undefined);
      return text === undefined ? [] : [{ below: relative(folder, workspace).split(sep).join("/"), text }];
    }),
  );
  return found.flat();
}

/** Adds a line at the end of the `.gitignore` in `cwd`, in the line breaks that it has; resolves with its path. */
export async function addIgnoreLine(cwd: string, line: string): Promise<string> {
  const file = await pathInside(await realpath(cwd), ".gitignore");
  const text = (await readNote(file)) ?? "";
  const lineBreak = text.includes("\r\n") ? "\r\n" : "\n";
  await atomicWrite(file, `${text}${text === "" || text.endsWith("\n") ? "" : lineBreak}${line}${lineBreak}`);
  return file;
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
