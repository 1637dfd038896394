import { isToolCallUpdate } from "../../base/acp/tool-call.js";
import { asObject, type Members, objectsOf, stringOf } from "../../base/rpc/json.js";
import { requestedCommand } from "../../base/safety/requested-command.js";
import { type PastCall, PastCalls } from "./past-calls.js";
import { type SessionHeader, type StoredRecord, textOfBlocks, type TouchedFile } from "./stored-record.js";

interface PastPermission {
  /** The command for which the agent requested permission, or the request's title. */
  readonly asked: string;
  /** Name of the option that the user chose, or the request's outcome if the user chose none. */
  readonly answer: string;
  readonly isRejected: boolean;
}

export interface PlanEntry {
  readonly content: string;
  /** Status of the plan entry as the agent reports it, such as `pending`, `in_progress` or `completed`. */
  readonly status: string;
}

export interface PastTurn {
  /**
   * Number of the turn, starting at 1. Messages from before recording began have number 0, and each user message among them forms a turn.
   */
  readonly number: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Text sent by the client. */
  readonly user: string;
  /** Text that the agent attributes to the user; not verified. */
  readonly repeated?: string;
  /** Agent texts between tool calls, in order. */
  readonly said: readonly string[];
  readonly calls: readonly PastCall[];
  readonly permissions: readonly PastPermission[];
  /** Files of tool calls, with their state at the turn's end. */
  readonly files: readonly TouchedFile[];
  /** Reason for a failure or an unusual end. */
  readonly failure?: string;
}

/** Conversation built from its records; contains only the ends of tool outputs, to limit memory. */
export interface PastConversation {
  /** Header of the file; undefined if unreadable. */
  readonly header: SessionHeader | undefined;
  /** Name of the last agent that answered. */
  readonly agent: string;
  readonly turns: readonly PastTurn[];
  readonly plan: readonly PlanEntry[];
  readonly title: string;
}

/** Maximum number of characters in an agent's text between calls; the middle of a longer text is removed. */
const longestSaid = 12_000;

/** Reads a conversation's records up to the end of turn `until`; default: all. */
export function pastConversation(records: Iterable<StoredRecord>, until = Infinity): PastConversation {
  let header: SessionHeader | undefined;
  let agent = "";
  let title = "";
  let plan: readonly PlanEntry[] = [];
  const turns: UnfinishedTurn[] = [];
  let turn = new UnfinishedTurn(0, 0, "");
  for (const record of records) {
    if (record.kind === "prompt" && record.turn > until) break;
    switch (record.kind) {
      case "header":
        header ??= record.header;
        agent ||= record.header.agent ?? "";
        break;
      case "prompt":
        turn = new UnfinishedTurn(record.turn, record.at, textOfBlocks(record.prompt));
        turns.push(turn);
        break;
      case "permission":
        turn.permissions.push(permissionOf(asObject(record.permission) ?? {}, record.answer));
        break;
      case "update": {
        const update = asObject(record.params["update"]) ?? {};
        if (update["sessionUpdate"] === "plan") plan = planOf(update);
        else if (update["sessionUpdate"] === "user_message_chunk") {
          const text = textOfBlocks([update["content"]]);
          // Before the first recorded prompt, each replayed user message starts a turn; the chunks of a message are adjacent.
          if (turn.number === 0 && (turn.isBegun || turns.length === 0))
            turns.push((turn = new UnfinishedTurn(0, record.at, "", turn.callCount)));
          turn.hear(text, record.byUser === true);
        } else turn.take(update);
        break;
      }
      case "child": {
        const update = asObject(record.params["update"]) ?? {};
        if (isToolCallUpdate(update)) turn.take(update);
        break;
      }
      case "end":
        turn.end(record.end);
        agent = record.summary.agent || agent;
        title = record.summary.title || title;
        break;
      case "files":
        turns.findLast(({ number }) => number === record.turn)?.note(record.files);
        break;
      case "said":
      case "continues":
      case "gap":
        break;
    }
  }
  return { header, agent, title, turns: turns.map((one) => one.closed()), plan };
}

class UnfinishedTurn {
  readonly permissions: PastPermission[] = [];
  readonly #said: string[] = [];
  readonly #calls: PastCalls;
  #files: readonly TouchedFile[] = [];
  /** Reason that applies until the end of the turn is recorded, since a killed process doesn't record the end. */
  #failure: string | undefined = "cut off; its end was not recorded, so its last step may be half done";
  #isSpeaking = false;
  #repeated = "";

  constructor(
    readonly number: number,
    readonly at: number,
    private user: string,
    callsBefore = 0,
  ) {
    this.#calls = new PastCalls(number, callsBefore);
  }

  get isBegun(): boolean {
    return this.#said.length > 0 || !this.#calls.isEmpty;
  }

  get callCount(): number {
    return this.#calls.count;
  }

  /**
   * Adds text that the user sent, or that the agent attributes to the user. Text from the agent at the start of a turn is ignored, since it
   * only repeats the prompt.
   */
  hear(text: string, byUser: boolean): void {
    if (byUser) this.user += `\n${text}`;
    else if (this.number === 0) this.#repeated += text;
    else if (this.isBegun) this.#repeated += `\n${text}`;
  }

  take(update: Members): void {
    if (update["sessionUpdate"] === "agent_message_chunk") {
      const text = textOfBlocks([update["content"]]);
      const before = this.#isSpeaking ? (this.#said.pop() ?? "") : "";
      this.#said.push(bothEnds(before + text));
      this.#isSpeaking = true;
    } else if (isToolCallUpdate(update)) {
      this.#isSpeaking = false;
      this.#calls.take(update);
    }
  }

  note(files: readonly TouchedFile[]): void {
    this.#files = files;
  }

  end(end: unknown): void {
    const { stopReason, message } = asObject(end) ?? {};
    if (typeof message === "string") this.#failure = message;
    else this.#failure = typeof stopReason === "string" && stopReason !== "end_turn" ? stopReason : undefined;
  }

  closed(): PastTurn {
    const { number, at, user, permissions } = this;
    const said = this.#said.map((text) => text.trim()).filter((text) => text !== "");
    const turn = { number, at, user: user.trim(), said, calls: this.#calls.all, permissions, files: this.#files };
    const repeated = this.#repeated.trim();
    return {
      ...turn,
      ...(repeated !== "" && { repeated }),
      ...(this.#failure !== undefined && number > 0 && { failure: this.#failure }),
    };
  }
}

function bothEnds(text: string): string {
  if (text.length <= 2 * longestSaid) return text;
  return `${text.slice(0, longestSaid / 2).toWellFormed()}\n[…]\n${text.slice(-longestSaid / 2).toWellFormed()}`;
}

function planOf({ entries }: Readonly<Record<string, unknown>>): readonly PlanEntry[] {
  return objectsOf(entries).flatMap(({ content, status }) =>
    typeof content === "string" ? [{ content, status: stringOf(status) ?? "pending" }] : [],
  );
}

function permissionOf({ toolCall, options }: Readonly<Record<string, unknown>>, answer: unknown): PastPermission {
  const call = asObject(toolCall) ?? {};
  const title = typeof call["title"] === "string" ? call["title"] : "a permission";
  const asked = requestedCommand(call["rawInput"])?.text ?? title;
  const { outcome, optionId } = asObject(asObject(answer)?.["outcome"]) ?? {};
  const option = objectsOf(options).find((one) => one["optionId"] === optionId);
  const kind = option?.["kind"];
  const name = option?.["name"];
  const isRejected = typeof kind === "string" ? kind.startsWith("reject") : outcome !== "selected";
  const said = typeof name === "string" ? name : typeof outcome === "string" ? outcome : "not answered";
  return { asked, answer: said, isRejected };
}
