import assert from "node:assert/strict";
import type {
  AgentChoice,
  ConfigOption,
  Item,
  ItemOf,
  TabState,
  ToolContent,
  ToWebview,
} from "../../../protocol/index.js";
import { noSettings } from "../../../webview/chat/state/chat-store.js";
import { permission } from "../composer/samples.js";
import type { ChatPage } from "./chat-page.js";
import { useChatPages } from "./chat-pages.js";
import { plainTexts, pseudoTexts, withForeignTexts } from "./pseudo-texts.js";
import { gallery, opened } from "./samples.js";

const choices = Array.from({ length: 12 }, (_, at) => ({ value: `v${at}`, name: `Value ${at}`, group: "Group" }));
const options: ConfigOption[] = [
  ...["mode", "model", "thought_level"].map((id) => ({ id, name: id, category: id, value: "v0", choices })),
  { id: "fast", name: "Fast", value: false },
];
const files = (["created", "modified", "deleted"] as const).map((state) => ({
  ...{ uri: `file:///w/${state}`, label: `${state}.ts`, added: 2, removed: 1 },
  state,
}));
const [queued, steering] = ["q1", "q2"].map((messageId) => ({ messageId, text: "Then the docs", attachments: [] }));
const busy: Partial<TabState> = {
  phase: "running",
  turnStartedAt: Date.now() - 75_000,
  options,
  usage: { used: 120_000, size: 200_000, cost: { amount: 1.25, currency: "USD" } },
  limits: [
    { name: "5 hours", status: "allowed_warning", used: 0.9, resetsAt: Date.now() + 3_600_000 },
    { name: "week", status: "rejected", used: 1 },
  ],
  queue: [
    { ...queued, note: "It waits" },
    { ...steering, isSteering: true },
  ] as TabState["queue"],
  accepts: { image: true, audio: false, steering: true },
  changedFiles: files,
  worktree: { name: "fix", branch: "symposium/fix", path: "/work/fix" },
  commands: [{ name: "review", description: "Review", hint: "branch" }],
};

/** Items of all kinds and in all states in which they have other texts. */
function items(now: number): Item[] {
  const tool = (id: string, more: Partial<ItemOf<"tool">>): Item => ({
    ...{ kind: "tool", id, title: "Do it", toolKind: "other", status: "completed", locations: [], content: [] },
    ...{ startedAt: now - 9_000, endedAt: now - 1_000 },
    ...more,
  });
  const kinds = [
    "read",
    "edit",
    "delete",
    "move",
    "search",
    "execute",
    "think",
    "fetch",
    "switch_mode",
    "other",
    "odd",
  ];
  const diff: ToolContent = {
    type: "diff",
    path: "/w/a.ts",
    added: 2,
    removed: 0,
    isNewFile: true,
    isCut: true,
    patch: "@@ -0,0 +1,2 @@\n+a\n+b\n",
  };
  const schema = {
    required: ["name"],
    properties: {
      name: { type: "string", title: "Name", minLength: 3 },
      key: { type: "string", title: "Key", format: "password" },
      size: { type: "integer", title: "Size", minimum: 1 },
      sure: { type: "boolean", title: "Sure" },
      one: { type: "string", title: "One", enum: ["a", "b"] },
      many: { type: "array", title: "Many", items: { type: "string", enum: ["a", "b"] } },
    },
  };
  const methods = [true, false].map((isTerminal) => ({ id: `m${isTerminal}`, name: "Log in", isTerminal }));
  return [
    ...kinds.flatMap((toolKind) =>
      (["pending", "in_progress", "completed", "failed", "cancelled"] as const).map((status) =>
        tool(`${toolKind}-${status}`, { toolKind, status }),
      ),
    ),
    tool("diff", { content: [diff, { type: "unknown", json: "{}" }], canStop: true, input: "{}", output: "x" }),
    tool("subagent:1", { status: "in_progress", canStop: true }),
    tool("exited", {
      toolKind: "execute",
      exit: { code: 1, signal: null },
      content: [{ type: "terminal", terminalId: "gone" }],
    }),
    tool("killed", { toolKind: "execute", exit: { code: null, signal: "SIGTERM" } }),
    ...["end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled", "xyz"].map((stopReason, at): Item => ({
      kind: "turn-end",
      id: `end${at}`,
      stopReason,
      durationMs: 90_000,
      inputTokens: 1_200,
      outputTokens: 3,
      tellsOfKeeping: at === 0,
    })),
    ...["resource_link", "resource", "image", "audio", "odd"].map((type): Item => ({
      ...{ kind: "content", id: `content-${type}` },
      block: {
        type,
        uri: "file:///w/a",
        name: "a",
        mimeType: "image/png",
        data: "",
        resource: { uri: "file:///w/a", text: "a" },
      },
    })),
    permission(),
    permission({
      id: "p2",
      title: "Change a.ts",
      ruleLabel: "edit",
      canLast: true,
      toolKind: "edit",
      content: [diff],
      warnings: ["Look"],
    }),
    permission({ id: "p3", answer: { label: "Allowed", comment: "Go" } }),
    ...(["waiting", "running", "done", "failed", "over"] as const).map((state): Item => ({
      ...{ kind: "authentication", id: `auth-${state}`, agentName: "A", reason: "It needs an account", methods, state },
    })),
    { kind: "elicitation", id: "form", message: "Who?", mode: "form", schema, problems: { name: "It is empty" } },
    { kind: "elicitation", id: "url", message: "Look", mode: "url", url: "https://example.com/" },
    {
      kind: "elicitation",
      id: "answered",
      message: "Who?",
      mode: "form",
      schema,
      answer: { action: "accept", summary: "Sent" },
    },
    {
      kind: "user",
      id: "steered",
      text: "More",
      attachments: [],
      isSteered: true,
      sentAt: now,
      actions: [{ id: "restore-checkpoint", label: "Restore" }],
    },
  ];
}

describe("the chat page in another language", () => {
  const pages = useChatPages();
  const found: Record<string, string[]> = {};
  let texts = "";
  before(async () => {
    texts = await pseudoTexts();
  });

  /** Opens a page with translations, and shows it the messages without Latin letters in the texts of others. */
  async function show(messages: ToWebview[]): Promise<ChatPage> {
    const chat = await pages.open({ texts, height: 8_000 });
    await chat.tell(...withForeignTexts(messages));
    return chat;
  }

  async function look(name: string, chat: ChatPage): Promise<void> {
    const plain = await plainTexts(chat.page);
    if (plain.length > 0) found[name] = plain;
  }

  it("translates its start page", async () => {
    const places = ["here", "elsewhere", ...Array<"install">(8).fill("install"), "demo"] as const;
    const agents = places.map((place, at): AgentChoice => ({ id: `a${at}`, name: "A", place, isCurrent: at === 0 }));
    for (const more of [{ agents }, { isListing: true }, { listProblem: "No" }, { isTrusted: false }, {}]) {
      const settings = { ...noSettings, ...more };
      const chat = await show([
        { type: "settings", settings },
        { type: "tabs", tabIds: [], selected: null },
      ]);
      await look(`start ${JSON.stringify(Object.keys(more))}`, chat);
    }
    assert.deepEqual(found, {});
  });

  it("translates all items, cards and states of a tab", async () => {
    const now = Date.now();
    const { items: usual, terminals } = gallery(now);
    const chat = await show(opened([...usual, ...items(now)], { terminals, state: busy, total: 300 }));
    const shown = ["tool", "turn-end", "permission-card", "elicitation-card", "authentication-card", "notice", "diff"];
    const counts = shown.map((name) => chat.page.locator(`symposium-${name}`).count());
    assert.deepEqual(await Promise.all(counts), [65, 7, 3, 3, 5, 3, 3]);
    await look("items", chat);
    for (const phase of ["starting", "restoring", "ready", "running", "stopping", "failed"] as const)
      await look(phase, await show(opened([], { state: { phase, title: "x" }, folders: ["a", "b"] })));
    assert.deepEqual(found, {});
  });

  it("translates what opens with a click or a key", async () => {
    const now = Date.now();
    const { items: usual, terminals } = gallery(now);
    const all = opened([...usual, ...items(now)], { terminals, state: busy });
    const chat = await show(all);
    await chat.page.evaluate(() => {
      for (const opener of document.querySelectorAll<HTMLElement>("summary, .tool [aria-expanded=false]"))
        opener.click();
    });
    await chat.drawn();
    await look("opened items", chat);
    for (const opener of [".new-tab-more", "symposium-composer symposium-picker button", ".card-remember button"]) {
      await chat.page.locator(opener).first().click();
      await chat.page.locator(".popup").first().waitFor();
      await look(opener, chat);
      await chat.page.keyboard.press("Escape");
    }
    const field = chat.page.locator(".prompt-text");
    for (const text of ["/", "@x"]) {
      await field.fill(text);
      await chat.page.locator(".popup").waitFor();
      await look(text, chat);
    }
    assert.deepEqual(found, {});
  });
});
