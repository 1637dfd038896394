import { type Command, SymposiumError } from "@symposium-dev/core";
import { startProgram } from "@symposium-dev/core/node";
import type { ChainExtension } from "../settings/extensions-setting.js";
import type { Settings } from "../settings/settings-table.js";

/** Parses an answer; zod's schemas are such parsers. */
interface Parser<T> {
  safeParse(value: unknown): { readonly success: true; readonly data: T } | { readonly success: false };
}

export interface RunOptions {
  readonly signal?: AbortSignal;
  /** Folder to run in; default: that of this process. */
  readonly cwd?: string;
  /** Added to its environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Lines of stderr: progress and warnings, for people. */
  readonly onLine?: (line: string) => void;
}

interface Ended {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

/** Longer than any honest answer of the command, in characters. */
const maxOutput = 32 * 1024 * 1024;

/** Runs subcommands of `symposium-acp-agent` that answer and end, such as `registry list`. */
export class CommandLine {
  /** `command` finds the command at each call, since the setting may change; what it throws, `run` rejects with. */
  constructor(private readonly command: () => Command) {}

  /** What the subcommand printed, as JSON. Rejects with its own words when it fails. */
  async json<T>(args: readonly string[], parser: Parser<T>, options: RunOptions = {}): Promise<T> {
    const output = await this.run(args, options);
    let value: unknown;
    try {
      value = JSON.parse(output);
    } catch {
      value = undefined;
    }
    const parsed = parser.safeParse(value);
    if (parsed.success) return parsed.data;
    throw new SymposiumError(
      "component-start-failed",
      `\`symposium-acp-agent ${args.join(" ")}\` did not answer as expected.`,
      "If the setting symposium.acpAgentPath names another version of the command, clear it.",
    );
  }

  /** What the subcommand printed. Aborting ends it, and rejects with the signal's reason. */
  async run(args: readonly string[], options: RunOptions = {}): Promise<string> {
    const { code, output, errors } = await this.#end(args, options);
    if (code === 0) return output;
    throw new SymposiumError("component-start-failed", wordsOf(errors) || `It ended with code ${code ?? "?"}.`);
  }

  /** What the subcommand printed, also when what it reports is a failure. */
  async report(args: readonly string[], options: RunOptions = {}): Promise<string> {
    const { output, errors } = await this.#end(args, options);
    return output === "" ? errors : output;
  }

  #end(args: readonly string[], { signal, onLine, cwd, env: added }: RunOptions): Promise<Ended> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const { command, args: first, env } = this.command();
      const started = startProgram(
        { command, args: [...first, ...args], env: { ...env, ...added }, ...(cwd !== undefined && { cwd }) },
        { env: process.env, stdio: ["ignore", "pipe", "pipe"], confined: "own program" },
      );
      const fail = (reason: string): void =>
        reject(new SymposiumError("component-start-failed", `"${command}" cannot be started: ${reason}`));
      if ("startError" in started) return fail(started.startError);
      const { child } = started;
      let output = "";
      let errors = "";
      let rest = "";
      child.stdout?.setEncoding("utf8").on("data", (text: string) => {
        if (output.length < maxOutput) output += text;
      });
      child.stderr?.setEncoding("utf8").on("data", (text: string) => {
        errors = (errors + text).slice(-8_000);
        const lines = (rest + text).split(/\r?\n|\r/);
        rest = lines.pop() ?? "";
        for (const line of lines) if (line !== "") onLine?.(line);
      });
      // SIGTERM lets an installation clean up behind itself.
      const onAbort = (): unknown => child.kill("SIGTERM");
      signal?.addEventListener("abort", onAbort, { once: true });
      child.on("error", (error) => {
        signal?.removeEventListener("abort", onAbort);
        fail(error.message);
      });
      child.on("close", (code) => {
        signal?.removeEventListener("abort", onAbort);
        if (signal?.aborted === true) reject(signal.reason instanceof Error ? signal.reason : new Error("Cancelled"));
        else resolve({ code, output: output.trim(), errors });
      });
    });
  }
}

/** The last thing a failing command said, without its own name before it. */
function wordsOf(errors: string): string {
  const lines = errors.trim().split(/\r?\n/);
  return lines
    .slice(-3)
    .join("\n")
    .replace(/^symposium-acp-agent: /gm, "");
}

/** What the settings say of every chain, as texts and words of the command line. */
interface ChainWords {
  /** The extensions that take part, in their order. */
  readonly proxies: readonly string[];
  readonly logging: readonly string[];
}

/** The words that vouch for folders, so that the command does not ask a second time what the editor has asked. */
export function trustWords(folders: readonly string[]): readonly string[] {
  return folders.toSorted().flatMap((folder) => ["--trusted-folder", folder]);
}

/** What was installed from a description starts by its id. */
function installedSpec({ id, entry: { options } }: ChainExtension): string {
  return options === undefined ? id : JSON.stringify({ id, options });
}

export function chainWords({ extensions, agentLogLevel, logLevel, traceDir }: Settings): ChainWords {
  return {
    proxies: extensions
      .filter(({ isEnabled }) => isEnabled)
      .map((extension) => (extension.needsInstallation ? installedSpec(extension) : extension.spec)),
    logging: [
      ...["--log", agentLogLevel === "" ? logLevel : agentLogLevel],
      ...(traceDir === "" ? [] : ["--trace-dir", traceDir]),
    ],
  };
}
