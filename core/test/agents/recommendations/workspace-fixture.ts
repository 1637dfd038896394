import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** A temporary folder. */
export interface Folder extends AsyncDisposable {
  readonly path: string;
  /** Writes files by their path from this folder. */
  write(files: Readonly<Record<string, string>>): Promise<void>;
}

export async function folderWith(files: Readonly<Record<string, string>>): Promise<Folder> {
  const path = await realpath(await mkdtemp(join(tmpdir(), "recommendations-")));
  const write = async (given: Readonly<Record<string, string>>): Promise<void> => {
    for (const [name, text] of Object.entries(given)) {
      await mkdir(dirname(join(path, name)), { recursive: true });
      await writeFile(join(path, name), text);
    }
  };
  await write(files);
  return { path, write, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

const head = (name: string, version: string): string =>
  `[package]\nname = "${name}"\nversion = "${version}"\nedition = "2021"\n`;

/** A package with two path dependencies that recommend extensions, one of them itself an extension; no network needed. */
export const cargoWorkspace: Readonly<Record<string, string>> = {
  "Cargo.toml": `${head("app", "0.1.0")}
[dependencies]
library = { path = "library" }

[package.metadata.symposium]
recommended = ["own-recommendation"]
`,
  "src/lib.rs": "",
  "library/Cargo.toml": `${head("library", "1.2.0")}
[dependencies]
tool = { path = "../tool" }

[package.metadata.symposium]
recommended = ["library-helper", "tool"]
`,
  "library/src/lib.rs": "",
  "tool/Cargo.toml": `${head("tool", "0.3.0")}
[package.metadata.symposium]
binary = "tool-acp"
args = ["--mcp"]
env = { KEY = "value" }

[[package.metadata.symposium.recommended]]
source.acp = "registry-helper"

[[package.metadata.symposium.recommended]]
source.crat = "misspelt"
`,
  "tool/src/lib.rs": "",
  "Cargo.lock": `version = 4

[[package]]
name = "app"
version = "0.1.0"
dependencies = [
 "library",
]

[[package]]
name = "library"
version = "1.2.0"
dependencies = [
 "tool",
]

[[package]]
name = "tool"
version = "0.3.0"
`,
};
