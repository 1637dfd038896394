import { randomUUID } from "node:crypto";
import { isAbsolute } from "node:path";
import { canBypass, RequestFailure, RpcError } from "@symposium-dev/core";
import { checkPath, type Watchdog } from "@symposium-dev/core/node";
import * as z from "zod/mini";
import type { AbilityCall, AbilitySession, ClientAbility } from "../../acp/client-abilities.js";
import type { Permissions } from "../permissions/permissions.js";
import { type CommandExit, CommandProcess } from "./command-process.js";
import { LiveOutput, OutputTail } from "./live-output.js";
import type { OutputLogs } from "./output-logs.js";

interface TerminalsOptions {
  readonly permissions: Pick<Permissions, "allows">;
  readonly logs: OutputLogs;
  readonly watchdog: Watchdog;
  env(): NodeJS.ProcessEnv;
  ran(session: AbilitySession, terminalId: string, isOver: boolean): void;
}

interface Terminal {
  readonly session: AbilitySession;
  readonly process: CommandProcess;
  readonly tail: OutputTail;
  exit: CommandExit | undefined;
}

const createParams = z.looseObject({
  command: z.string().check(z.minLength(1)),
  args: z.nullish(z.array(z.string())),
  env: z.nullish(z.array(z.looseObject({ name: z.string(), value: z.string() }))),
  cwd: z.nullish(z.string()),
  outputByteLimit: z.nullish(z.number().check(z.gte(0))),
});
const terminalParams = z.looseObject({ terminalId: z.string() });

/** Default and maximum size of the output stored for an agent. */
const maxOutputBytes = 8 * 1024 * 1024;

/** Command that the user may allow to run outside the session's folders. */
interface FolderQuestion {
  readonly line: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** Whether neither a rule nor a bypass may answer. */
  readonly isUserOnly: boolean;
}

/**
 * Implements `terminal/*`: runs agents' commands through the editor. Output is shown live, stored up to the agent's limit, and logged in
 * full. A command and its descendants are ended when the agent releases it, or its session or the window ends.
 */
export class Terminals implements ClientAbility, AsyncDisposable {
  readonly capabilities = { terminal: true, _meta: { terminal_output: true, terminal_output_delta: true } };
  readonly requests = {
    "terminal/create": (call: AbilityCall): Promise<unknown> => this.#create(call),
    "terminal/output": (call: AbilityCall): Promise<unknown> => this.#output(call),
    "terminal/wait_for_exit": (call: AbilityCall): Promise<unknown> => this.#wait(call),
    "terminal/kill": async (call: AbilityCall): Promise<unknown> => {
      await this.#find(call).process.end();
      return {};
    },
    "terminal/release": async (call: AbilityCall): Promise<unknown> => {
      const terminal = this.#find(call);
      this.#terminals.delete(idOf(call));
      await terminal.process.end();
      return {};
    },
  };
  readonly #terminals = new Map<string, Terminal>();
  /** Commands that are being ended, so that dispose can wait for them. */
  readonly #ending = new Set<Promise<void>>();

  constructor(private readonly options: TerminalsOptions) {}

  async kill(terminalId: string): Promise<void> {
    await this.#terminals.get(terminalId)?.process.end();
  }

  sessionEnded(sessionId: string): void {
    for (const [id, { session, process }] of [...this.#terminals]) {
      if (session.sessionId !== sessionId) continue;
      this.#terminals.delete(id);
      const ending = process.end().finally(() => this.#ending.delete(ending));
      this.#ending.add(ending);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const terminals = [...this.#terminals.values()];
    this.#terminals.clear();
    await Promise.all([...terminals.map(({ process }) => process.end()), ...this.#ending]);
  }

  async #create(call: AbilityCall): Promise<unknown> {
    const { session, signal } = call;
    const parsed = createParams.safeParse(call.params);
    if (!parsed.success) throw new RequestFailure(RpcError.invalidParams("a terminal needs a command"));
    if (!session) throw new RequestFailure(RpcError.invalidParams("the terminal doesn't name an open session"));
    const { command, args, env, outputByteLimit } = parsed.data;
    const line = [command, ...(args ?? [])].join(" ");
    const input = { command, ...(args?.length ? { args } : {}), ...(env?.length ? { env } : {}) };
    const cwd = await this.#folder(
      session,
      parsed.data.cwd ?? undefined,
      { line, input, isUserOnly: !canBypass(call.params) },
      signal,
    );
    const terminalId = randomUUID();
    const tail = new OutputTail(Math.min(outputByteLimit ?? maxOutputBytes, maxOutputBytes));
    const live = new LiveOutput(({ text, reset }) =>
      session.publish({ op: "terminal", terminalId, text, ...(reset ? { isReset: true, ...reset } : {}) }),
    );
    this.options.ran(session, terminalId, false);
    const process = await CommandProcess.start({
      command: { command, args: args ?? [], env: Object.fromEntries((env ?? []).map((e) => [e.name, e.value])), cwd },
      isShellLine: (args ?? []).length === 0,
      env: this.options.env(),
      watchdog: this.options.watchdog,
      output: (text, resume) => {
        if (text === "") return false;
        tail.push(text);
        this.options.logs.append(terminalId, text);
        live.push(text);
        return live.isFull(resume);
      },
    }).catch((error: unknown) => {
      this.options.ran(session, terminalId, true);
      throw new RequestFailure(RpcError.internal(`"${command}" could not be started in ${cwd}: ${String(error)}`));
    });
    const terminal: Terminal = { session, process, tail, exit: undefined };
    this.#terminals.set(terminalId, terminal);
    void process.exited.then((exit) => {
      terminal.exit = exit;
      this.options.ran(session, terminalId, true);
      live.flush();
      session.publish({ op: "terminal", terminalId, text: "", exit });
    });
    // The session may have ended while the command started.
    if (signal.aborted) {
      this.#terminals.delete(terminalId);
      await process.end();
    }
    return { terminalId };
  }

  /** Returns the working folder. A folder outside the session's roots needs the user's permission. */
  async #folder(
    session: AbilitySession,
    named: string | undefined,
    { line, input, isUserOnly }: FolderQuestion,
    signal: AbortSignal,
  ): Promise<string> {
    const [root] = session.roots;
    const cwd = named === undefined || named === "" ? (root ?? "") : named;
    if (!isAbsolute(cwd)) throw new RequestFailure(RpcError.invalidParams(`the folder "${cwd}" is not absolute`));
    const { isInside } = await checkPath(cwd, cwd, session.roots);
    const question = { title: `Run ${line}`, toolKind: "execute", rawInput: { ...input, cwd }, isUserOnly };
    if (!isInside && !(await this.options.permissions.allows(session, question, signal))) {
      const message = `The user didn't allow the agent to run a command in ${cwd}. Nothing was run; this isn't a tool failure.`;
      throw new RequestFailure(RpcError.internal(message));
    }
    return cwd;
  }

  async #wait(call: AbilityCall): Promise<unknown> {
    const { process } = this.#find(call);
    const { signal } = call;
    const aborted = new Promise<never>((_, reject) => {
      const abort = (): void => reject(new RequestFailure(RpcError.cancelled()));
      if (signal.aborted) abort();
      else signal.addEventListener("abort", abort, { once: true });
    });
    return toWire(await Promise.race([process.exited, aborted]));
  }

  // oxlint-disable-next-line typescript/require-await -- what it throws is to become a rejection
  async #output(call: AbilityCall): Promise<unknown> {
    const { tail, exit } = this.#find(call);
    return { ...tail.value, ...(exit ? { exitStatus: toWire(exit) } : {}) };
  }

  #find(call: AbilityCall): Terminal {
    const terminalId = idOf(call);
    const terminal = this.#terminals.get(terminalId);
    if (terminal && terminal.session.sessionId === call.session?.sessionId) return terminal;
    throw new RequestFailure(new RpcError(-32002, `There is no terminal "${terminalId}"; was it released?`));
  }
}

function idOf({ params }: AbilityCall): string {
  const parsed = terminalParams.safeParse(params);
  if (parsed.success) return parsed.data.terminalId;
  throw new RequestFailure(RpcError.invalidParams("the request has no terminalId"));
}

function toWire({ code, signal }: CommandExit): { exitCode: number | null; signal: string | null } {
  return { exitCode: code, signal };
}
