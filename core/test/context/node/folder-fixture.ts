import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { ContextPlaces } from "../../../src/context/node/places.js";

/** A repository and a home folder that are gone in the end. */
export class Folders implements AsyncDisposable {
  private constructor(
    /** Absolute, with links followed. */
    readonly root: string,
  ) {}

  /** Files by their paths: `repo/…` is a repository, `home/…` the home folder. */
  static async with(files: Readonly<Record<string, string>>): Promise<Folders> {
    const folders = new Folders(await realpath(await mkdtemp(join(tmpdir(), "symposium-context-"))));
    await mkdir(join(folders.root, "repo", ".git"), { recursive: true });
    await mkdir(join(folders.root, "home"));
    for (const [path, text] of Object.entries(files)) await folders.write(path, text);
    return folders;
  }

  async write(path: string, text: string): Promise<void> {
    const file = this.path(path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }

  path(path: string): string {
    return join(this.root, ...path.split("/"));
  }

  places(cwd = "repo", more: Partial<ContextPlaces> = {}): ContextPlaces {
    return { roots: [this.path(cwd)], home: this.path("home"), env: {}, instructionFiles: [], ...more };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.root, { recursive: true, force: true });
  }
}
