import type { Members, StoredRecord } from "@symposium-dev/core";
import type { Attachment, Item, ItemOf, Terminal, ToolContent, Transcript } from "../../protocol/index.js";
import { attachmentTitle } from "./attachment-title.js";

interface TranscriptOrigin {
  readonly session: string;
  readonly cwd: string;
  readonly agent: string;
  readonly started: number;
}

export function* transcriptLines({ items, terminals, state }: Transcript, origin: TranscriptOrigin): Generator<string> {
  const { session, agent, started } = origin;
  let at = started;
  let turn = 0;
  let isOpen = false;
  const line = (record: object): string => `${JSON.stringify(record)}\n`;
  const update = (sent: Members, byUser?: true): string =>
    line({ at, update: { sessionId: session, update: sent }, ...(byUser && { byUser }) });
  const end = (result: Members): string => {
    isOpen = false;
    const summary = { title: state.title, agent, turns: turn, tokens: 0 };
    return line({ at, turn, end: result, summary });
  };
  yield line({ version: 1, ...origin });
  yield update({ sessionUpdate: "session_info_update", title: state.title });
  for (const item of items) {
    at = Math.max(at, timeOf(item) ?? at);
    if (item.kind === "user" && item.isSteered !== true && item.sentAt !== undefined) {
      if (isOpen) yield end({ stopReason: "cancelled" });
      isOpen = true;
      const record: Pick<Extract<StoredRecord, { kind: "prompt" }>, "at" | "turn" | "prompt"> = {
        at,
        turn: ++turn,
        prompt: blocksOf(item),
      };
      yield line(record);
    } else if (item.kind === "user") {
      const byUser = item.isSteered === true || undefined;
      for (const content of blocksOf(item)) yield update({ sessionUpdate: "user_message_chunk", content }, byUser);
    } else if (item.kind === "permission") yield line({ at, ...permissionOf(item, session) });
    else if (item.kind === "turn-end") yield end({ stopReason: item.stopReason });
    else for (const sent of updatesOf(item, terminals)) yield update(sent);
  }
  if (isOpen) yield end({ stopReason: "cancelled" });
}

function timeOf(item: Item): number | undefined {
  if (item.kind === "user") return item.sentAt;
  return item.kind === "tool" || item.kind === "thought" ? (item.endedAt ?? item.startedAt) : undefined;
}

function blocksOf({ text, attachments }: ItemOf<"user">): readonly Members[] {
  return [...(text === "" ? [] : [{ type: "text", text }]), ...attachments.map(blockOf)];
}

function blockOf(attachment: Attachment): Members {
  const { label } = attachment;
  switch (attachment.type) {
    case "image":
      return { type: "image", mimeType: attachment.mimeType, data: attachment.data };
    case "file":
    case "folder":
      return { type: "resource_link", uri: attachment.uri, name: label };
    case "symbol":
      return { type: "resource_link", uri: `${attachment.uri}#L${attachment.startLine}`, name: label };
    case "selection":
    case "terminal":
    case "text":
      return { type: "text", text: `${attachmentTitle(attachment)}:\n${attachment.text}` };
    case "problems":
    case "git-diff":
      return { type: "text", text: `${attachmentTitle(attachment)}:\n` };
  }
}

function permissionOf(item: ItemOf<"permission">, sessionId: string): Members {
  const { toolCallId, title, toolKind: kind, options, answer, command } = item;
  const outcome =
    answer?.optionId === undefined ? { outcome: "cancelled" } : { outcome: "selected", optionId: answer.optionId };
  const rawInput = command === undefined ? {} : { rawInput: { command } };
  return {
    permission: { sessionId, toolCall: { toolCallId, title, kind, ...rawInput }, options },
    answer: { outcome },
  };
}

function updatesOf(item: Item, terminals: ReadonlyMap<string, Terminal>): readonly Members[] {
  const text = (said: string): Members => ({ type: "text", text: said });
  switch (item.kind) {
    case "text":
      return [
        {
          sessionUpdate: "agent_message_chunk",
          content: text(item.text),
          // Use the item's id, so that a message without an id doesn't merge with the next one.
          messageId: item.messageId ?? item.id,
        },
      ];
    case "thought":
      return [{ sessionUpdate: "agent_thought_chunk", content: text(item.text), messageId: item.id }];
    case "content":
      return [{ sessionUpdate: "agent_message_chunk", content: item.block }];
    case "tool":
      return [callOf(item, terminals)];
    case "plan":
      return [{ sessionUpdate: "plan", entries: item.entries }];
    case "notice": {
      const description = [item.text, item.details].filter((part) => part !== undefined).join("\n\n");
      return [{ sessionUpdate: "notice", title: item.title, severity: item.severity, description }];
    }
    case "elicitation":
      return [{ sessionUpdate: "notice", title: item.message, severity: "info", description: answerOf(item) }];
    case "unknown":
      return [{ sessionUpdate: "notice", title: item.label, severity: "info", description: item.json }];
    default:
      return [];
  }
}

/** Describes an answer in English; the card's summary may be translated. */
function answerOf({ answer, mode }: ItemOf<"elicitation">): string {
  if (answer === undefined) return "Not answered";
  if (answer.action !== "accept") return answer.action === "decline" ? "Declined" : "Cancelled";
  if (mode === "url") return "Opened in the browser";
  return ["Sent", answer.fields?.join(", ") ?? ""].filter((part) => part !== "").join(": ");
}

function callOf(item: ItemOf<"tool">, terminals: ReadonlyMap<string, Terminal>): Members {
  const { id: toolCallId, title, toolKind: kind, status, locations, content, input, output, exit } = item;
  const parts = content.flatMap((part) => partOf(part, terminals));
  const rawInput = input === undefined ? {} : { rawInput: kind === "execute" ? { command: input } : { input } };
  const raw = { ...(output !== undefined && { output }), ...(exit?.code != null && { exit_code: exit.code }) };
  return {
    sessionUpdate: "tool_call",
    toolCallId,
    title,
    kind,
    status: status === "cancelled" ? "failed" : status,
    locations: locations.map(({ path, line }) => ({ path, ...(line !== undefined && { line }) })),
    content: parts,
    ...rawInput,
    ...(Object.keys(raw).length > 0 && { rawOutput: raw }),
  };
}

function partOf(part: ToolContent, terminals: ReadonlyMap<string, Terminal>): readonly Members[] {
  const text = (said: string): Members => ({ type: "content", content: { type: "text", text: said } });
  switch (part.type) {
    case "content":
      return [{ type: "content", content: part.block }];
    case "diff":
      return [text(`${part.path}\n\n\`\`\`\`diff\n${part.patch}\n\`\`\`\``)];
    case "terminal": {
      const shown = terminals.get(part.terminalId)?.text ?? "";
      return shown === "" ? [] : [text(shown)];
    }
    case "unknown":
      return [text(part.json)];
  }
}
