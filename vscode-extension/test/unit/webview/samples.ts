import {
  type Change,
  type Draft,
  type Item,
  newTabState,
  type TabState,
  type Terminal,
  type ToWebview,
} from "../../../protocol/index.js";
import { noSettings } from "../../../webview/chat/state/chat-store.js";

/** An answer of the agent. */
export const answer = (id: string, text = ""): Item => ({ kind: "text", id, text });

/** A prompt of the user. */
export const prompt = (id: string, text = id): Item => ({ kind: "user", id, text, attachments: [] });

/** Turns with answers of different heights. */
export const turns = (count: number): Item[] =>
  Array.from({ length: count }, (_, at) => [
    prompt(`u${at}`, `Prompt ${at}`),
    answer(`a${at}`, `Answer ${at}.\n\n`.repeat(1 + (at % 5))),
  ]).flat();

/** A tab that is ready, with what differs. */
function tabState(patch: Partial<TabState> = {}): TabState {
  return { ...newTabState({ id: "eliza", name: "Eliza" }), phase: "ready", ...patch };
}

/** Returns the messages that the extension sends to a ready page: settings, one tab, and a snapshot of the tab. */
export function opened(
  items: readonly Item[],
  {
    state = {},
    terminals = [],
    total = items.length,
    index = 0,
    folders = [],
    draft,
  }: {
    state?: Partial<TabState>;
    terminals?: Terminal[];
    total?: number;
    index?: number;
    folders?: string[];
    draft?: Draft;
  } = {},
): ToWebview[] {
  return [
    {
      type: "settings",
      settings: {
        ...noSettings,
        agents: [{ id: "eliza", name: "Eliza", place: "demo", isCurrent: true }],
        folders,
      },
    },
    { type: "tabs", tabIds: ["t1"], selected: "t1" },
    {
      type: "snapshot",
      ...(draft && { draft }),
      tabId: "t1",
      index,
      state: tabState(state),
      items: [...items],
      total,
      terminals,
    },
  ];
}

/** Changes of the tab; `index` is that of the last one. */
export function changes(index: number, ...list: Change[]): ToWebview {
  return { type: "changes", tabId: "t1", index, changes: list };
}

/** A conversation with one of everything. */
export function gallery(now: number): { items: Item[]; terminals: Terminal[] } {
  const escape = String.fromCharCode(27);
  return {
    items: [
      {
        kind: "user",
        id: "u1",
        text: "Why does the login test fail? Fix it, please.",
        attachments: [
          { type: "file", uri: "file:///w/src/login.ts", label: "src/login.ts" },
          {
            type: "selection",
            uri: "file:///w/test/login.test.ts",
            label: "test/login.test.ts",
            startLine: 3,
            endLine: 9,
            text: "",
          },
        ],
        sentAt: now - 60_000,
      },
      {
        kind: "thought",
        id: "th1",
        text: "The test waits for **one** redirect.",
        startedAt: now - 50_000,
        endedAt: now - 38_000,
      },
      {
        kind: "tool",
        id: "read",
        title: "Read src/login.ts",
        toolKind: "read",
        status: "completed",
        locations: [{ path: "/w/src/login.ts", line: 12, label: "src/login.ts" }],
        content: [{ type: "content", block: { type: "text", text: "```ts\nexport const a = 1;\n```" } }],
        input: '{ "path": "src/login.ts" }',
        startedAt: now - 40_000,
        endedAt: now - 38_900,
      },
      {
        kind: "tool",
        id: "search",
        title: "Search for redirect(",
        toolKind: "search",
        status: "completed",
        locations: [
          { path: "/w/src/a.ts", line: 4, label: "src/a.ts" },
          { path: "/w/src/b.ts", label: "src/b.ts" },
        ],
        content: [],
        output: "2 results",
        startedAt: now - 38_000,
        endedAt: now - 36_000,
      },
      {
        kind: "text",
        id: "a1",
        text: [
          "The test expects **one** redirect, but `login()` in `src/login.ts:12` sends *two*: see [the docs](https://example.com/redirects).",
          "",
          "## What I changed",
          "",
          "1. Return after the first redirect",
          "2. Add a test",
          "",
          "- [x] read the code",
          "- [ ] run all tests",
          "",
          "```ts",
          "export function login(user: User): Response {",
          "  // One redirect is enough.",
          '  if (!user.isKnown) return redirect("/sign-in", 302);',
          "  return ok(user.name);",
          "}",
          "```",
          "",
          "| File | Before | After |",
          "|---|--:|:-:|",
          "| login.ts | 2 | 1 |",
          "| sign-in.ts | 1 | 1 |",
          "",
          "> Redirects are cached by browsers.",
          "",
        ].join("\n"),
      },
      {
        kind: "tool",
        id: "edit",
        title: "Edit src/login.ts",
        toolKind: "edit",
        status: "completed",
        locations: [{ path: "/w/src/login.ts", label: "src/login.ts" }],
        content: [
          {
            type: "diff",
            path: "/w/src/login.ts",
            added: 2,
            removed: 1,
            isNewFile: false,
            isCut: false,
            startsAt: 1,
            patch:
              '@@ -10,5 +10,6 @@ export function login\n   const user = find(name);\n-  redirect("/sign-in");\n+  if (!user.isKnown) return redirect("/sign-in", 302);\n+\n   return ok(user.name);\n }\n',
          },
        ],
        startedAt: now - 30_000,
        endedAt: now - 29_800,
      },
      {
        kind: "tool",
        id: "run",
        title: "npm test -- --fast",
        toolKind: "execute",
        status: "in_progress",
        locations: [],
        content: [{ type: "terminal", terminalId: "term1" }],
        startedAt: now - 5_000,
      },
      {
        kind: "plan",
        id: "p1",
        entries: [
          { content: "Find the cause", priority: "medium", status: "completed" },
          { content: "Fix it", priority: "high", status: "in_progress" },
          { content: "Run all tests", priority: "low", status: "pending" },
        ],
      },
      {
        kind: "tool",
        id: "sub",
        title: "Research: how redirects are cached",
        toolKind: "think",
        status: "failed",
        locations: [],
        content: [],
        output: "The sub-agent ran out of time.",
        startedAt: now - 20_000,
        endedAt: now - 9_000,
      },
      {
        kind: "tool",
        id: "sub1",
        title: "Fetch example.com",
        toolKind: "fetch",
        status: "completed",
        locations: [],
        content: [],
        parentId: "sub",
        startedAt: now - 19_000,
        endedAt: now - 18_000,
      },
      {
        kind: "notice",
        id: "n1",
        severity: "warning",
        title: "The agent has compacted its context",
        text: "It summarised the conversation to go on.",
        details: "12,000 tokens became 800.",
        actions: [{ id: "show", label: "Show summary" }],
      },
      {
        kind: "notice",
        id: "n2",
        severity: "error",
        title: "The agent has ended unexpectedly",
        text: "Exit code 1. Its last words are in the details.",
        details: "Error: cannot find module 'x'",
        actions: [
          { id: "restart", label: "Restart", style: "primary" },
          { id: "open-log", label: "Open log" },
        ],
      },
      {
        kind: "notice",
        id: "n3",
        severity: "info",
        title: "Installing Claude Code",
        actions: [],
        progress: { percent: 40 },
      },
      { kind: "unknown", id: "x1", label: "session/update: weather", json: '{ "sunny": true }' },
      {
        kind: "turn-end",
        id: "e1",
        stopReason: "max_tokens",
        durationMs: 61_000,
        inputTokens: 12_400,
        outputTokens: 830,
      },
    ],
    terminals: [
      {
        terminalId: "term1",
        dropped: 0,
        text: `${escape}[32m✓${escape}[0m parses settings\n${escape}[32m✓${escape}[0m keeps drafts\n${escape}[31m✗ redirects once${escape}[0m\n  ${escape}[2mexpected 1, got 2${escape}[0m\n`,
      },
    ],
  };
}
