import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { messageOf, pathOfFileUri, type ServerFinding } from "@symposium-dev/core";
import { isInside, foldersUp } from "@symposium-dev/core/node";
import type { AdapterSettings } from "./adapter-settings.js";
import { findServer, languageIdOf, type ServerDefinition, type Surroundings } from "./server-definition.js";

interface ServerFinderOptions {
  /** Absolute path. */
  readonly folder: string;
  readonly settings: Pick<AdapterSettings, "servers" | "isTrusted">;
  readonly env: NodeJS.ProcessEnv;
  /** Ends what still looks: nobody waits for it any more. */
  readonly signal: AbortSignal;
  readonly ask?: Surroundings["ask"];
}

type Found = Exclude<ServerFinding, { readonly kind: "unknown" }>;

interface Looked {
  readonly finding: Promise<Found>;
  /** By `performance.now()`. */
  goodUntil: number;
}

/** A server may be installed, or removed, while a session goes on. */
const goodMs = { found: 60_000, missing: 10_000 } as const;
const probeMs = 30_000;

/** Knows which language servers are installed, and starts none that stays. What was found holds for a while. */
export class ServerFinder {
  readonly #looked = new Map<string, Looked>();

  constructor(private readonly options: ServerFinderOptions) {}

  /** What there is for a document. Never rejects. */
  async find(uri: string): Promise<ServerFinding> {
    const { folder, settings } = this.options;
    const path = pathOfFileUri(uri);
    const definition = path === undefined ? undefined : settings.servers.find((one) => languageIdOf(one, path));
    if (path === undefined || definition === undefined) return { kind: "unknown" };
    const root = projectRoot(path, folder, definition.rootMarkers);
    const key = `${definition.name}\n${root}`;
    const known = this.#looked.get(key);
    if (known && performance.now() < known.goodUntil) return known.finding;
    // Several that ask at once wait for the same look.
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
      return { kind: "missing", reason: `${definition.name} cannot be looked for: ${messageOf(error)}` };
    }
  }
}

/**
 * The folder that a server for `path` works in: the outermost one with a marker, from the file's up to `workspace`, so that
 * members of one project share a server; `workspace` where none has one, or the file stands elsewhere.
 */
export function projectRoot(path: string, workspace: string, markers: readonly string[]): string {
  if (!isInside(path, workspace)) return workspace;
  const isMarked = (folder: string): boolean => markers.some((marker) => existsSync(join(folder, marker)));
  return foldersUp(dirname(path)).findLast((at) => isInside(at, workspace) && isMarked(at)) ?? workspace;
}
