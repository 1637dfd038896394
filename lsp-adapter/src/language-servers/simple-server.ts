import type { ReadinessSignal } from "../connection/readiness.js";
import { probe, programOnPath } from "./probe.js";
import type { FoundServer, Language, ServerDefinition, Surroundings } from "./server-definition.js";

interface SimpleServerOptions {
  readonly name: string;
  /** Possible start commands, each a program with its arguments; the first command that runs is used. */
  readonly commands: readonly (readonly string[])[];
  /**
   * Arguments that make the program print its version and exit. Absent if the program has no such arguments; then its existence suffices.
   */
  readonly versionArgs?: readonly string[];
  readonly languages: readonly Language[];
  readonly rootMarkers: readonly string[];
  readonly readiness: ReadinessSignal;
  readonly env?: Readonly<Record<string, string>>;
  readonly initializationOptions?: unknown;
  readonly memoryLimitMiB?: number;
  readonly rereadsLate?: boolean;
  settings(surroundings: Surroundings): Readonly<Record<string, unknown>>;
  remedy(platform: NodeJS.Platform): string;
}

/** Defines a server that is one program in PATH or at an absolute path. The folder must be trusted, since the program may run anything. */
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

/** Returns the server; the program's output if it printed no version; or undefined if the program doesn't exist. */
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
