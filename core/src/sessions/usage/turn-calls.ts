import { ownToolOf } from "../../base/acp/mcp-tool-call.js";
import { isToolCallUpdate, updatedToolCall } from "../../base/acp/tool-call.js";
import { asObject, type Members, parsedObject, objectsOf } from "../../base/rpc/json.js";
import { requestedCommand } from "../../base/safety/requested-command.js";
import { mayHaveRun } from "./test-or-build-command.js";

/** Symposium's tools that test, check or build, by server name. */
const ownTools: Readonly<Record<string, ReadonlySet<string>>> = {
  tests: new Set(["run_tests", "check"]),
  cargo: new Set(["cargo_check", "cargo_build", "cargo_test", "cargo_clippy"]),
};
/** Id prefix of tool calls that Symposium creates itself; not counted for the agent. */
const ownCalls = "symposium-";
/** Maximum length of an update that is parsed. Longer updates contain output, and their call is already known. */
const longestUpdate = 256 * 1024;
const mostCalls = 2_000;

interface ToolCall {
  /** First title, which names the tool; a later title may show its command. */
  title: unknown;
  members: Members;
  isRefused: boolean;
}

/** Tests, checks and builds of a turn: the number run with Symposium's tools, and the command lines of other calls. */
interface TurnRuns {
  readonly toolRuns: number;
  readonly commandLines: readonly string[];
}

/** Observes a counted call after each report about it. `members` are the call's members as reported so far. */
export type CallObserver = (id: string, members: Members, isRefused: boolean) => void;

export class TurnCalls {
  readonly #calls = new Map<string, ToolCall>();
  /** Number of calls beyond the maximum that is stored. */
  #others = 0;

  constructor(private readonly observe?: CallObserver) {}

  /** Records a `session/update`; `params` are its parameters as sent. */
  update(params: string): void {
    if (!params.includes('"tool_call') || params.length > longestUpdate) return;
    const update = asObject(parsedObject(params)?.["update"]);
    if (update && isToolCallUpdate(update)) this.#tell(this.#learn(update));
  }

  /** Records the call of a permission request that isn't answered yet: some agents report a call first in that request. */
  asked(params: string): void {
    this.#tell(this.#learn(asObject(parsedObject(params)?.["toolCall"]) ?? {}));
  }

  /** Records a permission request with its result or error, since refused calls don't run. */
  permission(params: string, answer: string): void {
    const request = parsedObject(params);
    const outcome = asObject(parsedObject(answer)?.["outcome"]);
    const chosen = objectsOf(request?.["options"]).find(({ optionId }) => optionId === outcome?.["optionId"]);
    const isRefused = outcome?.["outcome"] !== "selected" || String(chosen?.["kind"]).startsWith("reject");
    // Read the tool call in the permission request, since Qwen names a command only there.
    const call = this.#learn(asObject(request?.["toolCall"]) ?? {});
    if (call) call.isRefused = isRefused;
    this.#tell(call);
  }

  #tell(call: ToolCall | undefined): void {
    const id = call?.members["toolCallId"];
    if (call && typeof id === "string" && this.#calls.has(id)) this.observe?.(id, call.members, call.isRefused);
  }

  #learn(update: Members): ToolCall | undefined {
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

  /** Number of calls, including refused ones. */
  get count(): number {
    return this.#calls.size + this.#others;
  }

  /** Returns the turn's tests, checks and builds, and forgets the turn's calls. */
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

/**
 * Returns whether a call used one of Symposium's tools. Copilot derives a tool's kind from its name, so `run_tests` has the kind of a
 * command; calls with a command line are shell calls.
 */
function isOurTool(members: Members): boolean {
  const isShell = requestedCommand(members["rawInput"]) !== undefined;
  const call = isShell ? members : { ...members, kind: undefined };
  return Object.entries(ownTools).some(([server, names]) => ownToolOf(call, server, names) !== undefined);
}

function isStarted(status: unknown): boolean {
  return status === "in_progress" || status === "completed" || status === "failed";
}

/** Returns a call's command line, or its title if the input lacks one. */
function commandLine(members: Members): string | undefined {
  const { kind, title } = members;
  if (kind !== "execute") return undefined;
  const command = requestedCommand(members["rawInput"])?.text;
  return command ?? (typeof title === "string" ? title.replace(/^`([^`]*)`$/, "$1") : undefined);
}
