import { updateKindIn } from "../../base/acp/session-message.js";
import { memberOf, withMember } from "../../base/rpc/json-edit.js";
import { asObject, Json, stringOf } from "../../base/rpc/json.js";
import { parseRecord } from "./stored-record.js";

/** Kinds of updates about a session's state. A replay omits them, since the new session sends its own. */
const stateKinds: ReadonlySet<string | undefined> = new Set([
  "available_commands_update",
  "config_option_update",
  "current_mode_update",
  "usage_update",
]);
const settledStates: ReadonlySet<unknown> = new Set(["completed", "failed"]);
const closedTerminal = { type: "content", content: { type: "text", text: "(This was shown in a terminal.)" } };

/**
 * Converts the lines of a session file to the updates that `session/load` sends. Prompts become user messages, and calls known only from
 * permission requests become tool calls. Calls without a recorded end become failed at the end.
 */
export class ReplayedUpdates {
  /** Announced tool calls by id, and whether each has ended. */
  readonly #calls = new Map<string, boolean>();
  /** Terminals that the agent displays itself; the editor's terminals no longer exist. */
  readonly #shown = new Set<string>();
  /** Rest of the prompt, which an agent may repeat at the start of a turn. Repeated text is dropped, since the prompt is already shown. */
  #echo = "";

  /**
   * `sessionId` is the editor's current id of the session. `showsChildren` is true if the editor shows sub-agents in their own sessions.
   */
  constructor(
    private readonly sessionId: string,
    private readonly showsChildren = false,
  ) {}

  /** Yields the parameters of `session/update` notifications for the given lines, each of which ends with a newline. */
  *of(lines: string): Generator<Json> {
    for (let from = 0; from < lines.length;) {
      const end = lines.indexOf("\n", from);
      const to = end === -1 ? lines.length : end;
      const line = lines.slice(from, to);
      from = to + 1;
      if (/^\{"at":\d+,"update":/.test(line)) {
        const params = this.#update(line);
        if (params) yield params;
      } else if (/^\{"at":\d+,"child":/.test(line)) {
        const params = this.showsChildren ? memberOf(Json.ofText(line), "child") : undefined;
        if (params) yield params;
      } else yield* this.#other(line);
    }
  }

  /** Ends the calls that were open when the process ended. */
  *end(): Generator<Json> {
    for (const [toolCallId, hasEnded] of this.#calls) {
      if (!hasEnded) yield this.#made({ sessionUpdate: "tool_call_update", toolCallId, status: "failed" });
    }
  }

  #update(line: string): Json | undefined {
    const params = memberOf(Json.ofText(line), "update");
    const kind = params && updateKindIn(params.text);
    if (!params || stateKinds.has(kind)) return undefined;
    if (kind === "subagent_update" && !this.showsChildren) return undefined;
    if (kind === "user_message_chunk" && this.#isEcho(params)) return undefined;
    this.#echo = "";
    const renamed = withMember(params, ["sessionId"], Json.of(this.sessionId));
    if (kind !== "tool_call" && kind !== "tool_call_update") return renamed;
    const update = asObject(params.object?.["update"]);
    if (!update) return renamed;
    const id = String(update["toolCallId"]);
    const { status } = update;
    this.#calls.set(id, status === undefined ? (this.#calls.get(id) ?? false) : settledStates.has(status));
    return this.#withoutTerminals(renamed, update);
  }

  #isEcho(params: Json): boolean {
    const text = textOf(asObject(params.object?.["update"])?.["content"]);
    if (text === "" || !this.#echo.startsWith(text)) return false;
    this.#echo = this.#echo.slice(text.length);
    return true;
  }

  #withoutTerminals(params: Json, update: Readonly<Record<string, unknown>>): Json {
    const shown = asObject(asObject(update["_meta"])?.["terminal_info"])?.["terminal_id"];
    if (typeof shown === "string") this.#shown.add(shown);
    const { content } = update;
    if (!Array.isArray(content)) return params;
    const items = (content as readonly unknown[]).map((item) => {
      const { type, terminalId } = asObject(item) ?? {};
      return type === "terminal" && !this.#shown.has(String(terminalId)) ? closedTerminal : item;
    });
    return items.includes(closedTerminal) ? withMember(params, ["update", "content"], Json.of(items)) : params;
  }

  *#other(line: string): Generator<Json> {
    const record = parseRecord(line);
    if (record?.kind === "end") this.#echo = "";
    if (record?.kind === "prompt") {
      this.#echo = record.prompt.map(textOf).join("");
      for (const content of record.prompt) yield this.#made({ sessionUpdate: "user_message_chunk", content });
    } else if (record?.kind === "permission") {
      const call = asObject(asObject(record.permission)?.["toolCall"]);
      const id = call?.["toolCallId"];
      if (typeof id !== "string" || this.#calls.has(id)) return;
      this.#calls.set(id, settledStates.has(call?.["status"]));
      yield this.#made({ title: id, ...call, sessionUpdate: "tool_call" });
    }
  }

  #made(update: Readonly<Record<string, unknown>>): Json {
    return Json.of({ sessionId: this.sessionId, update });
  }
}

/** Returns the text of a content block; "" if none. */
function textOf(block: unknown): string {
  const { text } = asObject(block) ?? {};
  return stringOf(text) ?? "";
}
