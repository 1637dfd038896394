import { createHash } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { ferrisServices } from "../../../../src/extensions/ferris/node.js";
import { trusting } from "../../../../testing/scripted-client.js";
import { tarArchive } from "../../../agents/install/archive-bytes.js";
import { type CallTool, emptyFolder, type Folder, toolsIn } from "./ferris-stage.js";

/** A version of a crate in a registry. */
interface Release {
  readonly name: string;
  readonly version: string;
  readonly isYanked?: boolean;
  /** `truncated`: it ends too early, as the index says. `changed`: it is not what the index says. */
  readonly damage?: "truncated" | "changed";
}

/** The index of the private registry, which no network has. */
const houseIndex = "sparse+https://crates.invalid/index/";

export interface Registries {
  /** Stands in for the default registry. */
  readonly everyone: readonly Release[];
  /** The private registry `house`. */
  readonly house?: readonly Release[];
}

/** Creates a folder with a cargo home and both registries as files, so that cargo needs no network. Writes `files` into the folder. */
export async function folderWithRegistries(
  { everyone, house = [] }: Registries,
  files: Readonly<Record<string, string>>,
): Promise<Folder & { readonly call: CallTool; readonly env: NodeJS.ProcessEnv }> {
  const folder = await emptyFolder();
  const { path } = folder;
  for (const release of everyone) await writeRelease(join(path, ".everyone"), release);
  for (const release of house) await writeRelease(join(path, ".house"), release);
  const config = [
    '[source.crates-io]\nreplace-with = "everyone"',
    `[source.everyone]\nlocal-registry = ${JSON.stringify(join(path, ".everyone"))}`,
    `[registries.house]\nindex = "${houseIndex}"`,
    `[source.house]\nregistry = "${houseIndex}"\nreplace-with = "shelf"`,
    `[source.shelf]\nlocal-registry = ${JSON.stringify(join(path, ".house"))}`,
  ];
  await write(join(path, ".cargo", "config.toml"), config.join("\n"));
  for (const [name, text] of Object.entries(files)) await write(join(path, name), text);
  const env = { ...process.env, CARGO_HOME: join(path, ".cargo-home") };
  return { ...folder, env, call: toolsIn(path, ferrisServices(trusting(), env)) };
}

/** The `Cargo.toml` of a package without code of its own. */
export function manifestOf(name: string, version: string, ...dependencies: readonly string[]): string {
  const head = `[package]\nname = "${name}"\nversion = "${version}"\nedition = "2021"\n`;
  return `${head}\n[dependencies]\n${dependencies.join("\n")}\n`;
}

/** Adds a version to the registry in a folder; cargo reads such folders as they are (`local-registry`). */
export async function writeRelease(
  registry: string,
  { name, version, isYanked = false, damage }: Release,
): Promise<void> {
  const file = (path: string, data: string): { name: string; data: string } => ({
    name: `${name}-${version}/${path}`,
    data,
  });
  const whole = gzipSync(tarArchive([file("Cargo.toml", manifestOf(name, version)), file("src/lib.rs", "")]));
  const archive = damage === "truncated" ? whole.subarray(0, whole.length / 2) : whole;
  const sum = createHash("sha256").update(archive).digest("hex");
  const entry = { name, vers: version, deps: [], cksum: sum, features: {}, yanked: isYanked };
  await write(join(registry, "index", ...indexPath(name)), `${JSON.stringify(entry)}\n`, "a");
  const stored = damage === "changed" ? Buffer.concat([archive, Buffer.from("more")]) : archive;
  await write(join(registry, `${name}-${version}.crate`), stored);
}

/** Returns the path of a crate in a registry's index (https://doc.rust-lang.org/cargo/reference/registry-index.html). */
function indexPath(name: string): readonly string[] {
  if (name.length <= 2) return [String(name.length), name];
  return name.length === 3 ? ["3", name.slice(0, 1), name] : [name.slice(0, 2), name.slice(2, 4), name];
}

async function write(path: string, data: string | Buffer, flag = "w"): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, data, { flag });
}
