import assert from "node:assert/strict";
import { appendFile, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { AgentFailure } from "@symposium-dev/core";
import { applyChange, type Change } from "../../../protocol/index.js";
import { crashNotice } from "../../../src/acp/conversation-notices.js";
import { ChatTab } from "../../../src/features/chat/chat-tab.js";
import { TabTranscript } from "../../../src/features/chat/tab-transcript.js";
import { Journal, snapshotText } from "../../../src/features/history/journal.js";
import { TabArchive } from "../../../src/features/history/tab-archive.js";
import { Logger } from "../../../src/features/log/logger.js";
import { eventually } from "../../host/eventually.js";
import { anyChange, emptyTranscript } from "../chat/change-samples.js";

const logger = new Logger({ write: () => undefined });
const user: Change = { op: "put", item: { kind: "user", id: "u", text: "Hello", attachments: [], sentAt: 1 } };

/** A window with an archive of its own over `storage`. */
class StoredWindow implements AsyncDisposable {
  readonly archive: TabArchive;

  constructor(storage: string) {
    this.archive = new TabArchive(storage, logger);
  }

  open(tabId: string, transcript = new TabTranscript(emptyTranscript())): ChatTab {
    const tab = new ChatTab(
      transcript,
      { tabId, createdAt: 1 },
      {
        converse: () => Promise.reject(new Error("No agent is needed here.")),
        isUpToDate: () => Promise.resolve(true),
        recordChanged: (changed) => this.archive.recordChanged(changed),
      },
    );
    this.archive.add(tab);
    this.archive.orderChanged([tabId], tabId);
    return tab;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.archive[Symbol.asyncDispose]();
  }
}

describe("the archive of tabs", () => {
  let storage: string;

  beforeEach(async () => {
    storage = await mkdtemp(join(tmpdir(), "symposium-archive-"));
  });

  afterEach(() => rm(storage, { recursive: true, force: true }));

  async function restored(): Promise<TabTranscript | undefined> {
    await using window = new StoredWindow(storage);
    const [summary] = await window.archive.claimOpen();
    return summary && (await window.archive.load(summary))?.transcript;
  }

  it("gives an open tab back as it was left, with its draft", async () => {
    {
      await using window = new StoredWindow(storage);
      const tab = window.open("tab-1");
      tab.transcript.publish(user);
      tab.transcript.publish({ op: "put", item: { kind: "text", id: "a", text: "Hi" } });
      tab.setDraft({ text: "next", attachments: [] });
      tab.transcript.flush();
    }
    await using window = new StoredWindow(storage);
    const [summary] = await window.archive.claimOpen();
    assert.deepEqual(summary?.record, { tabId: "tab-1", createdAt: 1, draft: { text: "next", attachments: [] } });
    const stored = await window.archive.load(summary);
    assert.deepEqual(
      stored?.transcript.transcript.items.map(({ id }) => id),
      ["u", "a"],
    );
    assert.equal(stored.transcript.index, 2);
  });

  it("stores any course of changes, in whatever batches, so that it comes back the same", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyChange, { maxLength: 30 }), fc.array(fc.nat(30)), async (changes, flushes) => {
        const transcript = new TabTranscript(emptyTranscript());
        {
          await using window = new StoredWindow(storage);
          window.open("tab-1", transcript);
          for (const [at, change] of changes.entries()) {
            transcript.publish(change);
            if (flushes.includes(at)) transcript.flush();
          }
          transcript.publish({ op: "put", item: { kind: "text", id: "end", text: "" } });
          transcript.publish({ op: "tab", patch: { turnStartedAt: null, phase: "ready" } });
          transcript.flush();
        }
        const back = await restored();
        const ended = transcript.transcript.items.filter((item) => item.kind !== "thought");
        assert.deepEqual(
          back?.transcript.items.filter((item) => item.kind !== "thought"),
          ended,
        );
        assert.deepEqual(back.transcript.state, transcript.transcript.state);
        await rm(storage, { recursive: true, force: true });
      }),
      { numRuns: 25 },
    );
  });

  it("reads a journal whose last line is torn, and mends it with the next change", async () => {
    let file: string;
    {
      await using window = new StoredWindow(storage);
      const tab = window.open("tab-1");
      file = window.archive.journalOf("tab-1");
      tab.transcript.publish(user);
      tab.transcript.flush();
      tab.transcript.publish({ op: "put", item: { kind: "text", id: "a", text: "Hi" } });
      tab.transcript.flush();
    }
    await appendFile(file, '{"index":3,"changes":[{"op":"app');
    {
      await using window = new StoredWindow(storage);
      const [summary] = await window.archive.claimOpen();
      const stored = summary && (await window.archive.load(summary));
      assert.ok(stored);
      const tab = window.open("tab-1", stored.transcript);
      tab.transcript.publish({ op: "append", id: "a", text: " there" });
      tab.transcript.flush();
    }
    assert.equal((await readFile(file, "utf8")).trim().split("\n").length, 1);
    const back = await restored();
    assert.deepEqual(back?.transcript.items.at(-1), { kind: "text", id: "a", text: "Hi there" });
  });

  it("lets others have their turn amid a long journal", async () => {
    const transcript = emptyTranscript();
    for (let index = 0; index < 2_000; index++) {
      applyChange(transcript, { op: "put", item: { kind: "text", id: `${index}`, text: "a line" } });
    }
    const file = join(storage, "long.jsonl");
    await writeFile(file, snapshotText(transcript, 1));
    // Each look at the clock finds that it is others' turn.
    const looks: number[] = [0];
    let time = 0;
    performance.now = () => {
      looks.push((looks.pop() ?? 0) + 1);
      return (time += 1_000);
    };
    let isRead = false;
    const count = (): void => {
      looks.push(0);
      if (!isRead) setImmediate(count);
    };
    count();
    try {
      assert.equal((await Journal.read(file))?.transcript.items.length, 2_000);
    } finally {
      isRead = true;
      Reflect.deleteProperty(performance, "now");
    }
    assert.ok(looks.reduce((sum, one) => sum + one) >= 2_000);
    assert.ok(Math.max(...looks) < 20, `${Math.max(...looks)} looks in one turn`);
  });

  it("settles what a closed window left open", async () => {
    {
      await using window = new StoredWindow(storage);
      const tab = window.open("tab-1");
      tab.transcript.publish(user);
      tab.transcript.publish({ op: "tab", patch: { phase: "running", turnStartedAt: 5, waiting: 1 } });
      tab.transcript.publish({
        op: "put",
        item: {
          kind: "tool",
          id: "t",
          title: "Run",
          toolKind: "execute",
          status: "in_progress",
          locations: [],
          content: [],
          startedAt: 1,
        },
      });
      const methods = [{ id: "key", name: "API key", isTerminal: false }];
      const signIn = {
        kind: "authentication",
        id: "a",
        agentName: "Scripted",
        reason: "No account.",
        methods,
      } as const;
      tab.transcript.publish({ op: "put", item: { ...signIn, state: "waiting" } });
      const failure = new AgentFailure("component-exited", "Scripted exited with code 1.");
      tab.transcript.publish({ op: "put", item: crashNotice("n", "Scripted", failure, true) });
      tab.transcript.flush();
    }
    const back = await restored();
    const { phase, turnStartedAt, waiting } = back?.transcript.state ?? {};
    assert.deepEqual({ phase, turnStartedAt, waiting }, { phase: "ready", turnStartedAt: undefined, waiting: 0 });
    const [, tool, signIn, crash, end] = back?.transcript.items ?? [];
    assert.equal(tool?.kind === "tool" ? tool.status : undefined, "cancelled");
    assert.equal(signIn?.kind === "authentication" ? signIn.state : undefined, "over");
    assert.equal(
      crash?.kind === "notice" ? crash.text : undefined,
      "Scripted exited with code 1. It is being restarted. The window was closed before this finished.",
    );
    assert.equal(end?.kind === "turn-end" ? end.stopReason : undefined, "interrupted");
  });

  it("leaves the tabs of a window that lives to that window", async () => {
    await using first = new StoredWindow(storage);
    const tab = first.open("tab-1");
    tab.transcript.publish(user);
    tab.transcript.flush();
    // In the product, the other window is a separate process. Its claim has the same effect here.
    await first.archive.claim("tab-1");
    await using second = new StoredWindow(storage);
    assert.deepEqual(await second.archive.claimOpen(), []);
    assert.equal(await second.archive.delete("tab-1"), false);
    const [summary] = await second.archive.summaries();
    if (summary) assert.equal(await second.archive.rename(summary, "Mine"), false);
  });

  it("lets go of a tab that it deleted or renamed", async () => {
    {
      await using window = new StoredWindow(storage);
      window.open("tab-1").transcript.publish(user);
    }
    await using first = new StoredWindow(storage);
    await using second = new StoredWindow(storage);
    const [summary] = await first.archive.summaries();
    assert.ok(summary);
    assert.deepEqual(
      [await first.archive.rename(summary, "Ours"), await second.archive.rename(summary, "Theirs")],
      [true, true],
    );
    assert.deepEqual([await first.archive.delete("tab-1"), await second.archive.claim("tab-1")], [true, true]);
  });

  it("keeps a closed tab in the history when something was said in it, and forgets one without a word", async () => {
    await using window = new StoredWindow(storage);
    const [said, silent] = [window.open("said"), window.open("silent")];
    said.transcript.publish(user);
    said.transcript.flush();
    await window.archive.closed(said);
    await window.archive.closed(silent);
    const summaries = await window.archive.summaries();
    assert.deepEqual(
      summaries.map(({ record, isOpen, prompts }) => [record.tabId, isOpen, prompts]),
      [["said", false, 1]],
    );
    assert.deepEqual(await window.archive.claimOpen(), []);
  });

  it("leaves a tab closed whose summary was being written, slowly, when it was closed", async () => {
    await using window = new StoredWindow(storage);
    const tab = window.open("tab-1");
    tab.transcript.publish(user);
    tab.transcript.flush();
    // Long enough that what comes after it would be on disk before.
    tab.setDraft({ text: "word ".repeat(8_000_000), attachments: [] });
    const folder = dirname(window.archive.journalOf("tab-1"));
    const names = (): Promise<string[]> => readdir(folder).catch(() => []);
    // On a fast disk it may be written already.
    await eventually(async () => assert.ok((await names()).some((name) => name.includes("tab.json"))));
    tab.setDraft({ text: "next", attachments: [] });
    await window.archive.closed(tab);
    await eventually(async () => assert.ok(!(await names()).some((name) => name.startsWith(".tab.json."))));
    const summary = await window.archive.summary("tab-1");
    assert.deepEqual([summary?.isOpen, summary?.record.draft?.text], [false, "next"]);
  });

  it("does not open a tab again that is being closed while tabs of a window before are looked for", async () => {
    {
      await using window = new StoredWindow(storage);
      const tab = window.open("tab-1");
      tab.transcript.publish(user);
      tab.transcript.flush();
    }
    await using window = new StoredWindow(storage);
    const [summary] = await window.archive.claimOpen();
    const stored = summary && (await window.archive.load(summary));
    assert.ok(stored);
    const tab = window.open("tab-1", stored.transcript);
    const [late] = await Promise.all([window.archive.claimOpen(), window.archive.closed(tab)]);
    assert.deepEqual(late, []);
  });

  it("renames and deletes closed tabs", async () => {
    await using window = new StoredWindow(storage);
    const tab = window.open("tab-1");
    tab.transcript.publish(user);
    tab.transcript.flush();
    await window.archive.closed(tab);
    const [summary] = await window.archive.summaries();
    assert.ok(summary);
    await window.archive.rename(summary, "About greetings");
    const [renamed] = await window.archive.summaries();
    assert.equal(renamed?.title, "About greetings");
    assert.equal((await window.archive.load(renamed))?.transcript.transcript.state.title, "About greetings");
    assert.equal(await window.archive.delete("tab-1"), true);
    assert.deepEqual(await window.archive.summaries(), []);
  });

  it("shows a stored item that it does not understand as it is", async () => {
    let file: string;
    {
      await using window = new StoredWindow(storage);
      const tab = window.open("tab-1");
      file = window.archive.journalOf("tab-1");
      tab.transcript.publish(user);
      tab.transcript.flush();
    }
    const later = { index: 2, changes: [{ op: "put", item: { kind: "hologram", id: "h", depth: 3 } }] };
    await appendFile(file, `${JSON.stringify(later)}\n`);
    const back = await restored();
    const item = back?.transcript.items.at(-1);
    assert.deepEqual(item, {
      kind: "unknown",
      id: "h",
      label: "stored item",
      json: JSON.stringify({ kind: "hologram", id: "h", depth: 3 }, null, 2),
    });
  });
});
