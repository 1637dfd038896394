import type { Item } from "../../protocol/index.js";
import { endMark, prose } from "./feed.js";

/** A conversation of `count` items as agents make them: prompts, thoughts, tool calls with diffs, and answers. */
export function conversation(count: number): Item[] {
  const items = Array.from({ length: count - 1 }, (_, at) => itemAt(at));
  return [...items, { kind: "text", id: "last", text: endMark }];
}

function itemAt(at: number): Item {
  const id = `i${at}`;
  const startedAt = 1_760_000_000_000 + at * 1_000;
  switch (at % 7) {
    case 0:
      return { kind: "user", id, text: `Why does case ${at} fail? Fix it, please.`, attachments: [] };
    case 1:
      return { kind: "thought", id, text: prose(300), startedAt, endedAt: startedAt + 4_000 };
    case 2:
    case 3:
      return tool(id, startedAt, { title: `Read src/file-${at}.ts`, toolKind: "read", output: prose(800) });
    case 4:
      return tool(id, startedAt, { title: `Edit src/file-${at}.ts`, toolKind: "edit", content: [diff(at)] });
    case 5:
      return { kind: "text", id, text: prose(1_200) };
    default:
      return { kind: "turn-end", id, stopReason: "end_turn", durationMs: 12_000 };
  }
}

type ToolItem = Extract<Item, { kind: "tool" }>;

function tool(id: string, startedAt: number, more: Pick<ToolItem, "title" | "toolKind"> & Partial<ToolItem>): ToolItem {
  const basis = { status: "completed", locations: [], content: [], startedAt, endedAt: startedAt + 900 } as const;
  return { kind: "tool", id, ...basis, locations: [], content: [], ...more };
}

function diff(at: number): ToolItem["content"][number] {
  const lines = Array.from({ length: 8 }, (_, line) => `-  const old${line} = ${at};\n+  const new${line} = ${at};\n`);
  const patch = `@@ -1,8 +1,8 @@\n${lines.join("")}`;
  return { type: "diff", path: `/w/src/file-${at}.ts`, patch, added: 8, removed: 8, isNewFile: false, isCut: false };
}
