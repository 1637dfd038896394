import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A folder that disposing deletes. */
interface TemporaryFolder extends AsyncDisposable {
  readonly path: string;
}

/** Creates a folder whose name starts with `prefix` in `parent`, by default the system's temporary folder, with its links resolved. */
export async function temporaryFolder(prefix: string, parent?: string): Promise<TemporaryFolder> {
  const path = await mkdtemp(join(parent ?? (await realpath(tmpdir())), prefix));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 10 }) };
}
