import type { ReadinessSignal } from "../connection/readiness.js";
import { probe, programOnPath } from "./probe.js";
import type { FoundServer, Language, ServerDefinition, Surroundings } from "./server-definition.js";

/** A server that is one program on PATH. */
interface SimpleServerOptions {
  readonly name: string;
  /** Program and arguments; the first one that runs is taken. */
  readonly commands: readonly (readonly string[])[];
  /** What makes the program print its version and end; absent where it cannot, then it is enough that it is there. */
  readonly versionArgs?: readonly string[];
  readonly languages: readonly Language[];
  readonly rootMarkers: readonly string[];
  readonly readiness: ReadinessSignal;
  readonly env?: Readonly<Record<string, string>>;
  readonly initializationOptions?: unknown;
  readonly memoryLimitMiB?: number;
  readonly rereadsLate?: boolean;
  settings(surroundings: Surroundings): Readonly<Record<string, unknown>>;
  /** A sentence that says how it is installed. */
  remedy(platform: NodeJS.Platform): string;
}

/** A definition for a server that is one program on PATH, or at an absolute path. Nobody knows what it runs, so the folder has to be trusted. */
export function simpleServer(options: SimpleServerOptions): ServerDefinition {
  const { name, languages, rootMarkers, memoryLimitMiB } = options;
  return {
    name,
    languages,
    rootMarkers,
    runsProject: true,
    ...(memoryLimitMiB !== undefined && { memoryLimitMiB }),
    async find(surroundings) {
      const complaints: string[] = [];
      for (const [program = "", ...args] of options.commands) {
        const found = await tryProgram(options, program, args, surroundings);
        if (typeof found === "object") return found;
        if (found !== undefined) complaints.push(found);
      }
      const detail = complaints[0] ?? `${options.commands[0]?.[0] ?? name} is not on PATH`;
      return { kind: "missing", detail, remedy: options.remedy(surroundings.platform) };
    },
  };
}

/** The server, what the program says instead of its version, or undefined where there is no such program. */
async function tryProgram(
  options: SimpleServerOptions,
  program: string,
  args: readonly string[],
  surroundings: Surroundings,
): Promise<FoundServer | string | undefined> {
  const { root, env, signal, ask } = surroundings;
  const command = programOnPath(program, env);
  if (command === undefined) return undefined;
  const { versionArgs } = options;
  const asked =
    versionArgs &&
    (await probe([command, ...versionArgs], { cwd: root, env: { ...env, ...options.env }, signal, ask }));
  if (asked?.isOk === false) return `${command} does not run: ${asked.line}`;
  return {
    kind: "found",
    version: asked?.line ?? command,
    launch: {
      name: options.name,
      command,
      args,
      env: options.env ?? {},
      ...(options.initializationOptions !== undefined && { initializationOptions: options.initializationOptions }),
      settings: options.settings(surroundings),
      readiness: options.readiness,
      ...(options.rereadsLate === true && { rereadsLate: true }),
    },
  };
}
