import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createHash } from "node:crypto";
import { readFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { touchedFiles } from "../../../../src/sessions/conversations/node/file-facts.js";
import { SessionFile } from "../../../../src/sessions/conversations/node/session-file.js";

type Options = ConstructorParameters<typeof SessionFile>[1];

const prompt = '[{"type":"text","text":"go"}]';
const unlocked: AsyncDisposable = { [Symbol.asyncDispose]: () => Promise.resolve() };

describe("SessionFile", function () {
  this.timeout(60_000);
  let root: string;
  let faults: string[];
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), "session-file-"));
    faults = [];
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  function begin(options: Partial<Options> = {}, hasHistory = false): SessionFile {
    const opening = { id: "one", cwd: root, agent: "a", hasHistory };
    return new SessionFile(opening, {
      claim: () => Promise.resolve({ path: join(root, "a.jsonl"), lock: unlocked }),
      mask: (text) => text,
      onFault: (message) => faults.push(message),
      ...options,
    });
  }

  it("says that its lock could not be taken away, and goes on", async () => {
    const lock: AsyncDisposable = { [Symbol.asyncDispose]: () => Promise.reject(new Error("EROFS")) };
    const file = begin({ claim: () => Promise.resolve({ path: join(root, "a.jsonl"), lock }) });
    file.prompt(prompt);
    file.close();
    await file.flushed();
    assert.deepEqual(faults, ["EROFS"]);
  });

  it("leaves out updates beyond what may wait, says where, and writes in batches", async () => {
    let resolve: () => void = () => undefined;
    const room = new Promise<void>((done) => (resolve = done));
    const texts: string[] = [];
    const take = (bytes: Uint8Array): number => {
      texts.push(Buffer.from(bytes).toString());
      return bytes.length;
    };
    const file = begin({
      disk: {
        now: (_descriptor, bytes) => {
          blockLong();
          return take(bytes);
        },
        later: async (_descriptor, bytes) => {
          await room;
          return take(bytes);
        },
      },
    });
    file.prompt(prompt);
    const params = `{"sessionId":"one","update":{"sessionUpdate":"x","y":"${"z".repeat(1024 * 1024)}"}}`;
    for (let index = 0; index < 70; index++) file.update(params);
    assert.ok(file.waiting < 66 * 1024 * 1024);
    file.prompt(prompt);
    resolve();
    await file.flushed();
    assert.equal(file.waiting, 0);
    const kinds = texts.join("").match(/^\{"at":\d+,"(?:gap|turn|update)"/gm) ?? [];
    assert.deepEqual(
      [kinds.length, ...kinds.slice(-2)].map((kind) => String(kind).replace(/.*,/, "")),
      [String(1 + 64 + 2), '"gap"', '"turn"'],
    );
    file.close();
    await file.flushed();
    assert.ok(texts.every((text) => text.length < 2.1 * 1024 * 1024));
  });

  it("makes the bytes of its writes in the same place, whatever characters they have", async () => {
    const written: { readonly bytes: Buffer; readonly memory: unknown }[] = [];
    const file = begin({
      disk: {
        now: (_descriptor, bytes) => {
          written.push({ bytes: Buffer.from(bytes), memory: bytes.buffer });
          return bytes.length;
        },
      },
    });
    const text = "aé€😀".repeat(10_000);
    file.prompt(prompt);
    await file.flushed();
    const updates = [text, text, "short", text];
    for (const one of updates) {
      file.update(JSON.stringify({ sessionId: "one", update: { sessionUpdate: "x", text: one } }));
      file.writeNow();
    }
    file.close();
    await file.flushed();
    const last = written.slice(-updates.length);
    const texts = last.map(({ bytes }) => /"text":"([^"]*)"/.exec(bytes.toString())?.[1]);
    assert.deepEqual(texts, updates);
    assert.equal(new Set(last.map(({ memory }) => memory)).size, 1);
  });

  it("writes what is longer than it keeps room for", async () => {
    const file = begin();
    const text = "é".repeat(5 * 1024 * 1024);
    file.prompt(prompt);
    file.update(JSON.stringify({ sessionId: "one", update: { sessionUpdate: "x", text } }));
    file.close();
    await file.flushed();
    assert.ok((await readFile(join(root, "a.jsonl"), "utf8")).includes(`"text":"${text}"`));
  });

  it("has written what came when the turn of the event loop ends, and when it is asked", async () => {
    const file = begin();
    file.prompt(prompt);
    await file.flushed();
    file.update('{"sessionId":"one","update":{"sessionUpdate":"first"}}');
    file.writeNow();
    const path = join(root, "a.jsonl");
    assert.match(readFileSync(path, "utf8"), /"prompt":.*\n.*"first".*\n$/);
    file.update('{"sessionId":"one","update":{"sessionUpdate":"second"}}');
    await new Promise<void>((done) => process.nextTick(done));
    assert.match(readFileSync(path, "utf8"), /"second".*\n$/);
    file.close();
    await file.flushed();
  });

  it("goes back to writing at once when a slow disk is fast again", async () => {
    const ways: string[] = [];
    const file = begin({
      disk: {
        now: (_descriptor, bytes) => {
          // The header comes first.
          if (ways.push("now") === 2) blockLong();
          return bytes.length;
        },
        later: (_descriptor, bytes) => {
          ways.push("later");
          return Promise.resolve(bytes.length);
        },
      },
    });
    for (let turn = 0; turn < 3; turn++) {
      file.prompt(prompt);
      file.end("{}", "a");
      file.writeNow();
      await file.flushed();
    }
    file.close();
    await file.flushed();
    assert.deepEqual(ways, ["now", "now", "later", "now"]);
  });

  it("has a disk keep a turn when it has taken its end, also one that is slow", async () => {
    const events: string[] = [];
    const file = begin({
      disk: {
        now: (_descriptor, bytes) => {
          if (events.length === 0) blockLong();
          return bytes.length;
        },
        later: async (_descriptor, bytes) => {
          await new Promise(setImmediate);
          events.push(Buffer.from(bytes).includes('"end"') ? "end" : "other");
          return bytes.length;
        },
        sync: () => Promise.resolve(void events.push("kept")),
      },
    });
    file.prompt(prompt);
    await file.flushed();
    file.end("{}", "a");
    file.close();
    await file.flushed();
    assert.deepEqual(events, ["end", "kept"]);
  });

  it("begins a new file anew whose beginning the disk did not take", async () => {
    let attempts = 0;
    const file = begin({
      disk: {
        now: (descriptor, bytes) => {
          const isFull = attempts++ === 0;
          const taken = writeSync(descriptor, isFull ? bytes.subarray(0, 20) : bytes);
          if (isFull) throw new Error("ENOSPC");
          return taken;
        },
        later: () => Promise.reject(new Error("the disk is not slow")),
      },
    });
    file.prompt(prompt);
    await file.flushed();
    file.prompt(prompt);
    file.close();
    await file.flushed();
    const lines = (await readFile(join(root, "a.jsonl"), "utf8")).trimEnd().split("\n");
    const members = lines.map((line) => Object.keys(JSON.parse(line) as object)[1]);
    assert.deepEqual([members, faults], [["session", "gap", "turn"], ["ENOSPC"]]);
  });

  it("lets nothing wait that is not kept, while a session is loaded too", async () => {
    for (const hasHistory of [false, true]) {
      const file = begin({ claim: () => Promise.resolve(undefined) }, hasHistory);
      file.replays();
      file.prompt(prompt);
      await file.flushed();
      file.replayed(true);
      await file.flushed();
      file.update('{"sessionId":"one"}');
      assert.equal(file.waiting, 0);
    }
  });

  it("tries again with the next prompt what could not be claimed, and is let go of when it is closed", async () => {
    let attempts = 0;
    let isReleased = false;
    const claim: Options["claim"] = () =>
      attempts++ === 0
        ? Promise.reject(new Error("EIO"))
        : Promise.resolve({ path: join(root, "a.jsonl"), lock: unlocked });
    const file = begin({ claim, onReleased: () => (isReleased = true) }, true);
    await file.flushed();
    file.prompt(prompt);
    file.close();
    await file.flushed();
    assert.match(await readFile(join(root, "a.jsonl"), "utf8"), /"turn":1,"prompt"/);
    assert.deepEqual([attempts, isReleased, faults], [2, true, ["EIO"]]);
  });
});

/** As a disk does that takes long. */
function blockLong(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60);
}

describe("touchedFiles", () => {
  it("reads nothing of other machines, and no more than a file's size", async () => {
    const root = await mkdtemp(join(tmpdir(), "touched-files-"));
    await writeFile(join(root, "a"), "content");
    const share = `/${join(root, "a")}`;
    const [local, remote] = await touchedFiles(["a", share], root);
    await rm(root, { recursive: true });
    assert.ok(local?.sha256);
    assert.deepEqual(remote, { path: share });
    if (process.platform !== "linux") return;
    const [endless] = await touchedFiles(["/proc/version"], root);
    assert.equal(endless?.sha256, createHash("sha256").digest("hex"));
  });
});
