import * as l10n from "@vscode/l10n";
import { asObject, isHandOff, type Members, objectsOf, type StoredRecord, stringOf, textOf } from "@symposium-dev/core";
import {
  applyChange,
  type Change,
  type ItemOf,
  newTranscript,
  type TabState,
  type Transcript,
} from "../../protocol/index.js";
import { attachmentOf } from "./message-fold.js";
import { SessionFold } from "./session-fold.js";
import { SessionOptions } from "./session-options.js";
import { TimeSlices } from "./time-slices.js";

type Permission = Extract<StoredRecord, { readonly kind: "permission" }>;

const closedTerminal = {
  type: "content" as const,
  block: { type: "text", text: l10n.t("(This was shown in a terminal.)") },
};

export async function storedTranscript(records: Iterable<StoredRecord>, state: TabState): Promise<Transcript> {
  const fold = new RecordFold(state);
  const slices = new TimeSlices();
  for (const record of records) {
    fold.take(record);
    if (slices.isOver) await slices.next();
  }
  return fold.finished();
}

class RecordFold {
  readonly #transcript: Transcript;
  readonly #roots: string[] = [];
  readonly #fold: SessionFold;
  #now = 0;
  #startedAt: number | undefined;

  constructor(state: TabState) {
    this.#transcript = newTranscript(state);
    const context = {
      transcript: this.#transcript,
      publish: (change: Change) => this.#publish(change),
      roots: this.#roots,
      now: () => this.#now,
      newId: () => crypto.randomUUID(),
    };
    this.#fold = new SessionFold(context, new SessionOptions(), {
      observeToolCall: () => undefined,
      observeOutput: () => undefined,
      titled: () => undefined,
      unreadable: () => undefined,
    });
  }

  take(record: StoredRecord): void {
    if ("at" in record) this.#now = record.at;
    switch (record.kind) {
      case "header":
        this.#roots.splice(0, 1, record.header.cwd);
        return;
      case "prompt":
        this.#prompt(record.prompt);
        return;
      case "update":
        this.#fold.update(asObject(record.params["update"]) ?? {});
        if (record.byUser) this.#noteSteered();
        return;
      case "child":
        this.#fold.childUpdate(textOf(record.params["sessionId"]), asObject(record.params["update"]) ?? {});
        return;
      case "permission":
        this.#permission(record);
        return;
      case "end":
        this.#end(asObject(record.end));
        return;
      case "gap":
        this.#notice(l10n.t("Part of this conversation is missing"), l10n.t("It couldn't be stored."));
        return;
      case "files":
      case "said":
      case "continues":
    }
  }

  finished(): Transcript {
    this.#fold.turnEnded(false);
    const { items, terminals } = this.#transcript;
    for (const item of items) {
      if (item.kind !== "tool") continue;
      const content = item.content.map((part) =>
        part.type === "terminal" && !terminals.has(part.terminalId) ? closedTerminal : part,
      );
      this.#publish({ op: "put", item: { ...item, content } });
    }
    for (const terminal of terminals.values()) {
      terminals.set(terminal.terminalId, { exit: { code: null, signal: null }, ...terminal });
    }
    return this.#transcript;
  }

  #prompt(blocks: readonly unknown[]): void {
    this.#startedAt = this.#now;
    const said = objectsOf(blocks).filter((block) => !isHandOff(block));
    const attached = said.map((block, at) => titledText(block, at) ?? attachmentOf(block));
    const text = said.map((block, at) => (attached[at] ? "" : textOf(block["text"]))).join("");
    const attachments = attached.filter((attachment) => attachment !== undefined);
    const item = { kind: "user", id: crypto.randomUUID(), text, attachments, sentAt: this.#now } as const;
    this.#publish({ op: "put", item });
    this.#fold.turnStarted(text);
  }

  #noteSteered(): void {
    const last = this.#transcript.items.at(-1);
    if (this.#startedAt === undefined || last?.kind !== "user" || last.sentAt !== undefined) return;
    this.#publish({ op: "put", item: { ...last, isSteered: true, sentAt: this.#now } });
  }

  /** Some agents announce a tool call only in its permission request. */
  #permission({ permission, answer }: Permission): void {
    const { toolCall, options: offered } = asObject(permission) ?? {};
    const call = asObject(toolCall);
    const toolCallId = stringOf(call?.["toolCallId"]);
    if (call === undefined || toolCallId === undefined) return;
    if (!this.#transcript.byId.has(toolCallId))
      this.#fold.update({ title: toolCallId, ...call, sessionUpdate: "tool_call" });
    const options = objectsOf(offered).map((option) => ({
      optionId: textOf(option["optionId"]),
      name: textOf(option["name"]),
      kind: textOf(option["kind"]),
    }));
    const optionId = stringOf(asObject(asObject(answer)?.["outcome"])?.["optionId"]);
    const label = options.find((option) => option.optionId === optionId)?.name ?? optionId ?? l10n.t("Not answered");
    const item: ItemOf<"permission"> = {
      kind: "permission",
      id: crypto.randomUUID(),
      agentName: this.#transcript.state.agentName,
      toolCallId,
      title: stringOf(call["title"]) ?? toolCallId,
      toolKind: stringOf(call["kind"]) ?? "other",
      locations: [],
      content: [],
      warnings: [],
      options,
      answer: { label, ...(optionId !== undefined && { optionId }) },
    };
    this.#publish({ op: "put", item });
  }

  #end(end: Members | undefined): void {
    const stopReason = stringOf(end?.["stopReason"]) ?? "error";
    this.#fold.turnEnded(stopReason === "end_turn");
    const message = stringOf(end?.["message"]);
    if (stopReason === "error" && message !== undefined) this.#notice(l10n.t("The agent could not answer"), message);
    const durationMs = this.#now - (this.#startedAt ?? this.#now);
    this.#startedAt = undefined;
    this.#publish({ op: "put", item: { kind: "turn-end", id: crypto.randomUUID(), stopReason, durationMs } });
  }

  #notice(title: string, text: string): void {
    const notice = { kind: "notice", id: crypto.randomUUID(), severity: "warning", title, text } as const;
    this.#publish({ op: "put", item: { ...notice, actions: [] } });
  }

  #publish(change: Change): void {
    applyChange(this.#transcript, change);
  }
}

function titledText(block: Members, at: number): ReturnType<typeof attachmentOf> {
  if (at === 0 || block["type"] !== "text") return undefined;
  const [, label, text] = /^([^\n]{1,200}):\n(.*)$/s.exec(textOf(block["text"])) ?? [];
  return label === undefined || text === undefined ? undefined : { type: "text", label, text };
}
