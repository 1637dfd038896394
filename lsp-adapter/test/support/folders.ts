import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileUri, type Position } from "@symposium-dev/core";

/** A folder of files for one test, which the user of its `config` trusts. Disposing removes it. */
export class TestFolder implements AsyncDisposable {
  private constructor(
    readonly path: string,
    private readonly parent: string,
  ) {}

  /** Creates it with `files`, by their relative path. `name` is that of the folder itself. */
  static async create(files: Readonly<Record<string, string>>, name = "project"): Promise<TestFolder> {
    const parent = await realpath(await mkdtemp(join(tmpdir(), "symposium-lsp-")));
    const folder = new TestFolder(join(parent, name), parent);
    await mkdir(folder.path);
    await mkdir(folder.config);
    await writeFile(join(folder.config, "trust.json"), JSON.stringify({ folders: [folder.path] }));
    for (const [path, text] of Object.entries(files)) await folder.write(path, text);
    return folder;
  }

  async write(path: string, text: string): Promise<void> {
    const file = join(this.path, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }

  uri(path: string): string {
    return fileUri(join(this.path, path));
  }

  /** A folder for the product's own files, beside the project and with a short name, as sockets need. */
  get config(): string {
    return join(this.parent, "c");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.parent, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}

/** Returns the position of `part` in `text`, moved by `offset`. Throws if there is none. */
export function positionOf(text: string, part: string, offset = 0): Position {
  const index = text.indexOf(part);
  if (index < 0) throw new Error(`The text has no "${part}".`);
  const before = text.slice(0, index + offset).split("\n");
  return { line: before.length - 1, character: before.at(-1)?.length ?? 0 };
}
