import assert from "node:assert/strict";
import * as l10n from "@vscode/l10n";
import { newTabState, type Item, type TabState } from "../../../protocol/index.js";
import { type ComparedResult, comparedResult } from "../../../src/features/worktrees/compared-result.js";
import { pseudoTexts } from "../webview/pseudo-texts.js";
import { comparisonPage } from "../../../src/features/worktrees/comparison-page.js";

const agent = { id: "claude", name: "Claude Code" };
const tab = { tabId: "tab-1", name: "fix-the-tax", isThere: true };
const ready: TabState = { ...newTabState(agent), phase: "ready" };
const end = (stopReason: string): Item => ({
  ...{ kind: "turn-end", id: crypto.randomUUID(), stopReason, durationMs: 1_500, inputTokens: 1_000, outputTokens: 20 },
});
const run = (text: string): Item => ({
  ...{ kind: "tool", id: crypto.randomUUID(), title: "mcp__tests__run_tests", toolKind: "other", status: "completed" },
  ...{ locations: [], content: [{ type: "content", block: { type: "text", text } }], startedAt: 0 },
});

describe("the result of a prompt that several agents got", () => {
  it("has what the turns took together, what the agent says of cost, and the last verdict of each runner", () => {
    const items = [
      run("vitest 5.1.1: 1 failed, 1 passed, exit 1 [t1]\n1) adds"),
      end("end_turn"),
      run("vitest 5.1.1: 2 passed, 1 skipped\n\npytest: 4 passed"),
      end("end_turn"),
    ];
    const state = { ...ready, usage: { used: 1, size: 2, cost: { amount: 0.1234, currency: "USD" } } };
    const files = [{ path: "a.ts", added: 1, removed: 0 }];
    assert.deepEqual(comparedResult(tab, state, items, files), {
      ...{ tabId: "tab-1", agentName: "Claude Code", name: "fix-the-tax", state: "done", files },
      tests: ["vitest 5.1.1: 2 passed, 1 skipped", "pytest: 4 passed"],
      ...{ durationMs: 3_000, inputTokens: 2_000, outputTokens: 40, cost: "USD 0.12" },
    });
  });

  it("says where the agent is: at work, waiting for the user, stopped, failed, or without its worktree", () => {
    const stateOf = (state: Partial<TabState>, items: readonly Item[] = [end("end_turn")], isThere = true): string =>
      comparedResult({ ...tab, isThere }, { ...ready, ...state }, items, []).state;
    const queued = { messageId: "m", text: "Fix it", attachments: [] };
    const states = [
      stateOf({ phase: "running" }),
      stateOf({ phase: "running", waiting: 1 }),
      stateOf({}, []),
      stateOf({ phase: "starting", queue: [queued] }, []),
      stateOf({ queue: [queued] }, []),
      stateOf({ queue: [queued] }, [end("cancelled")]),
      stateOf({}, [end("cancelled")]),
      stateOf({}, [end("error")]),
      stateOf({ phase: "failed" }),
      stateOf({}, [end("end_turn")], false),
    ];
    assert.deepEqual(states, [
      "working",
      "waiting",
      "working",
      "working",
      "waiting",
      "waiting",
      "stopped",
      "failed",
      "failed",
      "gone",
    ]);
  });
});

describe("the page of compared results", () => {
  const done: ComparedResult = {
    ...{ tabId: "tab-1", agentName: "A <b>", name: "fix", state: "done", tests: [] },
    files: [{ path: "<i>.ts", added: 2, removed: 1 }, { path: "image.png" }],
  };

  it("runs no script, and shows names and prompts as the text that they are", () => {
    const page = comparisonPage("say <script>alert(1)</script>", [done], "en");
    assert.match(page, /default-src 'none'; style-src 'nonce-/);
    assert.doesNotMatch(page, /<script|<b>|<i>/);
    assert.match(page, /A &lt;b&gt;/);
    assert.match(page, /2 files changed, \+2 −1/);
  });

  it("is in the user's language", async () => {
    const fresh = new URL("../../../src/features/worktrees/comparison-page.js?accents", import.meta.url).href;
    l10n.config({ contents: await pseudoTexts() });
    try {
      // The texts in the module's constants are read when it loads.
      const { comparisonPage: page } = (await import(fresh)) as { comparisonPage: typeof comparisonPage };
      const files = Array.from({ length: 99 }, (_, at) => ({ path: `${at}` }));
      const parts = { durationMs: 75_000, inputTokens: 1, outputTokens: 2 };
      const results = [
        { ...done, ...parts, agentName: "\u0436", name: "\u0436", files },
        { ...done, agentName: "\u0436", name: "\u0436", files: [] },
      ];
      const texts = [...page("\u0436", results, "x").matchAll(/(?:>|title="|aria-label=")([^<>"{}]+)["<]/g)].map(
        ([, text = ""]) => text,
      );
      assert.deepEqual(
        texts.filter((text) => /[aeiou]/.test(text)),
        [],
      );
      assert.ok(texts.length > 20);
    } finally {
      l10n.config({ contents: "{}" });
    }
  });

  it("offers to keep what is done and has changed something, by a command with the tab's id", () => {
    const href = `command:symposium.comparison.keep?${encodeURIComponent('["tab-1"]')}`;
    const keeps = [done, { ...done, files: [] }, { ...done, state: "working" as const }].map((result) =>
      comparisonPage("p", [result], "en").includes(href),
    );
    assert.deepEqual(keeps, [true, false, false]);
  });

  it("leads from each text file to its changes, and shows words instead of commands as tooltips", () => {
    const page = comparisonPage("p", [done], "en");
    const links = [...page.matchAll(/<a [^>]*>/g)].map(([tag]) => tag);
    const href = `command:symposium.comparison.diff?${encodeURIComponent('["tab-1","<i>.ts"]')}`;
    assert.deepEqual(
      links.filter((tag) => tag.includes("comparison.diff")).map((tag) => tag.includes(`href="${href}"`)),
      [true],
    );
    assert.deepEqual(
      links.map((tag) => /title="([^"]*)"/.exec(tag)?.[1]),
      [
        "Show the changes in &lt;i&gt;.ts",
        "Keep the result of A &lt;b&gt;",
        "Show the chat of A &lt;b&gt;",
        "Remove the worktree of A &lt;b&gt;",
      ],
    );
  });

  it("says why the files of one result cannot be told, beside the others", () => {
    const page = comparisonPage("p", [{ ...done, files: "fatal: <odd>" }, done], "en");
    assert.match(page, /<dd>fatal: &lt;odd&gt;<\/dd>/);
    assert.match(page, /2 files changed/);
    assert.equal(page.split("symposium.comparison.keep").length, 3);
  });
});
