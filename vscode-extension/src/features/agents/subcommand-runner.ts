import * as l10n from "@vscode/l10n";
import { type Command, SymposiumError } from "@symposium-dev/core";
import { startProgram } from "@symposium-dev/core/node";
import type { ChainExtension } from "../settings/extensions-setting.js";
import type { Settings } from "../settings/settings-table.js";

interface Parser<T> {
  safeParse(value: unknown): { readonly success: true; readonly data: T } | { readonly success: false };
}

export interface RunOptions {
  readonly signal?: AbortSignal;
  /** Working folder; default: that of this process. */
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly onLine?: (line: string) => void;
}

interface Ended {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

/** Maximum output in characters, larger than any legitimate output. */
const maxOutput = 32 * 1024 * 1024;

export class SubcommandRunner {
  /** `command` is resolved on each call, since the setting may change. If `command` throws, `run` rejects with that error. */
  constructor(private readonly command: () => Command) {}

  /** Returns the subcommand's output, parsed as JSON. Rejects with the command's error message on failure. */
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
      l10n.t("`symposium-acp-agent {0}` returned an unexpected answer.", args.join(" ")),
      l10n.t("If the setting symposium.acpAgentPath points to another version of the command, clear it."),
    );
  }

  /** Returns the subcommand's output. Aborting stops the subcommand and rejects with the signal's reason. */
  async run(args: readonly string[], options: RunOptions = {}): Promise<string> {
    const { code, output, errors } = await this.#end(args, options);
    if (code === 0) return output;
    throw new SymposiumError(
      "component-start-failed",
      wordsOf(errors) || l10n.t("It exited with code {0}.", code ?? "?"),
    );
  }

  /** Returns the subcommand's output, even if it exits with a failure. */
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
        reject(new SymposiumError("component-start-failed", l10n.t('Couldn\'t start "{0}": {1}', command, reason)));
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
      // Send SIGTERM, so that an installation can clean up.
      const onAbort = (): unknown => child.kill("SIGTERM");
      signal?.addEventListener("abort", onAbort, { once: true });
      child.on("error", (error) => {
        signal?.removeEventListener("abort", onAbort);
        fail(error.message);
      });
      child.on("close", (code) => {
        signal?.removeEventListener("abort", onAbort);
        if (signal?.aborted === true)
          reject(signal.reason instanceof Error ? signal.reason : new Error(l10n.t("Cancelled")));
        else resolve({ code, output: output.trim(), errors });
      });
    });
  }
}

/** Returns the last error message of a failed command, without the command's name. */
function wordsOf(errors: string): string {
  const lines = errors.trim().split(/\r?\n/);
  return lines
    .slice(-3)
    .join("\n")
    .replace(/^symposium-acp-agent: /gm, "");
}

interface ChainWords {
  readonly proxies: readonly string[];
  readonly logging: readonly string[];
}

/** Returns the arguments that mark folders as trusted, so that the command doesn't repeat the editor's question. */
export function trustWords(folders: readonly string[]): readonly string[] {
  return folders.toSorted().flatMap((folder) => ["--trusted-folder", folder]);
}

/** An extension that was installed from a description is started by its id. */
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
