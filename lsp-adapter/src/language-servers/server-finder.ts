import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { messageOf, pathOfFileUri, type ServerFinding } from "@symposium-dev/core";
import { isInside, foldersUp } from "@symposium-dev/core/node";
import type { AdapterSettings } from "./adapter-settings.js";
import { findServer, languageIdOf, type ServerDefinition, type Surroundings } from "./server-definition.js";

interface ServerFinderOptions {
  /** Absolute path of the folder. */
  readonly folder: string;
  readonly settings: Pick<AdapterSettings, "servers" | "isTrusted">;
  readonly env: NodeJS.ProcessEnv;
  /** Aborts searches whose result nobody awaits anymore. */
  readonly signal: AbortSignal;
  readonly ask?: Surroundings["ask"];
}

type Found = Exclude<ServerFinding, { readonly kind: "unknown" }>;

interface Looked {
  readonly finding: Promise<Found>;
  /** Time at which the result expires, in milliseconds of `performance.now()`. */
  goodUntil: number;
}

/** Milliseconds that a result is valid, since servers may be installed or removed during a session. */
const goodMs = { found: 60_000, missing: 10_000 } as const;
const probeMs = 30_000;

/** Finds installed language servers without leaving a process. Caches results for a while. */
export class ServerFinder {
  readonly #looked = new Map<string, Looked>();

  constructor(private readonly options: ServerFinderOptions) {}

  /** Finds the server for a document. Never rejects. */
  async find(uri: string): Promise<ServerFinding> {
    const { folder, settings } = this.options;
    const path = pathOfFileUri(uri);
    const definition = path === undefined ? undefined : settings.servers.find((one) => languageIdOf(one, path));
    if (path === undefined || definition === undefined) return { kind: "unknown" };
    const root = projectRoot(path, folder, definition.rootMarkers);
    const key = `${definition.name}\n${root}`;
    const known = this.#looked.get(key);
    if (known && performance.now() < known.goodUntil) return known.finding;
    // Store the search immediately, so that concurrent calls share it.
    const looked: Looked = { finding: this.#look(definition, root), goodUntil: Infinity };
    this.#looked.set(key, looked);
    const { kind } = await looked.finding;
    looked.goodUntil = performance.now() + goodMs[kind];
    return looked.finding;
  }

  async #look(definition: ServerDefinition, root: string): Promise<Found> {
    const { folder, settings, env, ask } = this.options;
    const signal = AbortSignal.any([this.options.signal, AbortSignal.timeout(probeMs)]);
    try {
      const isTrusted = await settings.isTrusted(root);
      const { platform } = process;
      const found = await findServer(definition, { root, folder, isTrusted, env, platform, signal, ask });
      if (found.kind === "found") return { kind: "found", name: found.launch.name };
      return { kind: "missing", reason: `${found.detail}. ${found.remedy}` };
    } catch (error) {
      return { kind: "missing", reason: `can't search for ${definition.name}: ${messageOf(error)}` };
    }
  }
}

/**
 * Returns the working folder for a server of `path`: the outermost folder with a marker between the file and `workspace`, so that members
 * of a project share a server. `workspace` if there is no marker or the file is elsewhere.
 */
export function projectRoot(path: string, workspace: string, markers: readonly string[]): string {
  if (!isInside(path, workspace)) return workspace;
  const isMarked = (folder: string): boolean => markers.some((marker) => existsSync(join(folder, marker)));
  return foldersUp(dirname(path)).findLast((at) => isInside(at, workspace) && isMarked(at)) ?? workspace;
}
