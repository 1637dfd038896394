import type { Item, ToolContent, Transcript } from "../../../protocol/index.js";
import { fencedCode } from "../context/content-blocks.js";

export function toMarkdown({ state, items }: Transcript): string {
  const parts = items.flatMap((item) => sectionOf(item, state.agentName) ?? []);
  return `${[`# ${state.title}`, `Agent: ${state.agentName}`, ...parts].join("\n\n")}\n`;
}

export function toJson({ state, items, terminals }: Transcript): string {
  const { title, agentId, agentName } = state;
  return `${JSON.stringify({ title, agentId, agentName, items, terminals: [...terminals.values()] }, null, 2)}\n`;
}

function sectionOf(item: Item, agentName: string): string | undefined {
  switch (item.kind) {
    case "user": {
      const attached = item.attachments.map(({ label }) => `- ${label}`).join("\n");
      return [`## You`, item.text, attached].filter((part) => part !== "").join("\n\n");
    }
    case "text":
      return `## ${agentName}\n\n${item.text.trim()}`;
    case "thought":
      return quote(`Thought: ${item.text.trim()}`);
    case "tool": {
      const parts = item.content.flatMap((part) => partOf(part) ?? []);
      const input = item.input === undefined ? [] : [fencedCode(item.input)];
      const exit = typeof item.exit?.code === "number" ? `, exit code ${item.exit.code}` : "";
      return [`### ${item.title} (${item.toolKind}, ${item.status}${exit})`, ...input, ...parts].join("\n\n");
    }
    case "plan":
      return item.entries
        .map(({ content, status }) => `- [${status === "completed" ? "x" : " "}] ${content}`)
        .join("\n");
    case "notice":
      return quote([item.title, item.text].filter((part) => part !== undefined).join(": "));
    case "permission":
      return quote(`Permission: ${item.title}: ${item.answer?.label ?? "not answered"}`);
    case "elicitation":
      return quote(`Question: ${item.message}: ${item.answer?.summary ?? "not answered"}`);
    case "content":
      return quote(`[${item.block.type}]`);
    case "unknown":
      return fencedCode(item.json, "json");
    case "authentication":
    case "turn-end":
      return undefined;
  }
}

function partOf(part: ToolContent): string | undefined {
  switch (part.type) {
    case "diff":
      return `${part.path}\n\n${fencedCode(part.patch, "diff")}`;
    case "content":
      return typeof part.block["text"] === "string" ? fencedCode(part.block["text"]) : undefined;
    case "terminal":
      return undefined;
    case "unknown":
      return fencedCode(part.json, "json");
  }
}

function quote(text: string): string {
  return text
    .split("\n")
    .map((line) => `> ${line}`)
    .join("\n");
}
