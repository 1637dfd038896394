import { homedir } from "node:os";
import { isAbsolute, resolve } from "node:path";
import type { Confined } from "../../../base/node/confinement.js";
import { askProgram } from "../../../base/node/ask-program.js";
import type { Watchdog } from "../../../base/node/orphan-watchdog.js";
import type { Members } from "../../../base/rpc/json.js";
import type { HookEvent, HookHandler, Hooks } from "../../../settings/hooks.js";
import type { ProjectFiles } from "../../../settings/project/node/project-files.js";
import type { ClaudeCall } from "../claude-tools.js";
import { type HookAnswer, joined, noAnswer, readAnswer } from "../hook-answer.js";
import { isSelected, meetsCondition } from "../hook-match.js";
import { HookedSessions, type OpenHooks, type SessionHooks } from "../hooked-session.js";
import type { Proxy } from "../../../conductor/chain/proxy.js";
import { toolHooks } from "../tool-hooks.js";
import { turnHooks } from "../turn-hooks.js";

interface HooksOptions {
  readonly user: Hooks;
  readonly projectFiles: () => Promise<Pick<ProjectFiles, "inspect">>;
  /** Sandbox for a project's hooks, since agents may be able to write their scripts. */
  readonly confined: Confined | undefined;
  readonly watchdog: Watchdog;
  /** Returns the file that the session's conversation is stored in; undefined if it isn't stored. Never rejects. */
  readonly transcriptOf: (sessionId: string, cwd: string) => Promise<string | undefined>;
}

interface Source {
  readonly hooks: Hooks;
  /**
   * Working folder of the hooks, which `CLAUDE_PROJECT_DIR` names: the session's folder, or for a project's hooks the folder against which
   * the approval resolves their files.
   */
  readonly folder: string;
  readonly confined: Confined;
}

const defaultSeconds: Readonly<Partial<Record<HookEvent, number>>> = { UserPromptSubmit: 30, SessionEnd: 1.5 };
const usualSeconds = 600;
/** Maximum number of bytes that a hook may write to each of its outputs. */
const maxBytes = 1024 * 1024;

/** Returns a function that opens the hooks of a session: the user's, and the project's while their content is approved. */
export function openingHooks(options: HooksOptions): OpenHooks {
  return async ({ cwd, runsOwn }) => {
    const files = await options.projectFiles();
    const inspect = () => files.inspect(cwd).catch(() => undefined);
    const of = (hooks: Hooks): Hooks => (runsOwn ? withoutImported(hooks) : hooks);
    const user = of(options.user);
    const known = of((await inspect())?.merged.approved.hooks ?? {});
    const events = new Set([...Object.keys(user), ...Object.keys(known)]);
    if (events.size === 0) return undefined;
    const sources = async (): Promise<readonly Source[]> => {
      const own = { hooks: user, folder: cwd, confined: "hook" as const };
      const project = Object.keys(known).length === 0 ? undefined : await inspect();
      if (project?.state !== "approved") return [own];
      const { folder } = project.place;
      return [own, { hooks: of(project.merged.approved.hooks), folder, confined: options.confined ?? "hook" }];
    };
    return new RunningHooks(options, cwd, events, sources);
  };
}

function withoutImported(hooks: Hooks): Hooks {
  const own = Object.entries(hooks).map(
    ([event, groups]) => [event, groups.filter((one) => !one.importedFrom)] as const,
  );
  return Object.fromEntries(own.filter(([, groups]) => groups.length > 0));
}

class RunningHooks implements SessionHooks {
  readonly #failed = new Set<string>();
  #transcript: string | undefined;

  constructor(
    private readonly options: HooksOptions,
    private readonly cwd: string,
    private readonly events: ReadonlySet<string>,
    private readonly sources: () => Promise<readonly Source[]>,
  ) {}

  has(event: HookEvent): boolean {
    return this.events.has(event);
  }

  absolute(path: string): string {
    return path.startsWith("~/") ? resolve(homedir(), path.slice(2)) : resolve(this.cwd, path);
  }

  async run(
    event: HookEvent,
    { session_id, prompt_id, ...more }: Members & { readonly session_id: string },
    { call, signal, ended, onLate }: Parameters<SessionHooks["run"]>[2],
  ): Promise<HookAnswer> {
    if (!this.has(event)) return noAnswer;
    this.#transcript ??= await this.options.transcriptOf(session_id, this.cwd);
    const input = {
      session_id,
      ...(prompt_id !== undefined && { prompt_id }),
      ...(this.#transcript !== undefined && { transcript_path: this.#transcript }),
      cwd: this.cwd,
      hook_event_name: event,
      ...more,
    };
    const chosen = (await this.sources()).flatMap((source) => this.#chosen(source, event, input, call));
    // A handler that several files contain runs once.
    const distinct = new Map(chosen.map((one) => [JSON.stringify([one.handler, one.source.folder]), one]));
    const answers = [...distinct.values()].map(({ source, handler }) => {
      // SessionEnd has no later time at which a hook could run.
      const isLate = handler.async === true && event !== "SessionEnd";
      const answer = this.#start(source, handler, event, { input, signal: isLate ? ended : signal });
      if (!isLate) return answer;
      void answer.then(onLate);
      return Promise.resolve(noAnswer);
    });
    return joined(await Promise.all(answers));
  }

  #chosen(
    source: Source,
    event: HookEvent,
    input: Members,
    call: ClaudeCall | undefined,
  ): readonly { readonly source: Source; readonly handler: HookHandler }[] {
    return (source.hooks[event] ?? [])
      .filter((group) => isSelected(group, event, input))
      .flatMap(({ hooks }) => hooks)
      .filter((handler) => meetsCondition(handler, call, this.cwd, homedir()))
      .map((handler) => ({ source, handler }));
  }

  async #start(
    { folder, confined }: Source,
    handler: HookHandler,
    event: HookEvent,
    { input, signal }: { readonly input: Members; readonly signal: AbortSignal },
  ): Promise<HookAnswer> {
    const exit = await askProgram(wordsOf(handler, folder), {
      cwd: folder,
      env: process.env,
      given: { CLAUDE_PROJECT_DIR: folder },
      input: `${JSON.stringify(input)}\n`,
      signal,
      timeoutMs: (handler.timeout ?? defaultSeconds[event] ?? usualSeconds) * 1_000,
      maxBytes,
      confined,
      watchdog: this.options.watchdog,
    });
    const answer = signal.aborted ? noAnswer : readAnswer(event, exit);
    if (answer.failures.length === 0) return answer;
    const key = JSON.stringify([event, handler.command, handler.args]);
    const isTold = this.#failed.has(key);
    this.#failed.add(key);
    const name = `The ${event} hook ${JSON.stringify(handler.command.slice(0, 80))} failed`;
    return { ...answer, failures: isTold ? [] : answer.failures.map((reason) => `${name}: ${reason}`) };
  }
}

/** Returns the program and arguments that run a handler: with `args` directly, otherwise in a shell. */
function wordsOf({ command, args, shell }: HookHandler, folder: string): readonly string[] {
  const placed = (text: string): string => text.replaceAll("${CLAUDE_PROJECT_DIR}", () => folder);
  if (args) {
    const program = placed(command);
    return [/[\\/]/.test(program) && !isAbsolute(program) ? resolve(folder, program) : program, ...args.map(placed)];
  }
  const isWindows = process.platform === "win32";
  if (shell === "powershell") {
    const line = command.replaceAll("${CLAUDE_PROJECT_DIR}", "${env:CLAUDE_PROJECT_DIR}");
    return [isWindows ? "powershell" : "pwsh", "-NoProfile", "-Command", line];
  }
  return [shell === "bash" || isWindows ? "bash" : "/bin/sh", "-c", command];
}

export interface ChainHooks {
  /** Raises the events of sessions, prompts and questions. */
  readonly turns: Proxy;
  /** Raises the events of tool calls. */
  readonly tools: Proxy;
}

/** Returns a function that makes the proxies of one chain. */
export function chainHooks(options: HooksOptions): () => ChainHooks {
  const open = openingHooks(options);
  return () => {
    const sessions = new HookedSessions();
    return { turns: turnHooks(sessions, { open }), tools: toolHooks(sessions) };
  };
}
