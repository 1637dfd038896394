import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { whyNoTarget } from "@symposium-dev/core/testing/node";
import { runToEnd } from "./child.js";
import { environmentOfThisMachine } from "./environment.js";
import { lastLines } from "./packages/install-package.js";
import { pathWith, repositoryRoot } from "./repository.js";

/** npm package that transpiles a WebAssembly component to JavaScript. */
export const jco = { package: "@bytecodealliance/jco", version: "1.35.0", command: "jco", nodeMajor: 20 };

const target = "wasm32-wasip2";
/** A first build has a few hundred crates to compile. */
const buildLimitMs = 15 * 60_000;
const transpileLimitMs = 300_000;
const buildFolder = join(repositoryRoot, ".cache", "zed-extension");

/** An extension of ours for Zed: its folder in zed-extension/, and what cargo names its component. */
interface ZedCrate {
  readonly folder: string;
  readonly component: string;
}

/** MCP servers for Zed's own agent. */
export const contextServerCrate: ZedCrate = { folder: "context-server", component: "symposium_tools.wasm" };
/** A provider of language models. */
export const languageModelsCrate: ZedCrate = {
  folder: "language-models",
  component: "symposium_language_models.wasm",
};

/** The component, or why this machine cannot build it. A build that fails for its source is an error. */
export async function buildExtension({
  folder,
  component,
}: ZedCrate): Promise<{ readonly file: string } | { readonly missing: string }> {
  const source = join(repositoryRoot, "zed-extension", folder);
  const env = { ...environmentOfThisMachine(), PATH: pathWith(), CARGO_TARGET_DIR: buildFolder };
  const run = (...words: readonly string[]) => runToEnd({ words, env, cwd: source }, buildLimitMs);
  const missing = whyNoTarget(target, env);
  if (missing !== undefined) return { missing };
  const fetched = await run("cargo", "fetch", "--locked", "--target", target);
  if (fetched.code !== 0) return { missing: `its crates cannot be fetched: ${lastLines(fetched.stderr)}` };
  const built = await run("cargo", "build", "--locked", "--release", "--target", target);
  if (built.code !== 0) throw new Error(`cargo build failed:\n${built.stderr}`);
  return { file: join(buildFolder, target, "release", component) };
}

/** The custom sections of a WebAssembly component and of the modules in it, by name (both binary formats are sections after 8 bytes). */
export function customSections(wasm: Buffer): ReadonlyMap<string, Buffer> {
  const sections = new Map<string, Buffer>();
  for (let at = 8; at < wasm.length;) {
    const id = wasm[at] ?? 0;
    const [length, start] = unsigned(wasm, at + 1);
    at = start + length;
    const content = wasm.subarray(start, at);
    if (id === 0) {
      const [nameLength, nameStart] = unsigned(content, 0);
      const nameEnd = nameStart + nameLength;
      sections.set(content.toString("utf8", nameStart, nameEnd), content.subarray(nameEnd));
    } else if (isWasm(content)) {
      for (const [name, section] of customSections(content)) sections.set(name, section);
    }
  }
  return sections;
}

function isWasm(bytes: Buffer): boolean {
  return bytes.length >= 8 && bytes.toString("latin1", 0, 4) === "\0asm";
}

/** A LEB128 number, and where it ends. */
function unsigned(bytes: Buffer, start: number): readonly [number, number] {
  let value = 0;
  for (let at = start, shift = 0; ; at++, shift += 7) {
    const byte = bytes[at] ?? 0;
    value += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) return [value, at + 1];
  }
}

/** How a context server is started. */
interface ContextServerCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: readonly unknown[];
}

/** Exports of an extension that Zed calls for context servers. */
interface LoadedExtension {
  initExtension(): void;
  contextServerCommand(id: string, project: object): ContextServerCommand;
  contextServerConfiguration(
    id: string,
    project: object,
  ): Readonly<Record<"installationInstructions" | "settingsSchema" | "defaultSettings", string>>;
}

/** Zed's state in a test. */
interface ZedHost {
  /** The user's `settings` of every context server. */
  readonly settings: unknown;
  /** The version of an npm package that is installed in the extension's folder. */
  readonly installed: string | undefined;
}

/** An extension that Zed has loaded, and what it has asked of Zed. */
export interface HostedExtension {
  readonly extension: LoadedExtension;
  /** A project without a folder. */
  readonly project: object;
  readonly installs: readonly string[];
}

/** Turns the component into JavaScript in `folder`; `binFolder` is that of jco. */
export async function transpileExtension(file: string, binFolder: string, folder: string): Promise<void> {
  const env = { ...environmentOfThisMachine(), PATH: pathWith(binFolder) };
  const options = ["--name", "extension", "-o", folder, "--instantiation", "async"];
  const words = ["node", join(binFolder, jco.command), "transpile", file, ...options];
  const { code, stderr } = await runToEnd({ words, env, cwd: repositoryRoot }, transpileLimitMs);
  if (code !== 0) throw new Error(`jco failed: ${stderr}`);
}

/** Loads the transpiled component of `folder` into a Zed that answers as the test says. */
export async function hostExtension(folder: string, binFolder: string, host: ZedHost): Promise<HostedExtension> {
  const shim = createRequire(join(binFolder, "package.json")).resolve("@bytecodealliance/preview2-shim/instantiation");
  const { WASIShim } = (await import(pathToFileURL(shim).href)) as {
    WASIShim: new () => { getImportObject(): object };
  };
  const { instantiate } = (await import(pathToFileURL(join(folder, "extension.js")).href)) as {
    instantiate: (load: (path: string) => Promise<unknown>, imports: object) => Promise<LoadedExtension>;
  };
  const installs: string[] = [];
  const imports = { ...new WASIShim().getImportObject(), ...zedImports(host, installs) };
  const { compile } = Reflect.get(globalThis, "WebAssembly") as { compile: (bytes: Uint8Array) => Promise<unknown> };
  const load = async (path: string): Promise<unknown> => compile(await readFile(join(folder, path)));
  const extension = await instantiate(load, imports);
  extension.initExtension();
  return { extension, project: new Project(), installs };
}

/** Stands for every resource: no call of a test reaches the others. */
class Project {
  worktreeIds(): readonly number[] {
    return [];
  }
}

function zedImports({ settings, installed }: ZedHost, installs: string[]): object {
  const unused = { default: Project };
  return {
    project: { default: Project },
    worktree: unused,
    "key-value-store": unused,
    "get-settings": { default: () => JSON.stringify({ settings }) },
    "zed:extension/nodejs": {
      nodeBinaryPath: () => "/zed/node",
      npmPackageInstalledVersion: () => installed,
      npmInstallPackage: (name: string, version: string) => void installs.push(`${name}@${version}`),
    },
  };
}
