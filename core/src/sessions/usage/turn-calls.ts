import { ownToolOf } from "../../base/acp/own-tool.js";
import { isToolCallUpdate, updatedToolCall } from "../../base/acp/tool-call.js";
import { asObject, type Members, parsedObject, objectsOf } from "../../base/rpc/json.js";
import { requestedCommand } from "../../base/safety/requested-command.js";
import { mayHaveRun } from "./test-or-build-command.js";

/** Tools of ours that test, check or build, by the name of their server. */
const ownTools: Readonly<Record<string, ReadonlySet<string>>> = {
  tests: new Set(["run_tests", "check"]),
  cargo: new Set(["cargo_check", "cargo_build", "cargo_test", "cargo_clippy"]),
};
/** What this program asks, and tells of, in the form of tool calls is none of the agent's. */
const ownCalls = "symposium-";
/** Longer updates carry output: what a call is was said before. */
const longestUpdate = 256 * 1024;
/** Of one turn. */
const mostCalls = 2_000;

interface Call {
  /** The first title, which names the tool. The last one may show its command. */
  title: unknown;
  /** Current members that say what the call is. */
  members: Members;
  isRefused: boolean;
}

/** What the tool calls of a turn ran: through our tools, and the command lines of all others. */
interface TurnRuns {
  readonly toolRuns: number;
  readonly commandLines: readonly string[];
}

/** The tool calls of a turn, as far as it takes to tell what they ran. Agents tell of a call piece by piece. */
export class TurnCalls {
  readonly #calls = new Map<string, Call>();
  /** How many came when there were too many to remember. */
  #others = 0;

  /** `params` of a `session/update`, as it was sent. */
  update(params: string): void {
    if (!params.includes('"tool_call') || params.length > longestUpdate) return;
    const update = asObject(parsedObject(params)?.["update"]);
    if (update && isToolCallUpdate(update)) this.#learn(update);
  }

  /** `params` of a `session/request_permission`, and its result or error: what was refused did not run. */
  permission(params: string, answer: string): void {
    const request = parsedObject(params);
    const outcome = asObject(parsedObject(answer)?.["outcome"]);
    const chosen = objectsOf(request?.["options"]).find(({ optionId }) => optionId === outcome?.["optionId"]);
    const isRefused = outcome?.["outcome"] !== "selected" || String(chosen?.["kind"]).startsWith("reject");
    // Qwen names a command here alone.
    const call = this.#learn(asObject(request?.["toolCall"]) ?? {});
    if (call) call.isRefused = isRefused;
  }

  #learn(update: Members): Call | undefined {
    const { toolCallId: id, kind, title, name, status, rawInput, _meta } = update;
    if (typeof id !== "string" || id.startsWith(ownCalls)) return undefined;
    const known = this.#calls.get(id);
    const call = known ?? { title, members: { toolCallId: id }, isRefused: false };
    if (this.#calls.size < mostCalls) this.#calls.set(id, call);
    else if (!known && update["sessionUpdate"] === "tool_call") this.#others++;
    call.title ??= title;
    call.members = updatedToolCall(call.members, { kind, title, name, status, rawInput, _meta });
    return call;
  }

  /** How many calls there were, refused ones included. */
  get count(): number {
    return this.#calls.size + this.#others;
  }

  /** What has run; forgets all of it. */
  take(): TurnRuns {
    const ran = [...this.#calls.values()].filter(
      ({ members, isRefused }) => !isRefused && isStarted(members["status"]),
    );
    this.#calls.clear();
    this.#others = 0;
    const others = ran.filter(({ title, members }) => !isOurTool({ ...members, title }));
    return {
      toolRuns: ran.length - others.length,
      commandLines: others.flatMap(({ members }) => commandLine(members) ?? []).filter(mayHaveRun),
    };
  }
}

/** Copilot tells a tool's kind by its name: `run_tests` is one that executes. What has a command line is a shell's. */
function isOurTool(members: Members): boolean {
  const isShell = requestedCommand(members["rawInput"]) !== undefined;
  const call = isShell ? members : { ...members, kind: undefined };
  return Object.entries(ownTools).some(([server, names]) => ownToolOf(call, server, names) !== undefined);
}

function isStarted(status: unknown): boolean {
  return status === "in_progress" || status === "completed" || status === "failed";
}

/** What an agent gives its shell; where it does not say it, its title shows it. */
function commandLine(members: Members): string | undefined {
  const { kind, title } = members;
  if (kind !== "execute") return undefined;
  const command = requestedCommand(members["rawInput"])?.text;
  return command ?? (typeof title === "string" ? title.replace(/^`([^`]*)`$/, "$1") : undefined);
}
