import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A folder that disposing deletes. */
interface TemporaryFolder extends AsyncDisposable {
  readonly path: string;
}

/** Creates a folder whose name starts with `prefix` in an existing folder, by default the system's temporary folder. */
export async function temporaryFolder(prefix: string, parent = tmpdir()): Promise<TemporaryFolder> {
  const path = await mkdtemp(join(parent, prefix));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}
