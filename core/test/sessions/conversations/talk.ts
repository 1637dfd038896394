import type { StoredRecord, TouchedFile } from "../../../src/sessions/conversations/stored-record.js";

/** The records of a conversation in `/p` with an agent named Old, step by step. */
export class Talk {
  readonly records: StoredRecord[] = [
    { kind: "header", header: { version: 1, session: "s", cwd: "/p", agent: "Old", branch: "main", started: 1 } },
  ];
  #turn = 0;
  #calls = 0;

  prompt(text: string): this {
    return this.#add({ kind: "prompt", at: 1, turn: ++this.#turn, prompt: [{ type: "text", text }] });
  }

  /** Words that the agent calls the user's. */
  heard(text: string): this {
    return this.#update({ sessionUpdate: "user_message_chunk", content: { type: "text", text } });
  }

  /** Words that the user said into the turn. */
  steer(text: string): this {
    const update = { sessionUpdate: "user_message_chunk", content: { type: "text", text } };
    return this.#add({ kind: "update", at: 1, params: { sessionId: "s", update }, byUser: true });
  }

  say(text: string): this {
    return this.#update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
  }

  call(call: object): this {
    return this.#update({ sessionUpdate: "tool_call", toolCallId: `id${++this.#calls}`, status: "completed", ...call });
  }

  plan(entries: readonly (readonly [content: string, status: string])[]): this {
    return this.#update({
      sessionUpdate: "plan",
      entries: entries.map(([content, status]) => ({ content, status, priority: "medium" })),
    });
  }

  /** Adds the agent's permission request for a command; the user selects the option of kind `kind`. */
  permission(command: string, kind: string): this {
    const options = [{ optionId: "o", name: "The one", kind }];
    return this.#add({
      kind: "permission",
      at: 1,
      permission: { sessionId: "s", toolCall: { toolCallId: "p", title: "Shell", rawInput: { command } }, options },
      answer: { outcome: { outcome: "selected", optionId: "o" } },
    });
  }

  end(files: readonly TouchedFile[] = [], end: object = { stopReason: "end_turn" }): this {
    const summary = { title: "", agent: "Old", turns: this.#turn, tokens: 0 };
    this.#add({ kind: "end", at: 1, turn: this.#turn, end, summary });
    return files.length === 0 ? this : this.#add({ kind: "files", at: 1, turn: this.#turn, files });
  }

  #update(update: object): this {
    return this.#add({ kind: "update", at: 1, params: { sessionId: "s", update } });
  }

  #add(record: StoredRecord): this {
    this.records.push(record);
    return this;
  }
}
