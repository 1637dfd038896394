import { readdir } from "node:fs/promises";
import { basename, dirname, isAbsolute, join } from "node:path";
import { askProgram, isThere, loadUntrustedText, resolveCommand, systemLookup } from "@symposium-dev/core/node";

/** Machine, or part of one, on which a chat's agent can run. */
export interface Machine {
  readonly kind: "ssh" | "container" | "devcontainer";
  /** Host or container name; the name of a dev container's folder. */
  readonly name: string;
  /** Value of `--on`. */
  readonly on: string;
}

interface MachineSources {
  readonly home: string;
  /** Folder whose dev container is offered. */
  readonly folder: string | undefined;
  /** Returns an engine's output for `ps`, or undefined if it isn't installed or fails. */
  readonly containers: (engine: string) => Promise<string | undefined>;
}

/** Maximum depth of `Include`, as in OpenSSH. */
const maxDepth = 16;
const engineMs = 3_000;
const engines = ["podman", "docker"] as const;

/** Lists hosts of ~/.ssh/config, running containers and the folder's dev container. Never rejects. */
export async function knownMachines({ home, folder, containers }: MachineSources): Promise<readonly Machine[]> {
  const hasDevContainer = folder !== undefined && (await isThere(join(folder, ".devcontainer", "devcontainer.json")));
  const hosts = await sshHosts(join(home, ".ssh", "config"), home);
  const found = await Promise.all(engines.map(async (engine) => containerNames(engine, await containers(engine))));
  return [
    ...(hasDevContainer ? [{ kind: "devcontainer", name: basename(folder), on: "devcontainer" } as const] : []),
    ...[...new Set(hosts)].map((name): Machine => ({ kind: "ssh", name, on: `ssh:${name}` })),
    ...found.flat(),
  ];
}

/** Runs an engine's `ps`, if the engine is installed; undefined if it fails or takes longer than 3 seconds. */
export async function listContainers(engine: string): Promise<string | undefined> {
  const program = resolveCommand(engine, systemLookup());
  if (program === undefined) return undefined;
  const words = [engine, "ps", "--format", "{{.Names}}"] as const;
  const { stdout, fault } = await askProgram(words, { env: process.env, cwd: "/", timeoutMs: engineMs });
  return fault === undefined ? stdout : undefined;
}

function containerNames(engine: string, output = ""): Machine[] {
  const names = output.split(/\r?\n/).filter((name) => /^[\w.][\w.-]*$/.test(name));
  return names.map((name) => ({ kind: "container", name, on: `${engine}:${name}` }));
}

/** Returns the names in `Host` lines that have no wildcards, including those of included files. */
async function sshHosts(file: string, home: string, depth = 0): Promise<readonly string[]> {
  const text = depth > maxDepth ? "" : await loadUntrustedText(file).catch(() => "");
  const found: string[] = [];
  for (const line of text.split(/\r?\n/)) {
    const [, key = "", rest = ""] = /^\s*(\w+)(?:\s*=\s*|\s+)(.*?)\s*$/.exec(line) ?? [];
    const words = [...rest.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "");
    if (key.toLowerCase() === "host") found.push(...words.filter((word) => /^[\w.@:][\w.@:-]*$/.test(word)));
    if (key.toLowerCase() !== "include") continue;
    for (const word of words) {
      for (const one of await includedFiles(word, home)) found.push(...(await sshHosts(one, home, depth + 1)));
    }
  }
  return found;
}

/** Returns the files that an `Include` names. Wildcards work only in the file name. */
async function includedFiles(word: string, home: string): Promise<readonly string[]> {
  const path = word.replace(/^~(?=[\\/])/, () => home);
  const full = isAbsolute(path) ? path : join(home, ".ssh", path);
  const name = full.slice(dirname(full).length + 1);
  if (!/[*?]/.test(name)) return [full];
  const escaped = name.replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`);
  const pattern = new RegExp(`^${escaped.replaceAll("*", ".*").replaceAll("?", ".")}$`);
  const names = await readdir(dirname(full)).catch(() => []);
  return names
    .filter((one) => pattern.test(one))
    .sort()
    .map((one) => join(dirname(full), one));
}
