import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { writeSync } from "node:fs";
import { appendFile, mkdir, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { oneLine } from "../../../../src/base/line-splitter.js";
import { SessionFolder } from "../../../../src/sessions/conversations/node/session-folder.js";
import { readSummary } from "../../../../src/sessions/conversations/node/stored-session.js";
import { defaultConversationSettings } from "../../../../src/settings/conversation-settings.js";
import {
  samplePlans,
  sampleToolCalls,
  stableUpdates,
  unknownUpdates,
  unstableUpdates,
} from "../../../../testing/sample-updates.js";
import { KnownSecrets } from "../../../../src/base/secrets/known-secrets.js";
import { KeptSessions } from "./kept-sessions.js";

/** The texts of the updates that are kept, as the editor got them. */
function updatesIn(text: string): string[] {
  return [...text.matchAll(/^\{"at":\d+,"update":(.*)\}$/gm)].map(([, params = ""]) => params);
}

const samples = [...samplePlans, ...sampleToolCalls, ...stableUpdates, ...unstableUpdates, ...unknownUpdates];

describe("SessionFolder", function () {
  this.timeout(60_000);

  it("keeps prompts, updates, permissions, how turns ended, touched files with their hashes, branch and tokens", async () => {
    await using kept = await KeptSessions.open();
    await mkdir(join(kept.root, ".git"));
    await writeFile(join(kept.root, ".git", "HEAD"), "ref: refs/heads/feature/x\n");
    const path = join(kept.root, "a.txt");
    await writeFile(path, "content");
    await kept.request("initialize", { protocolVersion: 1, clientInfo: { name: "an-editor", version: "1" } });
    await kept.open();
    kept.answer = { stopReason: "end_turn", usage: { totalTokens: 12 } };
    await kept.prompt("Mend  the\nparser", () => {
      kept.says("I ");
      kept.says("mend it.");
      kept.sends({
        sessionUpdate: "tool_call",
        toolCallId: "c",
        title: "Edit",
        locations: [{ path }, { path: "gone" }],
      });
      void kept.asks();
    });
    await kept.restart();
    const summary = { title: "Mend the parser", agent: "test-agent", turns: 1, tokens: 12 };
    const records = await kept.records();
    const kinds = ["header", "prompt", "update", "update", "said", "update", "permission", "end", "files"];
    assert.deepEqual(
      records.map(({ kind }) => kind),
      kinds,
    );
    const ends = records.flatMap((record) => (record.kind === "end" ? [record] : []));
    const sha256 = createHash("sha256").update("content").digest("hex");
    assert.deepEqual(
      ends.map(({ turn, end, summary: after }) => ({ turn, end, after })),
      [{ turn: 1, end: kept.answer, after: summary }],
    );
    const looked = records.at(-1);
    const files = [{ path, sha256 }, { path: join(kept.root, "gone") }];
    assert.deepEqual(looked?.kind === "files" && [looked.turn, looked.files], [1, files]);
    const [session] = await kept.sessions();
    assert.ok(session);
    const { id, started, updated, bytes, ...rest } = session;
    assert.deepEqual(rest, { session: "one", cwd: kept.root, client: "an-editor", branch: "feature/x", ...summary });
    assert.ok(id !== "" && started <= updated + 1_000 && bytes === (await stat(await kept.file())).size);
  });

  it("keeps what was said into a running turn, which no agent repeats, once the agent has it", async () => {
    await using kept = await KeptSessions.open();
    await kept.open();
    const say = (text: string) =>
      kept.request("_session/steering", { sessionId: "one", prompt: [{ type: "text", text }] });
    await kept.prompt("go");
    await say("mind the tests");
    await say("too late");
    await kept.settled();
    const update = { sessionUpdate: "user_message_chunk", content: { type: "text", text: "mind the tests" } };
    const said = (await kept.records()).flatMap((one) => (one.kind === "update" ? { ...one, at: 0 } : []));
    assert.deepEqual(said, [{ kind: "update", at: 0, params: { sessionId: "one", update }, byUser: true }]);
  });

  it("holds the updates as they were sent, whatever they are", async () => {
    const text = fc.array(fc.constantFrom(...samples.map((update) => JSON.stringify(update))), { maxLength: 40 });
    const property = fc.asyncProperty(text, fc.array(fc.string({ unit: "binary" })), async (updates, texts) => {
      await using kept = await KeptSessions.open();
      await kept.open();
      await kept.prompt("go", () => {
        for (const update of updates) kept.sends(update);
        for (const chunk of texts) kept.says(chunk);
      });
      await kept.restart();
      assert.deepEqual(updatesIn(await kept.text()), kept.shown.map(oneLine));
    });
    await fc.assert(property, { numRuns: 30, examples: [[[], ["\u2028"]]] });
  });

  it("loses no more than an unfinished last line to a kill at any byte, mends it, and goes on in the same file", async () => {
    await using kept = await KeptSessions.open();
    await kept.open();
    await kept.prompt("one", () => kept.says("first 漢字"));
    await kept.prompt("two", () => kept.says("last"));
    await kept.restart();
    const [file, whole] = [await kept.file(), await kept.text()];
    const bytes = Buffer.from(whole);
    const lines = whole.split("\n").slice(0, -1);
    const lastLine = Buffer.byteLength(lines.at(-1) ?? "") + 1;
    for (let cut = 0; cut <= lastLine; cut++) {
      await writeFile(file, bytes.subarray(0, bytes.length - cut));
      // A line that lacks nothing but its end is whole.
      const kept_ = cut <= 1 ? lines : lines.slice(0, -1);
      assert.equal((await kept.records()).length, kept_.length, `${cut} bytes are missing`);
      if (cut % 50 > 2) continue;
      await kept.request("session/resume", { sessionId: "one", cwd: kept.root });
      await kept.prompt("three");
      await kept.restart();
      const after = (await kept.text()).split("\n");
      assert.deepEqual(after.slice(0, kept_.length), kept_);
      const added = (await kept.records())
        .slice(kept_.length)
        .map((record) => ["turn" in record && record.turn, record.kind]);
      assert.deepEqual(added, [
        [3, "prompt"],
        [3, "end"],
      ]);
      assert.equal((await kept.files()).length, 1);
    }
  });

  it("does not keep again what an agent repeats of a conversation that is kept, and keeps what it tells of another", async () => {
    await using kept = await KeptSessions.open();
    await kept.open();
    await kept.prompt("one", () => kept.says("first"));
    await kept.restart();
    const before = await kept.text();
    kept.history = kept.shown.slice();
    await kept.request("session/load", { sessionId: "one", cwd: kept.root });
    await kept.restart();
    assert.equal(await kept.text(), before);
    const update = { sessionUpdate: "user_message_chunk", content: { type: "text", text: "Before us" } };
    kept.history = [JSON.stringify({ sessionId: "other", update })];
    await kept.request("session/load", { sessionId: "other", cwd: kept.root });
    await kept.restart();
    assert.deepEqual((await kept.sessions()).map(({ title }) => title).sort(), ["Before us", "one"]);
  });

  it("makes no file for a session in which nothing was said", async () => {
    await using kept = await KeptSessions.open();
    await kept.open();
    kept.sends({ sessionUpdate: "available_commands_update", availableCommands: [] });
    await kept.restart();
    assert.deepEqual(await kept.files(), []);
  });

  it("keeps nothing where the user does not want it", async () => {
    const settings = () => Promise.resolve({ ...defaultConversationSettings, keep: false });
    await using kept = await KeptSessions.open({ settings });
    await kept.open();
    await kept.prompt("one", () => kept.says("first"));
    await kept.restart();
    assert.deepEqual(await kept.files(), []);
  });

  it("is its user's alone, and says once that it begins", async function () {
    if (process.platform === "win32") this.skip();
    let notices = 0;
    await using kept = await KeptSessions.open({ onFirst: () => notices++ });
    for (const id of ["one", "two"]) {
      await kept.open(id);
      await kept.prompt("go", undefined, id);
    }
    await kept.restart();
    const files = (await kept.files()).map((name) => join(kept.folder, name));
    await kept.sessions();
    const all = [kept.folder, join(kept.folder, "index.json"), ...files];
    const modes = await Promise.all(all.map(async (path) => (await stat(path)).mode & 0o777));
    assert.deepEqual(modes, [0o700, 0o600, 0o600, 0o600]);
    assert.equal(notices, 1);
  });

  it("masks secrets that are known, also where that would leave no JSON", async () => {
    const secrets = new KnownSecrets();
    secrets.learn({ API_TOKEN: "swordfish-8", DB_PASSWORD: "12345678901" });
    await using kept = await KeptSessions.open({ mask: (text) => secrets.mask(text) });
    await kept.open();
    await kept.prompt("It is swordfish-8", () => {
      kept.says("swordfish-8 it is");
      kept.sends('{"sessionUpdate":"usage_update","used":12345678901,"size":5}');
    });
    await kept.restart();
    assert.doesNotMatch(await kept.text(), /swordfish|12345678901/);
    assert.equal((await kept.records()).length, (await kept.text()).split("\n").length - 1);
    assert.equal((await kept.sessions())[0]?.title, "It is [redacted]");
  });

  it("says once that a disk is full, passes everything on, and goes on with the next prompt for which there is room", async () => {
    let isFull = false;
    await using kept = await KeptSessions.open({
      disk: {
        now: (descriptor, bytes) => {
          const taken = writeSync(descriptor, isFull ? bytes.subarray(0, 20) : bytes);
          if (!isFull) return taken;
          throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
        },
        later: (descriptor, bytes) => Promise.resolve(writeSync(descriptor, bytes)),
      },
    });
    await kept.open();
    await kept.prompt("one");
    await kept.request("session/set_mode", { sessionId: "one" });
    await kept.settled();
    isFull = true;
    for (const text of ["two", "three"]) {
      assert.equal((await kept.prompt(text, () => kept.says("lost"))).isError, false);
      await kept.settled();
    }
    isFull = false;
    await kept.prompt("four");
    await kept.restart();
    assert.deepEqual(kept.faults, ["ENOSPC: no space left on device, write"]);
    const records = (await kept.records()).map((record) => [record.kind, "turn" in record && record.turn]);
    const around = records.filter(([kind]) => kind !== "header");
    assert.deepEqual(around[0], ["prompt", 1]);
    assert.deepEqual(
      around.slice(2).map(([kind]) => kind),
      ["gap", "prompt", "end"],
    );
  });

  it("never writes a session's file from two processes: the second one begins another", async () => {
    await using kept = await KeptSessions.open();
    await kept.open();
    await kept.prompt("one");
    await kept.settled();
    await using other = new SessionFolder({
      folder: kept.folder,
      settings: () => Promise.resolve(defaultConversationSettings),
      mask: (text) => text,
    });
    const log = other.open({ id: "one", cwd: kept.root, agent: "test-agent", hasHistory: true });
    log.prompt('[{"type":"text","text":"elsewhere"}]');
    log.end("{}", "test-agent");
    await kept.prompt("two");
    await other[Symbol.asyncDispose]();
    await kept.restart();
    const sessions = await kept.sessions();
    assert.deepEqual(sessions.map(({ title, turns }) => [title, turns]).sort(), [
      ["elsewhere", 1],
      ["one", 2],
    ]);
  });

  it("lists what the files say when the index is gone, torn or out of date", async () => {
    await using kept = await KeptSessions.open();
    await kept.open();
    await kept.prompt("one", () => kept.says("x".repeat(100_000)));
    await kept.restart();
    const sessions = await kept.sessions();
    assert.equal(sessions.length, 1);
    const index = join(kept.folder, "index.json");
    for (const damage of [
      () => truncate(index, 0),
      () => truncate(index, 20),
      () => writeFile(index, '[["x.jsonl",5]]'),
    ]) {
      await damage();
      assert.deepEqual(await kept.sessions(), sessions);
    }
    const prompt = { at: 1, turn: 2, prompt: [{ type: "text", text: "killed" }] };
    await appendFile(await kept.file(), `${JSON.stringify(prompt)}\n{"at":2,"upd`);
    assert.deepEqual(
      (await kept.sessions()).map(({ title, turns }) => [title, turns]),
      [["one", 2]],
    );
  });

  it("reads the settings again for each session", async () => {
    let keep = true;
    const settings = () => Promise.resolve({ ...defaultConversationSettings, keep });
    await using kept = await KeptSessions.open({ settings });
    for (const id of ["one", "two"]) {
      await kept.open(id);
      await kept.prompt(id, undefined, id);
      await kept.settled();
      keep = false;
    }
    assert.deepEqual(
      (await kept.sessions()).map(({ title }) => title),
      ["one"],
    );
  });

  it("keeps nothing twice when a session is loaded that is open, and the prompt that is sent meanwhile", async () => {
    await using kept = await KeptSessions.open();
    await kept.open();
    await kept.prompt("one", () => kept.says("first"));
    await kept.settled();
    kept.history = kept.shown.slice();
    for (let load = 0; load < 2; load++) await kept.request("session/load", { sessionId: "one", cwd: kept.root });
    await kept.restart();
    assert.equal(updatesIn(await kept.text()).length, 1);
    await using store = new SessionFolder({
      folder: kept.folder,
      settings: () => Promise.resolve(defaultConversationSettings),
      mask: (text) => text,
    });
    const log = store.open({ id: "one", cwd: kept.root, agent: "test-agent", hasHistory: true });
    log.replays();
    for (const params of kept.history) log.update(params);
    log.prompt('[{"type":"text","text":"two"}]');
    log.replayed(true);
    log.end("{}", "test-agent");
    await store.settled();
    assert.equal(updatesIn(await kept.text()).length, 1);
    assert.equal((await kept.sessions())[0]?.turns, 2);
  });

  it("masks no folder that is a secret's value by chance: the session would be found no more", async () => {
    await using kept = await KeptSessions.open({ mask: (text) => text.replaceAll("kept-sessions", "[redacted]") });
    await kept.open();
    await kept.prompt(`In ${kept.root}`);
    await kept.settled();
    assert.deepEqual(
      (await kept.sessions()).map(({ cwd, title }) => [cwd, title.includes("[redacted]")]),
      [[kept.root, true]],
    );
  });

  it("masks secrets whatever escapes they are spelled with, and leaves other lines as they are", async () => {
    const secrets = new KnownSecrets();
    secrets.learn({ API_TOKEN: "sword/f\u00efsh&\u{1f600}" });
    await using kept = await KeptSessions.open({ mask: (text) => secrets.mask(text) });
    await kept.open();
    const spelled = String.raw`sword\/f\u00EFsh\u0026\ud83d\uDE00`;
    const clean = String.raw`{"sessionUpdate":"x","text":"a\/b \\/ \\u0026"}`;
    await kept.prompt("go", () => {
      kept.sends(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"${spelled}"}}`);
      kept.sends(clean);
    });
    await kept.restart();
    const text = await kept.text();
    assert.doesNotMatch(text, /sword/);
    assert.equal(text.split("[redacted]").length, 3);
    assert.ok(text.includes(clean));
  });

  it("counts a title that comes after the last turn's end, and lets others work while it reads a long file", async () => {
    await using kept = await KeptSessions.open();
    await kept.open();
    await kept.prompt("one");
    kept.sends({ sessionUpdate: "session_info_update", title: "Later" });
    await kept.restart();
    const file = await kept.file();
    assert.equal((await readSummary(file))?.summary.title, "Later");
    const update = `{"at":1,"update":{"sessionId":"one","update":{"sessionUpdate":"x","y":"${"z".repeat(500_000)}"}}}\n`;
    await appendFile(file, update.repeat(10));
    let turns = 0;
    let isRead = false;
    const turn = (): void => {
      turns++;
      if (!isRead) setImmediate(turn);
    };
    setImmediate(turn);
    assert.equal((await readSummary(file))?.summary.title, "Later");
    isRead = true;
    assert.ok(turns >= 4, `${turns} turns`);
  });
});
