import type { Peer, Cancel, Reply } from "../../base/rpc/peer.js";
import { asObject, Json, textOf } from "../../base/rpc/json.js";
import { withMember } from "../../base/rpc/json-edit.js";
import { Outcome, Request } from "../../base/rpc/message.js";
import { sessionIdOf } from "../../base/acp/session-message.js";
import type { RunLog, RunStore } from "../runs/run-store.js";

/** A terminal command of an agent that may run tests. */
interface TerminalRun {
  readonly sessionId: string;
  /** Maximum output bytes that the agent asked for, if any. */
  readonly limit: number | undefined;
  /** Whether the agent has already received raw output. If so, later output must continue it. */
  wasRead: boolean;
  /**
   * Report for an output of `length` characters of a command that ended. `text` resolves with undefined if the agent should get the output
   * instead of a report.
   */
  report?: { readonly length: number; readonly text: Promise<string | undefined> };
}

interface TerminalRunsOptions {
  /** The connection to the editor, which runs the commands. */
  readonly client: Peer;
  readonly store: RunStore;
  readonly createLog: () => Promise<RunLog>;
  /** Whether the agent can read stored output page by page in this session. */
  readonly canPage: (sessionId: string) => boolean;
}

/** Number of output bytes that the editor is asked to keep, so that a whole test run is available. */
const wholeRun = 4 * 1024 * 1024;

const runs =
  /(?:^|[\s/;&|'"(])(?:npm|pnpm|yarn|bunx?|npx|vitest|jest|mocha|playwright|node|pytest|py\.test|python[\d.]*|uvx?|tox|nox|poetry|pipenv|pdm|hatch|make|just|task|go|gotestsum|mvnw?|turbo|nx|lerna)(?:$|[\s;&|'"):])/;
const shows = /(?:^|[;&|('"]\s*)(?:cat|less|more|head|tail|grep|rg|sed|awk|diff|git)\b/;

/** Whether a command line may run tests. False for commands that show files or filter output, since their exact output is wanted. */
export function mayRunTests(commandLine: string): boolean {
  return runs.test(commandLine) && !shows.test(commandLine);
}

/**
 * Replaces the output of test runs in editor terminals (`terminal/*`) by a report after the command has ended. Only the agent gets the
 * report: the editor shows the output, and the store has all of it.
 */
export class TerminalTestReports {
  readonly #runs = new Map<string, TerminalRun>();

  constructor(private readonly options: TerminalRunsOptions) {}

  create(request: Request, reply: Reply): Cancel | undefined {
    const { client, canPage } = this.options;
    const params = request.params?.object ?? {};
    const sessionId = sessionIdOf(request.params);
    const { command, args, outputByteLimit } = params;
    const line = [command, ...(Array.isArray(args) ? (args as readonly unknown[]) : [])].join(" ");
    if (sessionId === undefined || !mayRunTests(line) || !canPage(sessionId)) return client.request(request, reply);
    const limit = typeof outputByteLimit === "number" ? outputByteLimit : undefined;
    return client.request(limit === undefined ? request : withLimit(request, Math.max(limit, wholeRun)), (outcome) => {
      const id = outcome.isError ? undefined : outcome.json.object?.["terminalId"];
      if (typeof id === "string") this.#runs.set(id, { sessionId, limit, wasRead: false });
      reply(outcome);
    });
  }

  output(request: Request, reply: Reply): Cancel | undefined {
    const { client } = this.options;
    const run = this.#runs.get(terminalOf(request));
    if (!run) return client.request(request, reply);
    return client.request(request, (outcome) => {
      void this.#answer(run, outcome).then(reply);
    });
  }

  release(request: Request, reply: Reply): Cancel | undefined {
    this.#runs.delete(terminalOf(request));
    return this.options.client.request(request, reply);
  }

  /** Forgets the terminals that the session hasn't released. */
  end(sessionId: string | undefined): void {
    for (const [id, run] of this.#runs) if (run.sessionId === sessionId) this.#runs.delete(id);
  }

  /** Returns the response for the agent, with a report instead of the output if there is one. Never rejects. */
  async #answer(run: TerminalRun, outcome: Outcome): Promise<Outcome> {
    const { output, truncated, exitStatus } = (outcome.isError ? undefined : outcome.json.object) ?? {};
    if (typeof output !== "string") return outcome;
    const exit = asObject(exitStatus);
    if (exit !== undefined && !run.wasRead && truncated !== true) {
      const code = exit["exitCode"];
      // Check the length again, since programs that the command left running may still write output.
      if (run.report?.length !== output.length) {
        const text = this.#report(output, typeof code === "number" ? code : null).catch(() => undefined);
        run.report = { length: output.length, text };
      }
      const report = await run.report.text;
      if (report !== undefined && fits(report, run.limit)) return withOutput(outcome, report, false);
    }
    run.wasRead ||= output !== "";
    return fits(output, run.limit) ? outcome : withOutput(outcome, lastBytes(output, run.limit ?? 0), true);
  }

  async #report(output: string, exitCode: number | null): Promise<string | undefined> {
    const { condensedRun } = await import("../runs/condensed-run.js");
    const found = condensedRun(output, exitCode);
    if (!found) return undefined;
    const { store, createLog } = this.options;
    const { log, handle } = await store.add(await createLog());
    log.append(output);
    // Wait until the complete output is stored before the agent gets the shortened output.
    await log.read(0, 0);
    return `${found.verdict} [${handle}: the tool output has all of it]\n${found.lines.map((line) => `${line}\n`).join("")}`;
  }
}

function terminalOf({ params }: Request): string {
  const id = params?.object?.["terminalId"];
  return textOf(id);
}

function withLimit(request: Request, bytes: number): Request {
  return new Request(request.method, withMember(request.params ?? Json.of({}), ["outputByteLimit"], Json.of(bytes)));
}

function withOutput(outcome: Outcome, output: string, truncated: boolean): Outcome {
  const changed = withMember(outcome.json, ["output"], Json.of(output));
  return Outcome.result(withMember(changed, ["truncated"], Json.of(truncated)));
}

function fits(text: string, limit: number | undefined): boolean {
  return limit === undefined || text.length * 3 <= limit || lastBytes(text, limit).length === text.length;
}

/** Returns the end of a text in at most `limit` UTF-8 bytes. The result starts with a complete character. */
function lastBytes(text: string, limit: number): string {
  let [at, bytes] = [text.length, 0];
  while (at > 0) {
    const code = text.charCodeAt(at - 1);
    const isPair = code >= 0xdc00 && code < 0xe000 && text.charCodeAt(at - 2) >> 10 === 0xd800 >> 10;
    bytes += isPair ? 4 : code < 0x80 ? 1 : code < 0x800 ? 2 : 3;
    if (bytes > limit) break;
    at -= isPair ? 2 : 1;
  }
  return text.slice(at);
}
