import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isolatedEnvironment } from "./environment.js";

/** Folders for one run of a program: an empty workspace, home and temp folder. Disposing removes them. */
export interface RunFolder extends AsyncDisposable {
  readonly root: string;
  readonly workspace: string;
  readonly home: string;
  /** An environment without anything of the user; it has no PATH. */
  readonly env: Readonly<Record<string, string>>;
}

/** Creates the folders of one run; `name` makes them recognisable. */
export async function createRunFolder(name: string): Promise<RunFolder> {
  const root = await realpath(await mkdtemp(join(tmpdir(), `symposium-${name}-`)));
  for (const folder of ["workspace", "home", "tmp"]) await mkdir(join(root, folder));
  return {
    root,
    workspace: join(root, "workspace"),
    home: join(root, "home"),
    env: isolatedEnvironment(root),
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }),
  };
}
