import assert from "node:assert/strict";
import { operationsOf } from "../../../src/base/ide-operations/ide-operations.js";
import { ready } from "../../../src/base/ide-operations/operation-state.js";
import { FallbackServers } from "../../../src/extensions/ide-operations/fallback/fallback-servers.js";
import { byOwn, FallbackStage, page, place, range, unserved } from "./fallback-stage.js";

/** An editor that serves nothing, before language servers that answer everything. */
function unservedStage(): FallbackStage {
  const stage = new FallbackStage();
  const edit = { changes: [{ kind: "edit", uri: place.uri, edits: [{ range, newText: "sum" }] }] } as const;
  stage.editor = {
    hover: () => Promise.resolve({ state: unserved, text: null }),
    rename: () => Promise.resolve({ state: unserved, edit: null }),
    definition: () => page([], unserved),
  };
  stage.own = {
    hover: () => Promise.resolve({ state: ready, text: "fn" }),
    rename: () => Promise.resolve({ state: ready, edit }),
    definition: () => page([]),
  };
  return stage;
}

function shown(uri: string, text: string | null): string {
  return `own shows ${JSON.stringify({ uri, text })}`;
}

describe("language servers that stand in for an editor", () => {
  it("see each text that is not saved before they are asked, and the disk again when it is", async () => {
    const stage = unservedStage();
    const logs: unknown[] = [];
    const askWith = async (texts: Readonly<Record<string, string>>): Promise<void> => {
      stage.unsaved.clear();
      for (const [uri, text] of Object.entries(texts)) stage.unsaved.set(uri, text);
      await stage.ask("hover", place);
      logs.push(stage.takeLog().filter((line) => line.startsWith("own")));
    };
    await askWith({ [place.uri]: "fn a" });
    await askWith({ [place.uri]: "fn a" });
    await askWith({ [place.uri]: "fn ab", "untitled:Untitled-1": "x", "file:///w/b.rs": "" });
    await askWith({});
    assert.deepEqual(logs, [
      [shown(place.uri, "fn a"), "own hover"],
      ["own hover"],
      [shown(place.uri, "fn ab"), shown("file:///w/b.rs", ""), "own hover"],
      [shown(place.uri, null), shown("file:///w/b.rs", null), "own hover"],
    ]);
  });

  it("see the texts of the moment of each question, also of several that come at once", async () => {
    const stage = unservedStage();
    let reads = 0;
    stage.editor = {
      ...stage.editor,
      openFiles: () => {
        stage.unsaved.set(place.uri, `text ${++reads}`);
        return Promise.resolve({ state: ready, files: [{ uri: place.uri, isActive: true, isUnsaved: true }] });
      },
    };
    await Promise.all([1, 2, 3, 4].map(() => stage.ask("hover", place)));
    const shows = stage.log.filter((line) => line.startsWith("own shows"));
    const asked = stage.log.filter((line) => line === "own hover");
    assert.deepEqual([reads <= 2, shows.length, asked.length], [true, reads, 4]);
  });

  it("work out an edit again when the user typed meanwhile, and not for ever", async () => {
    const stage = unservedStage();
    const { rename } = stage.own;
    let typed = 0;
    const typing = (times: number): void => {
      typed = 0;
      stage.own = {
        ...stage.own,
        rename: (params, signal) => {
          if (typed < times) stage.unsaved.set(place.uri, `typed ${times} ${++typed}`);
          assert.ok(rename);
          return rename(params, signal);
        },
      };
    };
    typing(1);
    const { state, edit } = await stage.ask("rename", { ...place, newName: "sum" });
    assert.deepEqual([state, edit !== null], [byOwn, true]);
    const shows = stage.takeLog().filter((line) => /^own (?:shows|rename)/.test(line));
    assert.deepEqual(shows, ["own rename", shown(place.uri, "typed 1 1"), "own rename"]);
    typing(Infinity);
    await assert.rejects(stage.ask("rename", { ...place, newName: "sum" }), /documents are being edited/);
  });

  it("let go of a question that is given up", async () => {
    const stage = unservedStage();
    const aborter = new AbortController();
    let isEnded = false;
    stage.own = {
      hover: (_params, signal) => {
        signal.addEventListener("abort", () => (isEnded = true), { once: true });
        aborter.abort();
        return new Promise(() => undefined);
      },
    };
    await assert.rejects(stage.ask("hover", place, aborter.signal), { code: "cancelled" });
    assert.equal(isEnded, true);
  });

  it("are not asked a question that was given up before", async () => {
    const stage = unservedStage();
    const aborter = new AbortController();
    stage.editor = {
      hover: () => {
        aborter.abort();
        return Promise.resolve({ state: unserved, text: null });
      },
    };
    await assert.rejects(stage.ask("hover", place, aborter.signal), { code: "cancelled" });
    assert.ok(!stage.log.includes("own hover"));
  });

  it("are given up when they do not answer in time", async () => {
    const stage = unservedStage();
    stage.own = { hover: () => new Promise(() => undefined) };
    const editor = operationsOf({ openFiles: () => Promise.resolve({ state: ready, files: [] }) });
    const standIn = new FallbackServers({ editor, open: () => Promise.resolve(stage.servers), timeoutMs: 1 });
    await assert.rejects(standIn.run("hover", place, new AbortController().signal), /no answer in 0\.001 s/);
  });

  it("are opened again when that failed, and closed in the end", async () => {
    const stage = unservedStage();
    const { open } = stage;
    stage.open = () => Promise.reject(new Error("no package"));
    await assert.rejects(stage.ask("hover", place), /no package/);
    stage.open = open;
    await stage.ask("hover", place);
    await stage.operations[Symbol.asyncDispose]();
    assert.deepEqual(
      stage.log.filter((line) => !line.startsWith("editor")),
      ["open", "open", "own hover", "close"],
    );
    await assert.rejects(stage.ask("hover", place), { code: "cancelled" });
  });
});
