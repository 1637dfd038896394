import { ownToolOf } from "../acp/own-tool.js";
import { asObject, parsedObject } from "../rpc/json.js";
import { mayHaveRun } from "./run-command.js";

type Members = Readonly<Record<string, unknown>>;

/** Tools of ours that test, check or build, by the name of their server. */
const ownTools: Readonly<Record<string, ReadonlySet<string>>> = {
  tests: new Set(["run_tests", "check"]),
  cargo: new Set(["cargo_check", "cargo_build", "cargo_test", "cargo_clippy"]),
};
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

  /** `params` of a `session/update`, as it was sent. */
  update(params: string): void {
    if (!params.includes('"tool_call') || params.length > longestUpdate) return;
    const update = asObject(parsedObject(params)?.["update"]);
    const id = update?.["toolCallId"];
    if (typeof id !== "string" || !/^tool_call(?:_update)?$/.test(String(update?.["sessionUpdate"]))) return;
    const call = this.#calls.get(id) ?? { members: { toolCallId: id }, status: undefined, isRefused: false };
    if (this.#calls.size < mostCalls) this.#calls.set(id, call);
    call.members = merged(call.members, update ?? {});
    call.status = update?.["status"] ?? call.status;
  }

  /** `params` of a `session/request_permission`, and its result or error: what was refused did not run. */
  permission(params: string, answer: string): void {
    const request = parsedObject(params);
    const { toolCallId } = asObject(request?.["toolCall"]) ?? {};
    const outcome = asObject(parsedObject(answer)?.["outcome"]);
    const options = Array.isArray(request?.["options"]) ? request["options"].map(asObject) : [];
    const chosen = options.find((option) => option?.["optionId"] === outcome?.["optionId"]);
    const isRefused = outcome?.["outcome"] !== "selected" || String(chosen?.["kind"]).startsWith("reject");
    const call = typeof toolCallId === "string" ? this.#calls.get(toolCallId) : undefined;
    if (call) call.isRefused = isRefused;
  }

  /** What has run; forgets all of it. */
  take(): TurnRuns {
    const ran = [...this.#calls.values()].filter(({ status, isRefused }) => !isRefused && isStarted(status));
    this.#calls.clear();
    const isOurs = (one: Members): boolean =>
      Object.entries(ownTools).some(([server, names]) => ownToolOf(one, server, names) !== undefined);
    const others = ran.filter(({ members }) => !isOurs(members));
    return {
      toolRuns: ran.length - others.length,
      commandLines: others.flatMap(({ members }) => commandLine(members) ?? []).filter(mayHaveRun),
    };
  }
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

/** What an agent gives its shell: a line, or words; where it does not say it, its title shows it. */
function commandLine({ kind, rawInput, lastTitle }: Members): string | undefined {
  if (kind !== "execute") return undefined;
  const { command, cmd } = asObject(rawInput) ?? {};
  for (const one of [command, cmd]) {
    if (typeof one === "string") return one;
    if (Array.isArray(one)) return one.map((word) => quoted(String(word))).join(" ");
  }
  return typeof lastTitle === "string" ? lastTitle.replace(/^`([^`]*)`$/, "$1") : undefined;
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
