import assert from "node:assert/strict";
import { PnpData, pnpState } from "../../../src/extensions/packages/npm/pnp-data.js";
import { parseYarnLock } from "../../../src/extensions/packages/npm/yarn-lock.js";
import { ReadOnce } from "../../../src/extensions/packages/package-files.js";
import { PackageFolders } from "../../../src/extensions/packages/package-folder.js";
import type { InstalledPackage } from "../../../src/extensions/packages/package-reader.js";
import { NpmPackages } from "../../../src/extensions/packages/npm/npm-packages.js";
import { searchPackage } from "../../../src/extensions/packages/search-package.js";
import { toPattern } from "../../../src/extensions/packages/text/line-search.js";
import { MemoryFiles } from "./memory-files.js";

function packageIn(folder: string, version = "1.0.0"): InstalledPackage {
  const facts = { subpath: "", why: [], others: [], isFixed: true };
  return { kind: "installed", ecosystem: "npm", name: "a", version, folder, ...facts };
}

const mapOf = (text: string): string => JSON.stringify({ sources: ["src.ts"], sourcesContent: [text] });

describe("packages and projects that are large", function () {
  this.timeout(60_000);

  it("have the patch of each package of a yarn.lock found by its name", () => {
    const wanted = `    ms: "npm:2.0.0"\n${Array.from({ length: 40 }, (_, at) => `    d${at}: "npm:1.0.0"\n`).join("")}`;
    const entries = Array.from(
      { length: 20_000 },
      (_, at) => `"p${at}@npm:1.0.0":\n  version: 1.0.0\n  resolution: "p${at}@npm:1.0.0"\n  dependencies:\n${wanted}`,
    );
    const ms = ["npm:2.0.0", "patch:ms@npm%3A2.0.0#~/ms.patch"].map(
      (one) => `"ms@${one}":\n  version: 2.0.0\n  resolution: "ms@${one}"\n`,
    );
    const lock = parseYarnLock(`__metadata:\n  version: 8\n\n${[...entries, ...ms].join("\n")}`);
    assert.equal(lock?.versionsOf("ms")[0]?.wantedBy.length, entries.length);
    const importer = { path: "", name: "", version: "", range: "2.0.0" };
    assert.equal(lock.lockedFor("ms", importer)?.patch, "ms.patch");
  });

  it("have the state of Plug'n'Play read, whatever its length, and escapes in it", () => {
    const filler = "x".repeat(16 * 1024 * 1024);
    const state = pnpState(
      `const RAW_RUNTIME_STATE =\n'{"a": "it\\'s\\\n", "b": "${filler}", "packageRegistryData": []}';`,
    );
    assert.ok(state?.startsWith(`{"a": "it's", "b": "x`));
    assert.ok(PnpData.parse(state ?? "", "/p"));
  });

  it("answer as if a file were not there when its parser throws", async () => {
    const fails = new ReadOnce<string>(
      new MemoryFiles({ "/a": "text" }),
      () => {
        throw new RangeError("too large");
      },
      100,
      4,
    );
    assert.deepEqual([await fails.of("/a"), await fails.of("/a")], [undefined, undefined]);
  });

  it("have sources of source maps kept for their version, and only so many", async () => {
    const texts = {
      "/p/a/x.js.map": mapOf("old"),
      "/p/b/x.js.map": mapOf("other"),
      "/p/c/x.js.map": mapOf("too long"),
    };
    const files = new MemoryFiles(texts);
    const folders = new PackageFolders(files, 7);
    const textOf = async (found: InstalledPackage) => [...(await folders.sources(found)).texts.values()];
    assert.deepEqual(await textOf(packageIn("/p/a")), ["old"]);
    texts["/p/a/x.js.map"] = mapOf("new");
    assert.deepEqual(await textOf(packageIn("/p/a", "2.0.0")), ["new"]);
    assert.deepEqual(await textOf(packageIn("/p/a")), ["old"]);
    assert.deepEqual(await textOf(packageIn("/p/b")), ["other"]);
    const reads = files.wasRead.length;
    assert.deepEqual(await textOf(packageIn("/p/b")), ["other"]);
    assert.equal(files.wasRead.length, reads);
    assert.deepEqual(await textOf(packageIn("/p/a", "2.0.0")), ["new"]);
    assert.equal(files.wasRead.length, reads + 1);
    assert.equal((await folders.sources(packageIn("/p/c"))).isWhole, false);
  });

  it("let a search of sources out of source maps be cancelled", async () => {
    const maps = Object.fromEntries(
      Array.from({ length: 8 }, (_, at) => [
        `/p/a/${at}.js.map`,
        JSON.stringify({ sources: [`${at}.ts`], sourcesContent: ["needle\n".repeat(200_000)] }),
      ]),
    );
    const files = new MemoryFiles(maps);
    const folders = new PackageFolders(files);
    const found = packageIn("/p/a");
    await folders.sources(found);
    const cancel = new AbortController();
    setTimeout(() => cancel.abort(), 0);
    const question = { pattern: toPattern("needle"), offset: 0, limit: 1 };
    const answer = await searchPackage(files, folders, found, new NpmPackages(files), question, cancel.signal);
    assert.equal(answer.broken, "the search was cancelled");
    assert.ok(answer.searched < 8);
  });
});
