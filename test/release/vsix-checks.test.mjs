import assert from "node:assert/strict";
import { readmeProblems } from "../../scripts/release/readme-checks.mjs";
import { vsixProblems } from "../../scripts/release/vsix-checks.mjs";

/** The start of a PNG of this size. */
function png(width, height) {
  const bytes = Buffer.alloc(33);
  bytes.write("\x89PNG\r\n\x1a\n", "latin1");
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes;
}

const manifest = {
  name: "symposium",
  publisher: "symposium-dev",
  version: "1.2.3",
  displayName: "Symposium",
  description: "Agents.",
  license: "MIT",
  categories: ["AI"],
  keywords: ["agent"],
  engines: { vscode: "^1.106.0" },
  activationEvents: ["onStartupFinished"],
  main: "./dist/extension.cjs",
  icon: "media/icon.png",
  repository: { type: "git", url: "https://example.com/symposium.git" },
  contributes: { views: { symposium: [{ icon: "media/view.svg" }] }, commands: [{ icon: "$(add)" }] },
};
const files = [
  ...["package.json", "README.md", "LICENSE", "CHANGELOG.md", "dist/extension.cjs", "media/icon.png", "media/view.svg"],
];
const sound = { manifest, files, readme: "# Symposium\n", icon: png(256, 256), types: "1.106.0" };

describe("what the Marketplace and Open VSX refuse in an extension", () => {
  it("is nothing when it is sound", () => {
    assert.deepEqual(vsixProblems(sound), []);
  });

  const inManifest = {
    'name "a b" has to be letters, digits and -.': { name: "a b" },
    'publisher "" has to be letters, digits and -.': { publisher: undefined },
    'version "1.0.0-beta.1" has to be three numbers.': { version: "1.0.0-beta.1" },
    "license has to name one.": { license: undefined },
    "displayName is missing.": { displayName: "" },
    "displayName is longer than 255 characters.": { displayName: "a".repeat(256) },
    "description is longer than 2048 characters.": { description: "a".repeat(2049) },
    "description has a character that cannot be seen.": { description: "a\u202eb" },
    "There are more than 30 keywords.": { keywords: Array.from({ length: 31 }, (_, index) => `a${index}`) },
    'The keyword "a\u0000" is too long or cannot be read.': { keywords: ["a\u0000"] },
    "categories is empty.": { categories: [] },
    '"Magic" is no category.': { categories: ["AI", "Magic"] },
    "repository is missing: links of the README are made of it.": { repository: undefined },
    'homepage "http://example.com" is no https address.': { homepage: "http://example.com" },
    'bugs "here" is no https address.': { bugs: { url: "here" } },
    'qna "ask" is none.': { qna: "ask" },
    "galleryBanner.theme is dark or light.": { galleryBanner: { theme: "blue" } },
    "markdown is github or standard.": { markdown: "own" },
    'engines.vscode "*" has to be ^ and the oldest version.': { engines: { vscode: "*" } },
    'engines.vscode "undefined" has to be ^ and the oldest version.': { engines: undefined },
    "It is compiled for VS Code 1.106.0, and says that it runs in 1.99.0.": { engines: { vscode: "^1.99.0" } },
    "It uses stable API only: no enabledApiProposals.": { enabledApiProposals: ["chat"] },
    '"*" starts it when it is not needed, or never.': { activationEvents: ["*"] },
    '"onComand:x" starts it when it is not needed, or never.': { activationEvents: ["onComand:x"] },
    'main "./out.js" is not in the package.': { main: "./out.js" },
    "It starts programs, and has nothing for a browser.": { browser: "./web.js" },
    "It is private, and not to be published.": { private: true },
    'icon "media/view.svg" is no PNG in the package.': { icon: "media/view.svg" },
    'icon "media/other.png" is no PNG in the package.': { icon: "media/other.png" },
    "media/gone.svg is not in the package.": { contributes: { menus: [{ icon: { dark: "./media/gone.svg" } }] } },
  };
  for (const [problem, change] of Object.entries(inManifest)) {
    it(`is told: ${JSON.stringify(problem).slice(1, -1)}`, () => {
      assert.deepEqual(vsixProblems({ ...sound, manifest: { ...manifest, ...change } }), [problem]);
    });
  }

  const elsewhere = {
    "LICENSE is not in the package.": { files: files.filter((name) => name !== "LICENSE") },
    "readme.md is there twice, in upper and lower case.": { files: [...files, "readme.md"] },
    'icon "media/icon.png" is 64 by 64; it has to be square, and 128 at least.': { icon: png(64, 64) },
    'icon "media/icon.png" is 256 by 128; it has to be square, and 128 at least.': { icon: png(256, 128) },
    'icon "media/icon.png" is no PNG.': { icon: Buffer.from("<svg/>") },
    "README.md is missing.": { readme: undefined },
  };
  for (const [problem, change] of Object.entries(elsewhere)) {
    it(`is told: ${problem}`, () => {
      assert.deepEqual(vsixProblems({ ...sound, ...change }), [problem]);
    });
  }
});

describe("what the Marketplace refuses in a README", () => {
  it("is no link to an https address, a heading or a mail address, and nothing that stands in code", () => {
    const readme = [
      "# The Start: now",
      "## `run`, and more",
      "[f](#run-and-more)",
      "[a](https://example.com) [b](#the-start-now) [c](mailto:me@example.com) ![d](https://example.com/d.png)",
      "```md\n[x](../x.md)\n```",
      "`[y](y.md)`",
      "[e]: https://example.com/e",
    ].join("\n\n");
    assert.deepEqual(readmeProblems(readme), []);
  });

  const wrong = {
    "[a](docs/a.md)": 'README.md points to "docs/a.md", which is no https address.',
    "[a]: docs/a.md": 'README.md points to "docs/a.md", which is no https address.',
    "[a](http://example.com)": 'README.md points to "http://example.com", which is no https address.',
    "[a](#nowhere)": "README.md has no heading for #nowhere.",
    "![a](a.png)": 'README.md points to "a.png", which is no https address.',
    '<img alt="a" src="a.png">': 'README.md points to "a.png", which is no https address.',
    "![a](https://example.com/a.svg)":
      "README.md shows https://example.com/a.svg, an SVG, which the Marketplace refuses.",
    "<svg/>": "README.md has an <svg>.",
    "<script>1</script>": "README.md has a <script>.",
    "": "README.md is empty.",
  };
  for (const [readme, problem] of Object.entries(wrong)) {
    it(`is told of ${readme || "an empty one"}`, () => {
      assert.deepEqual(readmeProblems(readme), [problem]);
    });
  }
});
