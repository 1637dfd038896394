import { canBypass } from "../base/acp/must-ask.js";
import { asObject, type Members, objectsOf } from "../base/rpc/json.js";
import { type Cancel, nothingToCancel } from "../base/rpc/peer.js";
import { textOfResult } from "./conversation-message.js";
import type { CallOutcome, SessionTurns } from "./session-turns.js";

/**
 * Policy for the agent's permission requests, except for the client's tools. `deny`: refuse all. `allow-reads`: allow read and search.
 * `ask`: ask the user each time. `client-tools`: refuse all, since the agent should use the client's tools.
 */
export type PermissionPolicy = "deny" | "allow-reads" | "ask" | "client-tools";

interface AgentAction {
  readonly title: string;
  readonly kind?: string;
  readonly raw_input?: unknown;
}

type PermissionOutcome = "allow" | "reject" | "cancelled";

/** Asks the user through the client's interface instead of a tool. The returned function withdraws the question. */
export type AskUser = (action: AgentAction, answer: (outcome: PermissionOutcome) => void) => Cancel;

interface PermissionSetting {
  readonly policy: PermissionPolicy;
  /** The client's tool for asking the user, if any. */
  readonly tool: string | undefined;
  /** Undefined while no request is running through which the user can be asked. */
  readonly askUser: AskUser | undefined;
}

/**
 * Answers a session's permission requests. Allows the client's tools, since the client itself asks its user; the policy decides all other
 * requests. A permission from the user applies only once.
 */
export class SessionPermissions {
  /** Questions that wait for a request through which the user can be asked. */
  readonly #waiting = new Set<(askUser: AskUser) => void>();
  readonly #open = new Set<Cancel>();

  constructor(
    private readonly turns: SessionTurns,
    private readonly setting: () => PermissionSetting,
  ) {}

  /** Handles `session/request_permission`; calls `answer` once with the result. */
  request(params: Members, answer: (result: unknown) => void): Cancel {
    const toolCall = asObject(params["toolCall"]) ?? {};
    const { options } = params;
    const { policy, tool, askUser } = this.setting();
    if (this.turns.isOwn(toolCall)) {
      this.turns.announce({ ...toolCall, status: "pending" });
      answer(chooseOption(options, ["allow_once", "allow_always"]));
      return nothingToCancel;
    }
    if (policy !== "ask") {
      const isAllowed = isAllowedBy(policy, toolCall) && canBypass(params);
      if (!isAllowed) this.#remark(policy, toolCall);
      answer(chooseOption(options, isAllowed ? ["allow_once", "allow_always"] : ["reject_once", "reject_always"]));
      return nothingToCancel;
    }
    const action = actionOf(toolCall);
    const decide = (isAllowed: boolean): void =>
      answer(chooseOption(options, isAllowed ? ["allow_once"] : ["reject_once", "reject_always"]));
    if (tool !== undefined) {
      const call = { name: tool, args: { ...action } };
      return this.turns.ask("permission", call, (outcome) => decide(isProceed(outcome)));
    }
    const cancelled = (): void => answer({ outcome: { outcome: "cancelled" } });
    return this.#ask(action, askUser, (outcome) =>
      outcome === "cancelled" ? cancelled() : decide(outcome === "allow"),
    );
  }

  ask(askUser: AskUser): void {
    for (const begin of [...this.#waiting]) begin(askUser);
  }

  giveUp(): void {
    for (const takeBack of [...this.#open]) takeBack();
  }

  /** Mentions a refused action in the answer, or in the thoughts if the policy is `client-tools`. */
  #remark(policy: PermissionPolicy, { title }: Members): void {
    const action = typeof title === "string" ? title : "a tool call";
    if (policy !== "client-tools") return this.turns.remark(`[Not permitted: ${action}]`);
    const text = `\n[Not permitted here: ${action}]\n`;
    this.turns.update({ sessionUpdate: "agent_thought_chunk", content: { type: "text", text } });
  }

  #ask(action: AgentAction, askUser: AskUser | undefined, answer: (outcome: PermissionOutcome) => void): Cancel {
    let takeBack: Cancel = nothingToCancel;
    let held: Disposable | undefined;
    const settle = (outcome: PermissionOutcome): void => {
      this.#waiting.delete(begin);
      held?.[Symbol.dispose]();
      if (this.#open.delete(giveUp)) answer(outcome);
    };
    const begin = (ask: AskUser): void => {
      this.#waiting.delete(begin);
      // Delay the answer's end, since the client would withdraw the question then.
      held = this.turns.hold();
      takeBack = ask(action, settle);
    };
    const giveUp = (): void => {
      takeBack();
      settle("cancelled");
    };
    this.#open.add(giveUp);
    if (askUser) begin(askUser);
    else this.#waiting.add(begin);
    return giveUp;
  }
}

function isAllowedBy(policy: PermissionPolicy, { kind }: Members): boolean {
  return policy === "allow-reads" && (kind === "read" || kind === "search");
}

/** Returns a permission result that selects the first option of the first kind in `kinds` that matches; `cancelled` if none matches. */
export function chooseOption(options: unknown, kinds: readonly string[]): { readonly outcome: unknown } {
  const choices = objectsOf(options);
  const optionId = kinds
    .map((kind) => choices.find((option) => option["kind"] === kind)?.["optionId"])
    .find((id) => typeof id === "string");
  return { outcome: optionId === undefined ? { outcome: "cancelled" } : { outcome: "selected", optionId } };
}

/** Returns whether the user allowed the action: the client's tool returned `proceed`. Any other result or error is a refusal. */
function isProceed(outcome: CallOutcome): boolean {
  if (outcome.kind !== "result") return false;
  const { result } = outcome;
  return result.isError !== true && /^["'`\s]*proceed["'`.!\s]*$/i.test(textOfResult(result));
}

/** Describes an action for the user. Without input, uses the agent's own display, such as a diff. */
function actionOf({ title, kind, rawInput, content, locations }: Members): AgentAction {
  const shown = { ...(content !== undefined && { content }), ...(locations !== undefined && { locations }) };
  const input = rawInput ?? (Object.keys(shown).length > 0 ? shown : undefined);
  return {
    title: typeof title === "string" && title !== "" ? title : "Unnamed action",
    ...(typeof kind === "string" && { kind }),
    ...(input !== undefined && { raw_input: input }),
  };
}
