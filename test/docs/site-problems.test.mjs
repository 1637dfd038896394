import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { siteProblems } from "../../scripts/docs/site-problems.mjs";

describe("a built site", () => {
  let folder;
  beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), "symposium-site-"))));
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const problemsOf = async (files) => {
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), text);
    }
    return siteProblems(folder, "/base/");
  };

  it("has no problems where all of its links lead somewhere", async () => {
    const links = ["/base/", "/base/other", "/base/other.html#here", "./other#here", "#top", "https://example.com/"];
    const page = `<h1 id="top">A</h1>${links.map((link) => `<a class="x" href="${link}">`).join("")}`;
    const files = {
      "index.html": `${page}<img src="/base/a/b.png"><link rel="icon" href="/base/icon.svg">`,
      "other.html": '<h2 id="here">B</h2>',
      "a/b.png": "",
      "a/c.css": "a { background: url(data:image/png;base64,) }",
      "icon.svg": "",
    };
    assert.deepEqual(await problemsOf(files), []);
  });

  it("is told which of its links lead nowhere", async () => {
    const links = ["/other", "/base/other", "#missing"].map((link) => `<a href="${link}">`);
    assert.deepEqual(await problemsOf({ "index.html": `${links.join("")}<script src="./a.js"></script>` }), [
      "index.html links to /other: there is no such page.",
      "index.html links to /base/other: there is no such page.",
      "index.html links to #missing: the page has no such anchor.",
      "index.html loads ./a.js: there is none.",
    ]);
  });

  it("is told what it loads from another server", async () => {
    const files = {
      "index.html":
        '<script src="https://example.com/a.js"></script><link rel="stylesheet" href="//example.com/a.css">',
      "a.css": '@import "https://example.com/font.css";',
    };
    assert.deepEqual(await problemsOf(files), [
      "index.html loads https://example.com/a.js from another server.",
      "index.html loads //example.com/a.css from another server.",
      "a.css loads from another server.",
    ]);
  });
});
