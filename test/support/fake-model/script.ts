import type { JsonObject } from "../json.js";
import type { ModelReply, ModelRequest, OfferedTool, ReportedResult } from "./model-request.js";
import { argumentsFor, neutralValue, type ArgumentValues } from "./tool-arguments.js";

/** One thing the model does in a conversation. */
export type ScriptStep =
  | { readonly tool: RegExp; readonly values: ArgumentValues; readonly arguments: JsonObject | undefined }
  | { readonly parallel: readonly ScriptStep[] }
  | { readonly chunks: readonly string[] }
  | { readonly repeated: ScriptStep; readonly until: RegExp; readonly times: number }
  | { readonly offered: RegExp; readonly then: ScriptStep; readonly otherwise: ScriptStep }
  | "talk-until-cancelled";

/** Names that the known agents give to the tools every coding agent has. */
export const toolNames = {
  write: /^(write|write_file|create|create_file)$/i,
  command: /^(bash|shell|run_shell_command|exec_command|execute_command)$/i,
  read: /^(read|read_file|view)$/i,
} as const;

/** Calls the first offered tool whose name matches, with arguments made from its schema and `values`. */
export function callTool(tool: RegExp, values: ArgumentValues = {}): ScriptStep {
  return { tool, values, arguments: undefined };
}

/** Calls the first offered tool whose name matches, with exactly these arguments. */
export function callToolWith(tool: RegExp, args: JsonObject): ScriptStep {
  return { tool, values: {}, arguments: args };
}

/** Makes these calls at once, in one answer. */
export function callTools(...parallel: readonly ScriptStep[]): ScriptStep {
  return { parallel };
}

/** Answers with text, one piece of the stream for each chunk. */
export function say(...chunks: readonly string[]): ScriptStep {
  return { chunks };
}

/** Goes by whether a tool whose name matches is offered, so that one script plays the models of different sessions. */
export function whenOffered(offered: RegExp, then: ScriptStep, otherwise: ScriptStep): ScriptStep {
  return { offered, then, otherwise };
}

/** Makes the same call until its result matches, but no more than `times`: for what takes a while to be ready. */
export function repeatUntil(until: RegExp, repeated: ScriptStep, times = 8): ScriptStep {
  return { repeated, until, times };
}

/** Streams words until the agent closes the request, so that a test can cancel in the middle of a stream. */
export const talkUntilCancelled: ScriptStep = "talk-until-cancelled";

/** Text in each piece that `talkUntilCancelled` streams. */
export const streamedWord = "word";

/**
 * Returns the reply to `request` of a model that follows `script`. The conversation itself determines the current step: each tool result
 * advances it by one, unless the step is to be repeated. The last step repeats. Requests outside of the conversation (titles, routing)
 * offer no tools and get a short text, or JSON if they ask for it.
 */
export function replyTo(request: ModelRequest, script: readonly ScriptStep[]): ModelReply {
  if (request.answerSchema) return sayJson(neutralValue("answer", request.answerSchema));
  const step = stepAfter(request.toolResults, script);
  if (request.tools.length === 0 || step === undefined) return { kind: "say", chunks: ["A short answer"] };
  return replyOf(step, request);
}

function stepAfter(results: readonly ReportedResult[], script: readonly ScriptStep[]): ScriptStep | undefined {
  let done = 0;
  for (const step of script) {
    done += resultsOf(step, results.slice(done));
    if (done > results.length) return step;
  }
  return script.at(-1);
}

/** How many of the results that follow belong to a step; one more than there are while it goes on. */
function resultsOf(step: ScriptStep, results: readonly ReportedResult[]): number {
  if (step === "talk-until-cancelled") return 1;
  if ("parallel" in step) return step.parallel.length;
  if (!("repeated" in step)) return 1;
  const last = results.slice(0, step.times).findIndex(({ text }) => step.until.test(text));
  return last === -1 ? Math.min(results.length + 1, step.times) : last + 1;
}

function replyOf(step: ScriptStep, request: ModelRequest): ModelReply {
  if (step === "talk-until-cancelled") return { kind: "talk-until-cancelled" };
  if ("repeated" in step) return replyOf(step.repeated, request);
  if ("parallel" in step) {
    const replies = step.parallel.map((part) => replyOf(part, request));
    const calls = replies.flatMap((reply) => (reply.kind === "call" ? reply.calls : []));
    const [failed] = replies.filter(({ kind }) => kind !== "call");
    return failed ?? { kind: "call", calls };
  }
  if ("chunks" in step) return { kind: "say", chunks: step.chunks };
  if ("offered" in step) {
    const isOffered = request.tools.some((tool) => isNamed(tool, step.offered));
    return replyOf(isOffered ? step.then : step.otherwise, request);
  }
  const tool = request.tools.find((tool) => isNamed(tool, step.tool));
  if (!tool) return { kind: "say", chunks: [`No tool matches ${String(step.tool)}`] };
  return { kind: "call", calls: [{ tool, arguments: step.arguments ?? argumentsFor(tool, step.values) }] };
}

/** Codex names the server of a tool in its namespace, other agents in the tool's name. */
function isNamed({ namespace = "", name }: OfferedTool, pattern: RegExp): boolean {
  return pattern.test(name) || pattern.test(namespace + name);
}

function sayJson(value: unknown): ModelReply {
  return { kind: "say", chunks: [JSON.stringify(value)] };
}
