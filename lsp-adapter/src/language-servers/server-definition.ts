import { trustRemedy } from "@symposium-dev/core";
import { minimalEnvironment } from "@symposium-dev/core/node";
import type { Launch } from "../connection/language-server.js";
import type { ProbeOptions } from "./probe.js";

/** A language as LSP names it, and the file names that belong to it. */
export interface Language {
  /** LSP's identifier, such as `typescriptreact`. */
  readonly id: string;
  /** Endings of file names, with their dot. */
  readonly extensions: readonly string[];
}

/** What a definition may look at to find its server. */
export interface Surroundings {
  /** The folder the server will work in. */
  readonly root: string;
  /** The folder of the session, where agents write: {@link root} or one around it. */
  readonly folder: string;
  /** Whether the user lets programs and settings of this folder be used. */
  readonly isTrusted: boolean;
  readonly env: NodeJS.ProcessEnv;
  readonly platform: NodeJS.Platform;
  readonly signal: AbortSignal;
  /** Asks programs elsewhere, as in a sandbox; here when absent. */
  readonly ask?: ProbeOptions["ask"];
}

/** A server that can be started, or what to do so that it can be. */
export type FoundServer =
  | { readonly kind: "found"; readonly launch: Launch; readonly version: string }
  | { readonly kind: "missing"; readonly detail: string; readonly remedy: string };

/** One language server that the adapter knows, or that the user has configured. */
export interface ServerDefinition {
  /** Unique; a user's server with the name of a known one takes its place. */
  readonly name: string;
  readonly languages: readonly Language[];
  /** Names of files that stand in the folder of a project. */
  readonly rootMarkers: readonly string[];
  /** Mebibytes of its whole process tree, above which it is ended. */
  readonly memoryLimitMiB?: number;
  /** Whether it can run code of the project, or programs that its files name: then the folder has to be trusted. */
  readonly runsProject: boolean;
  /** Looks for the program and makes sure that it runs; starts nothing that stays. */
  readonly find: (surroundings: Surroundings) => Promise<FoundServer>;
}

/** Looks for the server; in a folder that is not trusted only for one that runs nothing of it. */
export async function findServer(definition: ServerDefinition, surroundings: Surroundings): Promise<FoundServer> {
  const { root, isTrusted } = surroundings;
  const env = environmentIn(surroundings);
  if (isTrusted || !definition.runsProject) return definition.find({ ...surroundings, env });
  const detail = `${definition.name} can run code of the project, and ${root} is not trusted`;
  return { kind: "missing", detail, remedy: trustRemedy(root) };
}

/** The environment of a language server, which finds no program in a folder that is not trusted. */
export function environmentIn({ env, isTrusted, root, folder }: Surroundings): NodeJS.ProcessEnv {
  return isTrusted ? env : minimalEnvironment(env, { notFrom: [root, folder] });
}

/** The language of a file, by its name; undefined where the server does not know it. */
export function languageIdOf(definition: ServerDefinition, path: string): string | undefined {
  return definition.languages[languageRank(definition, path) ?? -1]?.id;
}

/** Which of the definition's languages a file is of, counted from the one that matters most. */
export function languageRank({ languages }: ServerDefinition, path: string): number | undefined {
  const name = path.toLowerCase();
  const rank = languages.findIndex(({ extensions }) => extensions.some((extension) => name.endsWith(extension)));
  return rank < 0 ? undefined : rank;
}
