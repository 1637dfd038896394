import assert from "node:assert/strict";
import fs from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deletedAt, noteDeleted } from "../../../../src/sessions/conversations/node/deleted-sessions.js";
import { HiddenSessions } from "../../../../src/sessions/conversations/node/hidden-sessions.js";
import {
  cleanSessions,
  removeSession,
  SessionFolder,
} from "../../../../src/sessions/conversations/node/session-folder.js";
import { listSessions } from "../../../../src/sessions/conversations/node/session-index.js";
import { FileLock } from "../../../../src/base/node/file-lock.js";
import { defaultConversationSettings } from "../../../../src/settings/conversation-settings.js";
import { KeptSessions } from "./kept-sessions.js";

describe("SessionFolder, when sessions are removed", function () {
  this.timeout(60_000);

  it("forgets a session that the editor deletes", async () => {
    await using kept = await KeptSessions.open();
    for (const id of ["one", "two"]) {
      await kept.open(id);
      await kept.prompt(id, undefined, id);
    }
    await kept.settled();
    await kept.request("session/delete", { sessionId: "one" });
    await kept.restart();
    assert.deepEqual(
      (await kept.sessions()).map(({ session }) => session),
      ["two"],
    );
    // An editor that has a copy does not bring it back.
    const [at, other] = await Promise.all(["one", "two"].map((id) => deletedAt(kept.folder, "test-agent", id)));
    assert.deepEqual([typeof at, other], ["number", undefined]);
  });

  it("keeps a broken list of what was deleted beside, and begins a new one", async () => {
    await using kept = await KeptSessions.open();
    await mkdir(kept.folder, { recursive: true });
    const broken = '[["test-agent","one",1';
    await writeFile(join(kept.folder, "deleted.json"), broken);
    const aside = await noteDeleted(kept.folder, [{ agent: "test-agent", session: "two" }], 2);
    assert.match(aside ?? "", /deleted\.json\.broken-\d{14}$/);
    assert.equal(await readFile(aside ?? "", "utf8"), broken);
    assert.equal(await deletedAt(kept.folder, "test-agent", "two"), 2);
    assert.equal(await noteDeleted(kept.folder, [{ agent: "test-agent", session: "three" }]), undefined);
  });

  it("notes nothing of a session of which nothing was kept", async () => {
    await using kept = await KeptSessions.open();
    await kept.request("session/delete", { sessionId: "one" });
    await kept.settled();
    assert.equal(await deletedAt(kept.folder, "test-agent", "one"), undefined);
  });

  it("removes what is too old, then the oldest while all are too large, and never what is open", async () => {
    await using kept = await KeptSessions.open();
    for (const id of ["a", "b", "c", "open"]) {
      await kept.open(id);
      await kept.prompt(id, () => kept.says("x".repeat(400_000), id), id);
      if (id !== "open") await kept.request("session/close", { sessionId: id });
    }
    await kept.settled();
    const day = 24 * 60 * 60_000;
    const ages: Readonly<Record<string, number>> = { a: 100, b: 3, c: 2, open: 200 };
    for (const { id, title } of await kept.sessions()) {
      const time = new Date(Date.now() - (ages[title] ?? 0) * day);
      await utimes(join(kept.folder, `${id}.jsonl`), time, time);
    }
    const left = async (): Promise<readonly string[]> => (await kept.sessions()).map(({ title }) => title).sort();
    await cleanSessions(kept.folder, { days: 90, megabytes: 10 });
    assert.deepEqual(await left(), ["b", "c", "open"]);
    await cleanSessions(kept.folder, { days: 90, megabytes: 2 });
    assert.deepEqual(await left(), ["c", "open"]);
    const open = (await kept.sessions()).find(({ title }) => title === "open");
    assert.equal(await removeSession(kept.folder, open?.id ?? ""), false);
  });

  it("removes what was left of imports and lists whose process was killed, and nothing that is under way", async () => {
    await using kept = await KeptSessions.open();
    await kept.open();
    await kept.prompt("one");
    await kept.settled();
    const long = new Date(Date.now() - 2 * 60 * 60_000);
    const left = ["dead.jsonl.new", ".index.json.1.ab.tmp"];
    const running = ["alive.jsonl.new", ".hidden.json.2.cd.tmp", "of-somebody.tmp"];
    for (const name of [...left, ...running]) await writeFile(join(kept.folder, name), "said");
    for (const name of [...left, "of-somebody.tmp"]) await utimes(join(kept.folder, name), long, long);
    await using _lock = await FileLock.take(join(kept.folder, "alive.jsonl"));
    await cleanSessions(kept.folder, { days: 90, megabytes: 10 });
    const names = await readdir(kept.folder);
    assert.deepEqual(
      [...left, ...running].filter((name) => names.includes(name)),
      running,
    );
    assert.equal((await kept.sessions()).length, 1);
  });

  it("lists a session again that could not be read for a while", async () => {
    await using kept = await KeptSessions.open();
    await kept.open();
    await kept.prompt("one");
    await kept.restart();
    await rm(join(kept.folder, "index.json"), { force: true });
    const { openSync } = fs;
    fs.openSync = () => {
      throw Object.assign(new Error("EBUSY: resource busy"), { code: "EBUSY" });
    };
    syncBuiltinESMExports();
    try {
      assert.deepEqual(await listSessions(kept.folder), []);
    } finally {
      fs.openSync = openSync;
      syncBuiltinESMExports();
    }
    assert.equal((await listSessions(kept.folder)).length, 1);
  });

  it("forgets only the sessions of the agent and the folder of the deleted one, and their titles in the index", async () => {
    await using kept = await KeptSessions.open();
    await using other = new SessionFolder({
      folder: kept.folder,
      settings: () => Promise.resolve(defaultConversationSettings),
      mask: (text) => text,
    });
    for (const [agent, cwd] of [
      ["a", "/x"],
      ["a", "/y"],
      ["b", "/x"],
    ] as const) {
      const log = other.open({ id: "1", cwd, agent, hasHistory: true });
      log.prompt(JSON.stringify([{ type: "text", text: `${agent} in ${cwd}` }]));
      log.end("{}", agent);
      log.close();
    }
    await other.settled();
    const titles = async () => (await kept.sessions()).map(({ title }) => title).sort();
    assert.deepEqual(await titles(), ["a in /x", "a in /y", "b in /x"]);
    other.forget({ id: "1", agent: "a" });
    await other.settled();
    assert.equal((await titles()).length, 3);
    other.forget({ id: "1", agent: "a", cwd: "/x" });
    await other.settled();
    assert.doesNotMatch(await readFile(join(kept.folder, "index.json"), "utf8"), /a in \/x/);
    assert.deepEqual(await titles(), ["a in /y", "b in /x"]);
    await cleanSessions(kept.folder, { days: 0, megabytes: 0 }, Date.now() + 1_000_000);
    assert.equal(await readFile(join(kept.folder, "index.json"), "utf8"), "[]");
  });

  it("goes on in no file that has lost its header, and cleans up those in which nothing was written", async () => {
    await using kept = await KeptSessions.open();
    await kept.open();
    await kept.prompt("one");
    await kept.restart();
    await kept.sessions();
    const file = await kept.file();
    const { atime, mtime, size } = await stat(file);
    await writeFile(file, "x".repeat(size));
    await utimes(file, atime, mtime);
    await kept.request("session/resume", { sessionId: "one", cwd: kept.root });
    await kept.prompt("two");
    await kept.restart();
    assert.equal(await readFile(file, "utf8"), "x".repeat(size));
    assert.deepEqual(
      (await kept.sessions()).map(({ title }) => title),
      ["two"],
    );
    await writeFile(join(kept.folder, "20200101000000-00000000.jsonl"), "");
    await cleanSessions(kept.folder, { days: 90, megabytes: 10 });
    assert.equal((await kept.files()).length, 2);
    await cleanSessions(kept.folder, { days: 90, megabytes: 10 }, Date.now() + 91 * 24 * 60 * 60_000);
    assert.deepEqual(await kept.files(), []);
  });
});

describe("HiddenSessions", () => {
  it("takes a file that it cannot read for none that is empty", async () => {
    const folder = await mkdtemp(join(tmpdir(), "hidden-sessions-"));
    try {
      const hidden = new HiddenSessions(folder);
      assert.deepEqual([...(await hidden.of("an-agent"))], []);
      await hidden.add("an-agent", "one");
      assert.deepEqual([...(await hidden.of("an-agent"))], ["one"]);
      await rm(join(folder, "hidden.json"));
      await mkdir(join(folder, "hidden.json"));
      await assert.rejects(hidden.of("an-agent"));
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it("keeps a damaged file beside the new one", async () => {
    const folder = await mkdtemp(join(tmpdir(), "hidden-sessions-"));
    try {
      await writeFile(join(folder, "hidden.json"), '[["an-agent","one"');
      const hidden = new HiddenSessions(folder);
      await hidden.add("an-agent", "two");
      assert.deepEqual([...(await hidden.of("an-agent"))], ["two"]);
      const aside = (await readdir(folder)).filter((name) => name.startsWith("hidden.json.broken-"));
      assert.deepEqual(await Promise.all(aside.map((name) => readFile(join(folder, name), "utf8"))), [
        '[["an-agent","one"',
      ]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
