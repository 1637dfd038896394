import { chooseOption } from "../model/permission-option.js";
import { textOfResult } from "../model/tool-outcome.js";
import type { CallOutcome, ToldTurns } from "../model/told-turns.js";
import { asObject } from "../rpc/json.js";
import { type Cancel, nothingToCancel } from "../rpc/peer.js";
import { agentActionTool, type AgentActionInput, type PermissionResult } from "./wire.js";

type Members = Readonly<Record<string, unknown>>;
type Outcome = PermissionResult["outcome"];

/** Asks the user outside the tools of the editor; the returned function takes the question back. */
export type AskUser = (action: AgentActionInput, answer: (outcome: Outcome) => void) => Cancel;

/** What decides who answers an agent's questions at the moment. */
export interface PermissionSetting {
  /** Whether everything else is refused unasked. */
  readonly refusesAll: boolean;
  /** Whether the editor offers {@link agentActionTool}. */
  readonly offersAction: boolean;
  /** Undefined while no request is there by which the user could be asked. */
  readonly askUser: AskUser | undefined;
}

/**
 * Answers what the agent of one session asks permission for. The editor's own tools are allowed: it asks the user itself
 * when it runs them. For all else the user is asked, by a tool of the editor where it offers that; never is anything
 * allowed for more than this once.
 */
export class SessionPermissions {
  /** Questions that came while nobody could be asked. */
  readonly #waiting = new Set<(askUser: AskUser) => void>();
  /** Takes back what the user is asked, or is to be asked, outside the editor's tools. */
  readonly #open = new Set<Cancel>();

  constructor(
    private readonly turns: ToldTurns,
    private readonly setting: () => PermissionSetting,
  ) {}

  /** Takes `session/request_permission`; `answer` gets its result, once. */
  request(params: Members, answer: (result: unknown) => void): Cancel {
    const toolCall = asObject(params["toolCall"]) ?? {};
    const { options } = params;
    const { refusesAll, offersAction, askUser } = this.setting();
    const reject = (): void => answer(chooseOption(options, ["reject_once", "reject_always"]));
    if (this.turns.isOwn(toolCall)) {
      this.turns.announce({ ...toolCall, status: "pending" });
      answer(chooseOption(options, ["allow_once", "allow_always"]));
      return nothingToCancel;
    }
    const action = actionOf(toolCall);
    if (refusesAll) {
      const text = `\n[Not permitted here: ${action.title}]\n`;
      this.turns.update({ sessionUpdate: "agent_thought_chunk", content: { type: "text", text } });
      reject();
      return nothingToCancel;
    }
    const decide = (isAllowed: boolean): void => (isAllowed ? answer(chooseOption(options, ["allow_once"])) : reject());
    if (offersAction) {
      const call = { name: agentActionTool, args: { ...action } };
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

  #ask(action: AgentActionInput, askUser: AskUser | undefined, answer: (outcome: Outcome) => void): Cancel {
    let takeBack: Cancel = nothingToCancel;
    let held: Disposable | undefined;
    const settle = (outcome: Outcome): void => {
      this.#waiting.delete(begin);
      held?.[Symbol.dispose]();
      if (this.#open.delete(giveUp)) answer(outcome);
    };
    const begin = (ask: AskUser): void => {
      this.#waiting.delete(begin);
      // The editor takes the question back when the answer ends.
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

/** `proceed` is what our tool returns when the user allows; everything else, Skip and errors too, is a refusal. */
function isProceed(outcome: CallOutcome): boolean {
  if (outcome.kind !== "result") return false;
  const text = typeof outcome.result === "string" ? outcome.result : textOfResult(outcome.result);
  const isError = typeof outcome.result !== "string" && outcome.result.isError === true;
  return !isError && /^["'`\s]*proceed["'`.!\s]*$/i.test(text);
}

/** What the user is shown: where the agent gives no input, what it shows itself, such as a diff. */
function actionOf({ title, kind, rawInput, content, locations }: Members): AgentActionInput {
  const shown = { ...(content !== undefined && { content }), ...(locations !== undefined && { locations }) };
  const input = rawInput ?? (Object.keys(shown).length > 0 ? shown : undefined);
  return {
    title: typeof title === "string" && title !== "" ? title : "Do something that the agent does not name",
    ...(typeof kind === "string" && { kind }),
    ...(input !== undefined && { raw_input: input }),
  };
}
