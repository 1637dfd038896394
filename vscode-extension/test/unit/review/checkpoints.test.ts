import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Checkpoints } from "../../../src/features/review/restore/checkpoints.js";
import { ReviewStore } from "../../../src/features/review/store/review-store.js";

describe("checkpoints", () => {
  function twoPrompts(): Checkpoints {
    const checkpoints = new Checkpoints();
    checkpoints.promptStarted("tab", "first");
    checkpoints.changed("tab", "/a", "0", "1");
    checkpoints.changed("tab", "/new", null, "n1");
    checkpoints.promptStarted("tab", "second");
    checkpoints.changed("tab", "/a", "1", "2");
    checkpoints.changed("tab", "/a", "2", "3");
    checkpoints.changed("tab", "/new", "n1", "n2");
    return checkpoints;
  }

  it("give the files as they were before a prompt, whatever later prompts did", () => {
    assert.deepEqual(
      [...(twoPrompts().since("tab", "first") ?? [])],
      [
        ["/a", [{ before: "0", after: "3" }]],
        ["/new", [{ before: null, after: "n2" }]],
      ],
    );
    assert.deepEqual(twoPrompts().since("tab", "second")?.get("/a"), [{ before: "1", after: "3" }]);
  });

  it("know what the agent did not do between two of its changes", () => {
    const checkpoints = twoPrompts();
    checkpoints.changed("tab", "/a", "3, and mine", "4");
    const steps = [
      { before: "0", after: "3" },
      { before: "3, and mine", after: "4" },
    ];
    assert.deepEqual(checkpoints.since("tab", "first")?.get("/a"), steps);
    const restored = new Checkpoints();
    for (const [tabId, stored] of Object.entries(checkpoints.storeAll())) restored.restore(tabId, stored);
    assert.deepEqual(restored.since("tab", "first")?.get("/a"), steps);
  });

  it("of before a restart come before a prompt that was begun meanwhile", () => {
    const restored = new Checkpoints();
    restored.promptStarted("tab", "third");
    restored.changed("tab", "/a", "3", "4");
    restored.restore("tab", twoPrompts().storeAll()["tab"] ?? []);
    assert.deepEqual(restored.since("tab", "third")?.get("/a"), [{ before: "3", after: "4" }]);
    assert.deepEqual(restored.since("tab", "second")?.get("/a"), [{ before: "1", after: "4" }]);
  });

  it("say so when they do not know a prompt", () => {
    assert.equal(twoPrompts().since("tab", "never"), undefined);
    assert.equal(twoPrompts().since("other", "first"), undefined);
  });

  it("are the same after a restart", () => {
    const restored = new Checkpoints();
    for (const [tabId, stored] of Object.entries(twoPrompts().storeAll())) restored.restore(tabId, stored);
    assert.deepEqual(restored.since("tab", "first"), twoPrompts().since("tab", "first"));
  });

  it("give up the oldest prompt when they grow too large", () => {
    const checkpoints = new Checkpoints();
    for (const messageId of ["first", "second", "third"]) {
      checkpoints.promptStarted("tab", messageId);
      checkpoints.changed("tab", `/${messageId}`, "x".repeat(15_000_000), null);
    }
    assert.equal(checkpoints.since("tab", "first"), undefined);
    assert.equal(checkpoints.since("tab", "second")?.size, 2);
  });
});

describe("the store of reviews", () => {
  let folder = "";
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "symposium-review-"));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  function failing(error: unknown): never {
    throw error;
  }

  it("reads back the last state of a burst", async () => {
    const store = new ReviewStore(join(folder, "review.json"), failing);
    const review = { path: "/a", tabIds: ["tab"], baseline: "0", current: "1" };
    store.save(() => ({ reviews: [], checkpoints: {}, restores: {}, comments: [] }));
    const comments = [
      {
        id: "thread",
        path: "/a",
        start: 2,
        end: 3,
        hunk: { id: "hunk", offset: 0 },
        diff: "+1",
        tabIds: ["tab"],
        comments: [
          { id: "one", text: "why?", writtenAtMs: 1_000, sentTo: "Eliza" },
          { id: "two", text: "how?", writtenAtMs: 2_000 },
        ],
      },
    ];
    store.save(() => ({ reviews: [review], checkpoints: {}, restores: {}, comments }));
    await store.flush();
    assert.deepEqual(await store.load(), { reviews: [review], checkpoints: {}, restores: {}, comments });
  });

  it("starts with nothing when its file cannot be understood, as that of a later version, and keeps it aside", async () => {
    const file = join(folder, "review.json");
    const nothing = { reviews: [], checkpoints: {}, restores: {}, comments: [] };
    for (const content of ['{"version":99}', '{"version":1,"reviews":[{"path":3}]']) {
      await writeFile(file, content);
      const problems: string[] = [];
      const store = new ReviewStore(file, (problem) => problems.push(String(problem)));
      assert.deepEqual(await store.load(), nothing);
      store.save(() => nothing);
      await store.flush();
      const [kept = "", ...others] = await readdir(folder);
      assert.deepEqual([await readFile(join(folder, kept), "utf8"), others], [content, []]);
      assert.deepEqual([await store.load(), problems.length, problems[0]?.includes(kept)], [nothing, 1, true]);
      await rm(join(folder, kept));
    }
  });

  it("keeps each text once", async () => {
    const file = join(folder, "review.json");
    const store = new ReviewStore(file, failing);
    const text = "a text of some length".repeat(100_000);
    const state = {
      reviews: [{ path: "/a", tabIds: ["tab"], baseline: null, current: text, written: "another" }],
      checkpoints: { tab: [{ messageId: "1", files: [{ path: "/a", before: null, after: text }] }] },
      restores: { tab: { messageId: "1", files: [{ path: "/a", now: text, text: "", hasOthers: true }] } },
      comments: [],
    };
    store.save(() => state);
    await store.flush();
    const stored = await readFile(file, "utf8");
    assert.deepEqual([await store.load(), stored.split(text).length], [state, 2]);
    await writeFile(file, stored.replace('"texts":[', '"texts":[],"others":['));
    // Texts that are named and not there are none.
    assert.deepEqual((await new ReviewStore(file, () => undefined).load()).reviews, []);
  });

  it("keeps comments when nothing is under review any more", async () => {
    const store = new ReviewStore(join(folder, "review.json"), failing);
    const thread = { id: "thread", path: "/a", start: 0, end: 0, diff: "", tabIds: [], comments: [] };
    store.save(() => ({ reviews: [], checkpoints: {}, restores: {}, comments: [thread] }));
    await store.flush();
    assert.deepEqual((await store.load()).comments, [thread]);
  });

  it("leaves no file when there is nothing to review", async () => {
    const store = new ReviewStore(join(folder, "review.json"), failing);
    store.save(() => ({
      reviews: [{ path: "/a", tabIds: [], baseline: null, current: "1" }],
      checkpoints: {},
      restores: {},
      comments: [],
    }));
    await store.flush();
    store.save(() => ({ reviews: [], checkpoints: { tab: [] }, restores: {}, comments: [] }));
    await store.flush();
    assert.deepEqual(await readdir(folder), []);
  });

  it("reports a file that cannot be written, and goes on", async () => {
    await writeFile(join(folder, "file"), "");
    const problems: unknown[] = [];
    const store = new ReviewStore(join(folder, "file", "review.json"), (error) => problems.push(error));
    store.save(() => ({
      reviews: [{ path: "/a", tabIds: [], baseline: null, current: "1" }],
      checkpoints: {},
      restores: {},
      comments: [],
    }));
    await store.flush();
    assert.equal(problems.length, 1);
  });
});
