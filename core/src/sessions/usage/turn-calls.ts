import { ownToolOf } from "../../base/acp/own-tool.js";
import { asObject, type Members, parsedObject } from "../../base/rpc/json.js";
import { requestedCommand } from "../../base/safety/requested-command.js";
import { mayHaveRun } from "./run-command.js";

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
  /** The first member of each name that says something. */
  members: Members;
  status: unknown;
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
    if (update && /^tool_call(?:_update)?$/.test(String(update["sessionUpdate"]))) this.#learn(update);
  }

  /** `params` of a `session/request_permission`, and its result or error: what was refused did not run. */
  permission(params: string, answer: string): void {
    const request = parsedObject(params);
    const outcome = asObject(parsedObject(answer)?.["outcome"]);
    const options = Array.isArray(request?.["options"]) ? request["options"].map(asObject) : [];
    const chosen = options.find((option) => option?.["optionId"] === outcome?.["optionId"]);
    const isRefused = outcome?.["outcome"] !== "selected" || String(chosen?.["kind"]).startsWith("reject");
    // Qwen names a command here alone.
    const call = this.#learn(asObject(request?.["toolCall"]) ?? {});
    if (call) call.isRefused = isRefused;
  }

  #learn(told: Members): Call | undefined {
    const { toolCallId: id, status } = told;
    if (typeof id !== "string" || id.startsWith(ownCalls)) return undefined;
    const known = this.#calls.get(id);
    const call = known ?? { members: { toolCallId: id }, status: undefined, isRefused: false };
    if (this.#calls.size < mostCalls) this.#calls.set(id, call);
    else if (!known && told["sessionUpdate"] === "tool_call") this.#others++;
    call.members = merged(call.members, told);
    call.status = status ?? call.status;
    return call;
  }

  /** How many calls there were, refused ones included. */
  get count(): number {
    return this.#calls.size + this.#others;
  }

  /** What has run; forgets all of it. */
  take(): TurnRuns {
    const ran = [...this.#calls.values()].filter(({ status, isRefused }) => !isRefused && isStarted(status));
    this.#calls.clear();
    this.#others = 0;
    const others = ran.filter(({ members }) => !isOurTool(members));
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

/**
 * The members that say what a call is. The first title names the tool, the last one may show its command; of the input the
 * last one is whole, since some agents begin with an empty one.
 */
function merged(before: Members, { kind, title, name, _meta, rawInput }: Members): Members {
  const input = asObject(rawInput);
  return {
    ...(title !== undefined && { title, name }),
    ...before,
    ...(typeof kind === "string" && { kind }),
    ...(title !== undefined && { lastTitle: title }),
    _meta: { ...asObject(before["_meta"]), ...asObject(_meta) },
    ...(input && Object.keys(input).length > 0 && { rawInput: input }),
  };
}

/** What an agent gives its shell; where it does not say it, its title shows it. */
function commandLine(members: Members): string | undefined {
  const { kind, lastTitle } = members;
  if (kind !== "execute") return undefined;
  const command = requestedCommand(members["rawInput"])?.text;
  return command ?? (typeof lastTitle === "string" ? lastTitle.replace(/^`([^`]*)`$/, "$1") : undefined);
}
