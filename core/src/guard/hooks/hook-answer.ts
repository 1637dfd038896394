import { asObject, type Members, parsedObject, stringOf, textOf } from "../../base/rpc/json.js";
import type { HookEvent } from "../../settings/hooks.js";

/** End of a hook's program. */
interface HookExit {
  /** Exit code; absent if the program didn't start, ran too long or wrote too much. */
  readonly code?: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Reason for the failure if there is no exit code. */
  readonly fault?: string;
}

/** Joint answer of the hooks of one event. */
export interface HookAnswer {
  readonly decision?: "allow" | "deny" | "ask";
  /** Reason of the decision. */
  readonly reason?: string;
  /** Texts for the model. */
  readonly context: readonly string[];
  /** Texts for the user. */
  readonly messages: readonly string[];
  /** Reason why the agent should end its turn; present if a hook asked for that. */
  readonly stop?: string;
  /** Why a hook failed. A failed hook decides nothing. */
  readonly failures: readonly string[];
  /** Whether the turn or the session ended before the answer. */
  readonly isCancelled?: true;
}

export const noAnswer: HookAnswer = { context: [], messages: [], failures: [] };
export const cancelledAnswer: HookAnswer = { ...noAnswer, isCancelled: true };

/** Maximum length of a text from a hook, in UTF-16 code units. */
const maxText = 10_000;

/** Reads a hook's exit code and output as Claude Code does. */
export function readAnswer(event: HookEvent, { code, stdout, stderr, fault }: HookExit): HookAnswer {
  if (code === undefined) return failed(fault ?? "it ended without an exit code");
  const output = stdout.trimStart().startsWith("{") ? parsedObject(stdout) : undefined;
  const invalid = output && faultOf(event, output);
  const read = output && invalid === undefined ? readOutput(event, output) : undefined;
  if (code === 2) return blocked(event, read ?? noAnswer, stderr);
  if (invalid !== undefined) return failed(invalid);
  if (read) return read;
  if (code !== 0) return failed(`exit code ${code}: ${stderr.trim().split("\n", 1)[0] ?? ""}`);
  const isContext = event === "SessionStart" || event === "UserPromptSubmit";
  return isContext && stdout.trim() !== "" ? { ...noAnswer, context: [cut(stdout.trim())] } : noAnswer;
}

/** Joins the answers of all hooks of an event. Of several decisions the strictest applies. */
export function joined(answers: readonly HookAnswer[]): HookAnswer {
  const decision = (["deny", "ask", "allow"] as const).find((one) => answers.some((answer) => answer.decision === one));
  const reasons = answers.flatMap((one) => (one.decision === decision && one.reason ? [one.reason] : []));
  const stop = answers.find((one) => one.stop !== undefined)?.stop;
  return {
    ...(decision && { decision }),
    ...(reasons.length > 0 && { reason: reasons.join("\n") }),
    ...(stop !== undefined && { stop }),
    context: answers.flatMap(({ context }) => context),
    messages: answers.flatMap(({ messages }) => messages),
    failures: answers.flatMap(({ failures }) => failures),
    ...(answers.some(({ isCancelled }) => isCancelled) && { isCancelled: true }),
  };
}

function failed(reason: string): HookAnswer {
  return { ...noAnswer, failures: [reason.trim()] };
}

/** Applies exit code 2, which JSON can't override. */
function blocked(event: HookEvent, read: HookAnswer, stderr: string): HookAnswer {
  const reason = cut((read.decision === "deny" ? read.reason : undefined) ?? stderr.trim());
  switch (event) {
    case "PreToolUse":
    case "PermissionRequest":
    case "UserPromptSubmit":
    case "Stop":
    case "SubagentStop":
      return { ...read, decision: "deny", reason };
    case "PostToolUse":
      return reason === "" ? read : { ...read, context: [...read.context, reason] };
    case "SessionStart":
    case "SessionEnd":
      return reason === "" ? read : { ...read, failures: [reason] };
    case "Notification":
      return read;
  }
}

/** Returns why a JSON output is invalid; undefined if valid. */
function faultOf(event: HookEvent, output: Members): string | undefined {
  const { hookSpecificOutput: specific, decision, continue: goesOn } = output;
  const own = asObject(specific);
  if (specific !== undefined && !own) return "hookSpecificOutput isn't an object";
  if (own && own["hookEventName"] !== event) return `hookSpecificOutput.hookEventName isn't "${event}"`;
  if (decision !== undefined && !["approve", "block"].includes(textOf(decision))) return 'decision isn\'t "block"';
  if (goesOn !== undefined && typeof goesOn !== "boolean") return "continue isn't true or false";
  const wanted = own?.["permissionDecision"];
  if (wanted !== undefined && !["allow", "deny", "ask", "defer"].includes(textOf(wanted)))
    return "permissionDecision isn't allow, deny, ask or defer";
  const texts = [output["reason"], output["stopReason"], output["systemMessage"], own?.["additionalContext"]];
  return texts.every((one) => one === undefined || typeof one === "string") ? undefined : "a text isn't a string";
}

function readOutput(event: HookEvent, output: Members): HookAnswer {
  const own = asObject(output["hookSpecificOutput"]) ?? {};
  const [message, context] = [stringOf(output["systemMessage"]), stringOf(own["additionalContext"])];
  const decided = decisionIn(event, output, own);
  const stop = output["continue"] === false ? (stringOf(output["stopReason"]) ?? "") : undefined;
  const isFeedback = event === "PostToolUse" && decided.decision === "deny";
  return {
    ...(!isFeedback && decided),
    ...(stop !== undefined && { stop: cut(stop) }),
    context: [...(isFeedback && decided.reason ? [decided.reason] : []), ...(context ? [cut(context)] : [])],
    messages: message ? [cut(message)] : [],
    failures: [],
  };
}

function decisionIn(event: HookEvent, output: Members, own: Members): Pick<HookAnswer, "decision" | "reason" | "stop"> {
  const { decision, reason } = output;
  if (event === "PermissionRequest") {
    const { behavior, message, updatedInput, interrupt } = asObject(own["decision"]) ?? {};
    if (behavior === "deny") return { decision: "deny", ...reasonOf(message), ...(interrupt === true && { stop: "" }) };
    // No ACP agent takes a changed input, so the user decides about the original one.
    return behavior === "allow" && updatedInput === undefined ? { decision: "allow" } : {};
  }
  const { permissionDecision: wanted, permissionDecisionReason: why, updatedInput } = own;
  if (event === "PreToolUse" && (wanted === "allow" || wanted === "deny" || wanted === "ask")) {
    if (wanted === "deny" || updatedInput === undefined) return { decision: wanted, ...reasonOf(why) };
    return { decision: "ask", reason: "A hook wants to change the input, which this agent doesn't support." };
  }
  if (decision === "block") return { decision: "deny", ...reasonOf(reason) };
  return event === "PreToolUse" && decision === "approve" ? { decision: "allow", ...reasonOf(reason) } : {};
}

function reasonOf(value: unknown): { readonly reason?: string } {
  const text = stringOf(value);
  return text === undefined ? {} : { reason: cut(text) };
}

function cut(text: string): string {
  return text.length <= maxText ? text : `${text.slice(0, maxText)}…`;
}
