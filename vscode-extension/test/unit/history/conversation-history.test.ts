import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Item } from "../../../protocol/index.js";
import { RecordingNotice } from "../../../src/features/history/recording-notice.js";
import { toMarkdown } from "../../../src/features/history/transcript-export.js";
import { StoredWindow } from "./stored-window.js";

const items: readonly Item[] = [
  { kind: "user", id: "u1", text: "Why is the pomegranate red?", attachments: [], sentAt: 1_700_000_000_001 },
  { kind: "thought", id: "th", text: "Hm.", startedAt: 1_700_000_000_002, endedAt: 1_700_000_000_003 },
  { kind: "text", id: "a1", text: "Let me look.", messageId: "m1" },
  {
    kind: "tool",
    id: "c1",
    title: "npm test",
    toolKind: "execute",
    status: "completed",
    locations: [{ path: "/project/a.ts", line: 3, label: "a.ts" }],
    content: [{ type: "terminal", terminalId: "t1" }],
    input: "npm test",
    exit: { code: 1, signal: null },
    startedAt: 1_700_000_000_004,
    endedAt: 1_700_000_000_005,
  },
  { kind: "text", id: "a2", text: "It is the anthocyanins." },
  { kind: "turn-end", id: "e1", stopReason: "end_turn" },
  {
    kind: "user",
    id: "u2",
    text: "And this?",
    attachments: [{ type: "text", label: "notes", text: "one\ntwo" }],
    sentAt: 1_700_000_000_010,
  },
  { kind: "text", id: "a3", text: "Two lines." },
  { kind: "turn-end", id: "e2", stopReason: "end_turn" },
];

describe("the history of conversations", function () {
  this.timeout(120_000);
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "symposium-history-"));
  });

  afterEach(() => rm(folder, { recursive: true, force: true }));

  /** A tab of an earlier version, closed: nothing of it is in the store. */
  async function closeOne(tabId: string, record: object = {}): Promise<void> {
    await using window = new StoredWindow({ folder });
    const tab = window.open(tabId, record);
    tab.transcript.publish({ op: "tab", patch: { title: "Fruit" } });
    tab.transcript.publish({ op: "terminal", terminalId: "t1", text: "1 failing\n", exit: { code: 1, signal: null } });
    for (const item of items) tab.transcript.publish({ op: "put", item });
    await window.close(tab);
  }

  const sessions = (): Promise<string[]> =>
    readdir(join(folder, "sessions")).then(
      (names) => names.filter((name) => name.endsWith(".jsonl")),
      () => [],
    );
  const tabs = (): Promise<string[]> => readdir(join(folder, "window", "tabs")).catch(() => []);

  async function assertMoved(): Promise<void> {
    await using window = new StoredWindow({ folder });
    assert.equal((await sessions()).length, 1);
    assert.deepEqual(await tabs(), []);
    const search = await window.history.search();
    const [found, ...others] = await search.find("POMEGRANATE anthocyanins");
    assert.equal(others.length, 0);
    assert.match(found?.snippet ?? "", /Why is the pomegranate red/);
    assert.equal((await search.find("1 failing")).length, 1);
    assert.ok(found);
    const opened = await window.history.open(found.past);
    assert.ok(opened);
    const { items: shown, state } = opened.transcript.transcript;
    assert.deepEqual([state.title, state.agentName, state.phase], ["Fruit", "Eliza", "ready"]);
    const told = shown.flatMap((item): unknown[] => {
      if (item.kind === "tool") return [[item.title, item.status, item.input, item.exit?.code, item.content]];
      return item.kind === "user" ? [[item.text, item.attachments]] : item.kind === "text" ? [item.text] : [];
    });
    const output = { type: "content", block: { type: "text", text: "1 failing\n" } };
    assert.deepEqual(told, [
      ["Why is the pomegranate red?", []],
      "Let me look.",
      ["npm test", "completed", "npm test", 1, [output]],
      "It is the anthocyanins.",
      ["And this?", [{ type: "text", label: "notes", text: "one\ntwo" }]],
      "Two lines.",
    ]);
    assert.match(toMarkdown(opened.transcript.transcript), /^# Fruit\n[^]*anthocyanins[^]*And this\?/);
  }

  it("lists open conversations first, finds them by their words, and leads to their tab", async () => {
    await closeOne("tab-1", { sessionId: "session-1" });
    await using window = new StoredWindow({ folder });
    const tab = window.open("tab-2");
    window.open("tab-without-a-prompt");
    tab.transcript.publish({ op: "tab", patch: { title: "Birds" } });
    const text = { kind: "text", id: "t", text: "A nuthatch walks down the trunk." } as const;
    tab.transcript.publish({ op: "put", item: { kind: "user", id: "u", text: "Which bird?", attachments: [] } });
    tab.transcript.publish({ op: "put", item: text });
    const search = await window.history.search();
    const found = await search.find("");
    const [match, ...others] = await search.find("bird nuthatch");
    assert.deepEqual(
      found.map(({ past }) => [past.title, past.open?.tabId]),
      [
        ["Birds", "tab-2"],
        ["Fruit", undefined],
      ],
    );
    assert.deepEqual([match?.past.open, match?.past.prompts, others.length], [tab, 1, 0]);
    assert.match(match?.snippet ?? "", /A nuthatch walks/);
  });

  it("knows a kept conversation by its id, open or closed", async () => {
    await closeOne("tab-1", { sessionId: "session-1" });
    await using window = new StoredWindow({ folder });
    await window.history.settle();
    const [stored] = await window.store.list();
    const id = stored?.id ?? "";
    const closed = await window.history.kept(id);
    assert.ok(closed && "stored" in closed);
    assert.deepEqual([closed.title, await window.history.kept("frob")], ["Fruit", undefined]);
    const tab = window.open("tab-2", { sessionId: "session-1" });
    assert.equal(await window.history.kept(id), tab);
  });

  it("moves a closed tab of before to where all conversations are kept, where it is found, opened and exported", async () => {
    await closeOne("tab-1", { sessionId: "session-1" });
    {
      await using window = new StoredWindow({ folder });
      assert.deepEqual(await window.titles(), ["Fruit"]);
      await window.history.settle();
      assert.deepEqual(window.told, []);
      const [stored] = await window.store.list();
      const { session, agent, cwd, turns, title } = stored ?? {};
      assert.deepEqual([session, agent, cwd, turns, title], ["session-1", "kept-eliza", "/project", 2, "Fruit"]);
    }
    await assertMoved();
  });

  for (const step of ["exported", "imported", "read back", "journal deleted"]) {
    it(`loses nothing of a tab when the window is killed once it is ${step}, and moves it the next time`, async () => {
      await closeOne("tab-1");
      const script = fileURLToPath(new URL("killed-window.js", import.meta.url));
      const child = spawn(process.execPath, [script, folder, step], { stdio: "inherit" });
      const [, signal] = (await once(child, "close")) as [unknown, string | null];
      if (process.platform !== "win32") assert.equal(signal, "SIGKILL");
      await using window = new StoredWindow({ folder });
      assert.deepEqual(await window.titles(), ["Fruit"]);
      const [found] = await (await window.history.search()).find("anthocyanins");
      assert.ok(found);
      await window.history.settle();
      await assertMoved();
    });
  }

  it("has what a closed tab had not sent yet when it is opened again, after its words were moved", async () => {
    const notes = { type: "text", label: "notes", text: "one" } as const;
    {
      await using window = new StoredWindow({ folder });
      const tab = window.open("tab-1", { draft: { text: "and then", attachments: [notes] } });
      for (const item of items) tab.transcript.publish({ op: "put", item });
      const queue = [{ messageId: "q1", text: "Peel it.", attachments: [] }];
      tab.transcript.publish({ op: "tab", patch: { queue } });
      await window.close(tab);
    }
    await using window = new StoredWindow({ folder });
    await window.history.settle();
    await window.history.settle();
    assert.deepEqual([await tabs(), await sessions().then(({ length }) => length)], [["tab-1"], 1]);
    assert.equal(existsSync(window.archive.journalOf("tab-1")), false);
    const [found, ...others] = await (await window.history.search()).find("anthocyanins");
    assert.ok(found);
    const opened = await window.history.open(found.past);
    assert.deepEqual([opened?.record.draft, others], [{ text: "Peel it.\n\nand then", attachments: [notes] }, []]);
    assert.equal(opened?.transcript.transcript.state.queue.length, 0);
  });

  for (const [where, messageId, text] of [
    ["waits", "q1", "Peel it well.\n\nand then"],
    ["was sent meanwhile", "q0", "Peel it.\n\nand then\n\nPeel it well."],
  ] as const) {
    it(`has what was written in a prompt of the queue that ${where}, when its closed tab is opened again`, async () => {
      {
        await using window = new StoredWindow({ folder });
        const edit = { messageId, was: "Peel it.", text: "Peel it well." };
        const tab = window.open("tab-1", { draft: { text: "and then", attachments: [], edit } });
        for (const item of items) tab.transcript.publish({ op: "put", item });
        const queue = [{ messageId: "q1", text: "Peel it.", attachments: [] }];
        tab.transcript.publish({ op: "tab", patch: { queue } });
        await window.close(tab);
      }
      await using window = new StoredWindow({ folder });
      await window.history.settle();
      await window.history.settle();
      const [found] = await (await window.history.search()).find("anthocyanins");
      assert.ok(found);
      const opened = await window.history.open(found.past);
      assert.deepEqual(opened?.record.draft, { text, attachments: [] });
    });
  }

  it("keeps a damaged tab where it is, tells of it once, and moves the others", async () => {
    await closeOne("good");
    await closeOne("damaged");
    const file = join(folder, "window", "tabs", "damaged", "transcript.jsonl");
    const text = await readFile(file, "utf8");
    const damaged = `${text}{"index":12,"changes":[{"op":"pu\u0000\n`;
    await writeFile(file, damaged);
    await using window = new StoredWindow({ folder });
    await window.history.settle();
    await window.history.settle();
    assert.equal(window.told.length, 1);
    assert.match(window.told[0] ?? "", /^1 earlier conversation .* damaged/);
    assert.deepEqual(await tabs(), ["damaged"]);
    assert.equal(await readFile(file, "utf8"), damaged);
    assert.equal((await sessions()).length, 1);
    assert.equal((await window.titles()).length, 2);
  });

  it("keeps closed tabs by itself where conversations are not to be kept", async () => {
    await writeFile(join(folder, "config.jsonc"), '{ "conversations": { "keep": false } }');
    await closeOne("tab-1");
    await using window = new StoredWindow({ folder });
    await window.history.settle();
    assert.deepEqual([await sessions(), await tabs(), window.told], [[], ["tab-1"], []]);
    assert.equal(existsSync(window.archive.exportOf("tab-1")), false);
    const [found] = await (await window.history.search()).find("anthocyanins");
    assert.ok(found);
    assert.equal((await window.history.open(found.past))?.transcript.transcript.items.length, items.length);
  });

  it("shows what was said elsewhere, to be gone on with by its agent, or by another one where that is not to be had", async () => {
    await mkdir(join(folder, "sessions"));
    for (const agent of ["kept-eliza", "unknown-agent"]) {
      const lines = [
        {
          version: 1,
          session: `of-${agent}`,
          cwd: agent === "kept-eliza" ? folder : "/nowhere",
          agent,
          client: "zed",
          started: 1_700_000_000_000,
        },
        { at: 1_700_000_000_001, turn: 1, prompt: [{ type: "text", text: `Hello ${agent}` }] },
        {
          at: 1_700_000_000_002,
          update: {
            sessionId: `of-${agent}`,
            update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "Hi." } },
          },
        },
      ];
      const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
      await writeFile(join(folder, "sessions", `20231114221320-${agent}.jsonl`), text);
    }
    await using window = new StoredWindow({ folder });
    const opened = async (agent: string) => {
      const [found] = await (await window.history.search()).find(`hello ${agent}`);
      assert.ok(found);
      return window.history.open(found.past);
    };
    for (const agent of ["kept-eliza", "unknown-agent"]) {
      const seen = await opened(agent);
      assert.ok(seen);
      await window.close(window.restore(seen));
      await window.history.settle();
    }
    assert.deepEqual([await tabs(), window.told, (await sessions()).length], [[], [], 2], "seen, and closed again");
    const own = await opened("kept-eliza");
    assert.deepEqual(own?.record, {
      tabId: "kept-20231114221320-kept-eliza",
      createdAt: 1_700_000_000_000,
      folder,
      sessionId: "of-kept-eliza",
      isKept: true,
    });
    const other = await opened("unknown-agent");
    assert.deepEqual(other?.record.branch?.from, {
      agentName: "unknown-agent",
      kept: "20231114221320-unknown-agent",
    });
    assert.deepEqual([other.record.sessionId, other.record.folder], [undefined, undefined]);
    const last = other.transcript.transcript.items.at(-1);
    assert.equal(last?.kind === "notice" ? last.title : "", "Continuing with Eliza");
  });

  it("says below the first turn that is kept that conversations are, and once only", async () => {
    await closeOne("tab-1", { sessionId: "session-1" });
    await using window = new StoredWindow({ folder });
    const memory = new Map<string, unknown>();
    const notice = new RecordingNotice({
      memory: {
        get: (key) => memory.get(key),
        update: (key, value) => Promise.resolve(void memory.set(key, value)),
      },
      store: window.store,
    });
    const tab = window.open("tab-2", { sessionId: "session-1" });
    const ended = async (): Promise<unknown> => {
      const end = { kind: "turn-end", id: crypto.randomUUID(), stopReason: "end_turn" } as const;
      tab.transcript.publish({ op: "put", item: end });
      await notice.turnEnded(tab);
      const last = tab.transcript.transcript.items.at(-1);
      return last?.kind === "turn-end" && last.tellsOfKeeping;
    };
    const beforeItIsKept = await ended();
    await window.history.settle();
    assert.deepEqual([beforeItIsKept, await ended(), await ended()], [undefined, true, undefined]);
  });

  it("finds, renames and deletes a closed tab that was moved after it was listed", async () => {
    await closeOne("tab-1", { sessionId: "session-1" });
    await using window = new StoredWindow({ folder });
    const search = await window.history.search();
    await window.history.settle();
    assert.equal((await sessions()).length, 1);
    const [found] = await search.find("anthocyanins");
    assert.match(found?.snippet ?? "", /anthocyanins/);
    assert.ok(found);
    assert.equal(await window.history.rename(found.past, "Red things"), true);
    assert.deepEqual(
      (await window.store.list()).map(({ title }) => title),
      ["Red things"],
    );
    assert.equal(await window.history.delete(found.past), true);
    assert.deepEqual(await sessions(), []);
  });

  it("deletes and renames a conversation for every editor", async () => {
    await closeOne("tab-1");
    await using window = new StoredWindow({ folder });
    await window.history.settle();
    const past = async () => (await (await window.history.search()).find(""))[0]?.past;
    const first = await past();
    assert.ok(first);
    assert.equal(await window.history.rename(first, "Red things"), true);
    assert.deepEqual(
      (await window.store.list()).map(({ title }) => title),
      ["Red things"],
    );
    const renamed = await past();
    assert.ok(renamed);
    assert.equal(await window.history.delete(renamed), true);
    assert.deepEqual([await sessions(), await window.titles()], [[], []]);
    assert.equal(existsSync(join(folder, "sessions")), true);
  });

  it("has nothing left of a conversation that was deleted elsewhere, not even what was not sent", async () => {
    for (const name of ["tab-1", "tab-2"]) {
      await closeOne(name, { sessionId: name, draft: { text: "and then", attachments: [] } });
    }
    {
      await using window = new StoredWindow({ folder });
      await window.history.settle();
      const gone = (await window.store.list()).find(({ session }) => session === "tab-1");
      await window.store.delete([gone?.id ?? ""]);
    }
    await using window = new StoredWindow({ folder });
    await window.history.settle();
    assert.deepEqual(await tabs(), ["tab-2"]);
    await rm(join(folder, "sessions"), { recursive: true });
    // A folder that is not there says nothing about what was in it.
    await window.history.settle();
    assert.deepEqual(await tabs(), ["tab-2"]);
  });

  it("does not bring back from a closed tab that was not moved yet what was deleted elsewhere", async () => {
    await closeOne("tab-1", { sessionId: "session-1" });
    const [stored, copy] = [join(folder, "window", "tabs", "tab-1"), join(folder, "copy")];
    await cp(stored, copy, { recursive: true });
    {
      await using window = new StoredWindow({ folder });
      await window.history.settle();
      await window.store.delete((await window.store.list()).map(({ id }) => id));
    }
    // As if the window had been killed before it was moved.
    await cp(copy, stored, { recursive: true });
    {
      await using window = new StoredWindow({ folder });
      await window.history.settle();
      assert.deepEqual([await sessions(), await tabs()], [[], []]);
    }
    // Messages after the deletion are a new conversation.
    await closeOne("tab-2", { sessionId: "session-1" });
    await using window = new StoredWindow({ folder });
    await window.history.settle();
    assert.equal((await sessions()).length, 1);
  });
});
