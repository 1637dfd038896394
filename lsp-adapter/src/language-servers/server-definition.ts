import { trustRemedy } from "@symposium-dev/core";
import { minimalEnvironment } from "@symposium-dev/core/node";
import type { Launch } from "../connection/language-server.js";
import type { ProbeOptions } from "./probe.js";

export interface Language {
  /** LSP's identifier, such as `typescriptreact`. */
  readonly id: string;
  /** File name suffixes with the dot. */
  readonly extensions: readonly string[];
}

export interface Surroundings {
  readonly root: string;
  /** The session's folder, which agents can write: {@link root} or a parent. */
  readonly folder: string;
  /** Whether programs and settings of the folder may be used. */
  readonly isTrusted: boolean;
  readonly env: NodeJS.ProcessEnv;
  readonly platform: NodeJS.Platform;
  readonly signal: AbortSignal;
  /** Runs programs elsewhere, for example in a sandbox; by default, they run on this machine without a sandbox. */
  readonly ask?: ProbeOptions["ask"];
}

export type FoundServer =
  | { readonly kind: "found"; readonly launch: Launch; readonly version: string }
  | { readonly kind: "missing"; readonly detail: string; readonly remedy: string };

export interface ServerDefinition {
  /** Unique name of the server. A server that the user defines replaces the known server of the same name. */
  readonly name: string;
  readonly languages: readonly Language[];
  /** Names of files whose presence marks a folder as a project. */
  readonly rootMarkers: readonly string[];
  /** Memory limit of the process tree in MiB; the server is ended above it. */
  readonly memoryLimitMiB?: number;
  /** Whether the server may run the project's code or programs that its files name, so that the folder must be trusted. */
  readonly runsProject: boolean;
  /** Finds the program and verifies that it runs; leaves no process. */
  readonly find: (surroundings: Surroundings) => Promise<FoundServer>;
}

/** Finds a language server. In an untrusted folder, finds only servers that run none of the folder's code. */
export async function findServer(definition: ServerDefinition, surroundings: Surroundings): Promise<FoundServer> {
  const { root, isTrusted } = surroundings;
  const env = environmentIn(surroundings);
  if (isTrusted || !definition.runsProject) return definition.find({ ...surroundings, env });
  const detail = `${definition.name} can run project code, and ${root} isn't trusted`;
  return { kind: "missing", detail, remedy: trustRemedy(root) };
}

/** Returns a language server's environment; in an untrusted folder, its PATH contains no program of the folder. */
export function environmentIn({ env, isTrusted, root, folder }: Surroundings): NodeJS.ProcessEnv {
  return isTrusted ? env : minimalEnvironment(env, { notFrom: [root, folder] });
}

/** Returns a file's language by its name; undefined if the server doesn't support it. */
export function languageIdOf(definition: ServerDefinition, path: string): string | undefined {
  return definition.languages[languageRank(definition, path) ?? -1]?.id;
}

/** Returns the position of a file's language in the definition, which lists the most important language first; undefined if unsupported. */
export function languageRank({ languages }: ServerDefinition, path: string): number | undefined {
  const name = path.toLowerCase();
  const rank = languages.findIndex(({ extensions }) => extensions.some((extension) => name.endsWith(extension)));
  return rank < 0 ? undefined : rank;
}
