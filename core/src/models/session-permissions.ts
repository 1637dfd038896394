import { isForUserAlone } from "../base/acp/must-ask.js";
import { asObject, type Members, objectsOf } from "../base/rpc/json.js";
import { type Cancel, nothingToCancel } from "../base/rpc/peer.js";
import { textOfResult } from "./conversation-message.js";
import type { CallOutcome, SessionTurns } from "./session-turns.js";

/**
 * What an agent may do that asks first, beside calling the client's tools. `deny`: nothing. `allow-reads`: read and search.
 * `ask`: what the user allows, once. `client-tools`: nothing, since it works with the client's tools alone.
 */
export type PermissionPolicy = "deny" | "allow-reads" | "ask" | "client-tools";

/** What an agent wants to do, as the user is shown it. */
interface AgentAction {
  readonly title: string;
  readonly kind?: string;
  readonly raw_input?: unknown;
}

type PermissionOutcome = "allow" | "reject" | "cancelled";

/** Asks the user outside the tools of the client; the returned function takes the question back. */
export type AskUser = (action: AgentAction, answer: (outcome: PermissionOutcome) => void) => Cancel;

/** What decides who answers an agent's questions at the moment. */
interface PermissionSetting {
  readonly policy: PermissionPolicy;
  /** The client's tool by which the user allows what the agent wants to do, where there is one. */
  readonly tool: string | undefined;
  /** Undefined while no request is there by which the user could be asked. */
  readonly askUser: AskUser | undefined;
}

/**
 * Answers what the agent of one session asks permission for. The client's own tools are allowed: it asks the user itself
 * when it runs them. All else goes by the policy; never is anything allowed for longer than this once where the user is
 * asked.
 */
export class SessionPermissions {
  /** Questions that came while nobody could be asked. */
  readonly #waiting = new Set<(askUser: AskUser) => void>();
  /** Takes back what the user is asked, or is to be asked, outside the client's tools. */
  readonly #open = new Set<Cancel>();

  constructor(
    private readonly turns: SessionTurns,
    private readonly setting: () => PermissionSetting,
  ) {}

  /** Takes `session/request_permission`; `answer` gets its result, once. */
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
      const isAllowed = isAllowedBy(policy, toolCall) && !isForUserAlone(params);
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

  /** A request is there again: whoever waits to be asked about is. */
  ask(askUser: AskUser): void {
    for (const begin of [...this.#waiting]) begin(askUser);
  }

  /** The turn is given up: no question of it is open any more. */
  giveUp(): void {
    for (const takeBack of [...this.#open]) takeBack();
  }

  /** Says what was not allowed: in the answer, or among the thoughts where the agent only lacks its own tools. */
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
      // The client takes the question back when the answer ends.
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

/**
 * The result of `session/request_permission` that chooses the first option of the first of `kinds` that there is; that the
 * question was cancelled, where there is none.
 */
export function chooseOption(options: unknown, kinds: readonly string[]): { readonly outcome: unknown } {
  const choices = objectsOf(options);
  const optionId = kinds
    .map((kind) => choices.find((option) => option["kind"] === kind)?.["optionId"])
    .find((id) => typeof id === "string");
  return { outcome: optionId === undefined ? { outcome: "cancelled" } : { outcome: "selected", optionId } };
}

/** `proceed` is what the client's tool returns when the user allows; everything else, Skip and errors too, is a refusal. */
function isProceed(outcome: CallOutcome): boolean {
  if (outcome.kind !== "result") return false;
  const { result } = outcome;
  return result.isError !== true && /^["'`\s]*proceed["'`.!\s]*$/i.test(textOfResult(result));
}

/** What the user is shown: where the agent gives no input, what it shows itself, such as a diff. */
function actionOf({ title, kind, rawInput, content, locations }: Members): AgentAction {
  const shown = { ...(content !== undefined && { content }), ...(locations !== undefined && { locations }) };
  const input = rawInput ?? (Object.keys(shown).length > 0 ? shown : undefined);
  return {
    title: typeof title === "string" && title !== "" ? title : "Do something that the agent does not name",
    ...(typeof kind === "string" && { kind }),
    ...(input !== undefined && { raw_input: input }),
  };
}
