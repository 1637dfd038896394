import { type ItemOf, newTabState, type TabState, type ViewSettings } from "../../../protocol/index.js";
import { noSettings } from "../../../webview/chat/state/chat-store.js";

export const settings: ViewSettings = {
  ...noSettings,
  agents: [
    { id: "claude", name: "Claude Code", description: "Anthropic's coding agent", place: "here", isCurrent: true },
    { id: "eliza", name: "Eliza", description: "Needs no account", place: "demo", isCurrent: false },
  ],
};

export function tabState(patch: Partial<TabState> = {}): TabState {
  return {
    ...newTabState({ id: "claude", name: "Claude Code" }),
    phase: "ready",
    accepts: { image: true, audio: false },
    commands: [
      { name: "review", description: "Review the changes of a branch", hint: "name of the branch" },
      { name: "compact", description: "Shorten the conversation" },
    ],
    ...patch,
  };
}

export function permission(patch: Partial<ItemOf<"permission">> = {}): ItemOf<"permission"> {
  return {
    kind: "permission",
    id: "p1",
    agentName: "Claude Code",
    toolCallId: "t1",
    title: "Run the tests",
    toolKind: "execute",
    command: "npm test -- --fast",
    cwd: "/home/user/project",
    locations: [{ path: "/home/user/project/package.json", line: 3, label: "package.json" }],
    content: [],
    warnings: [],
    options: [
      { optionId: "once", name: "Allow", kind: "allow_once" },
      { optionId: "always", name: "Always allow", kind: "allow_always" },
      { optionId: "no", name: "Reject", kind: "reject_once" },
    ],
    ruleLabel: "run npm test",
    ...patch,
  };
}

export const image = {
  type: "image",
  label: "shot.png",
  mimeType: "image/png",
  data: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==",
} as const;
