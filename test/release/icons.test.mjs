import assert from "node:assert/strict";
import { Blob, Face } from "harfbuzzjs";
import { readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import usedIcons from "../../scripts/bundle/used-icons.mjs";
import { root } from "../../scripts/set-up.mjs";

const folders = ["src", "webview"].map((folder) => join(root, "vscode-extension", folder));

describe("the icons of the extension's pages", () => {
  /** The style sheet's code points by the names of their icons, and the font's. */
  let places;
  let pictures;
  let sources;

  before(async () => {
    const [styles, font] = await Promise.all(["codicon.css", "codicon.ttf"].map(loaded));
    places = new Map(
      [...styles.matchAll(/\.codicon-([\w-]+):before \{\s*content: "\\([0-9a-f]+)/g)].map(([, name, place]) => [
        name,
        parseInt(place, 16),
      ]),
    );
    pictures = new Set(new Face(new Blob(font)).collectUnicodes());
    sources = await textsOf(folders);
  });

  it("have a picture in the font each", () => {
    assert.ok(places.size > 100);
    assert.deepEqual(
      [...places].filter(([, place]) => !pictures.has(place)),
      [],
    );
  });

  it("are all that the pages name, and those that the editor's symbols choose by their kind", () => {
    const calls = sources.flatMap(({ text }) => [...text.matchAll(/\bicon(?:: |\()("[\w-]+")/g)]);
    const named = calls.map(([, name]) => JSON.parse(name)).filter((name) => !name.includes("$"));
    assert.ok(named.length > 60);
    const kinds = ["class", "enum-member", "file", "function", "interface", "type-parameter", "variable"];
    const wanted = [...named, ...kinds.map((kind) => `symbol-${kind}`), "pass-filled", "circle-large-outline"];
    assert.deepEqual(
      wanted.filter((name) => !places.has(name)),
      [],
    );
  });

  it("have pictures where style sheets name them by their place", () => {
    const places = sources.flatMap(({ text }) => [...text.matchAll(/content: "\\([0-9a-f]{4})"/g)]);
    assert.ok(places.length > 0);
    assert.deepEqual(
      places.map(([, place]) => place).filter((place) => !pictures.has(parseInt(place, 16))),
      [],
    );
  });

  it("are put together out of parts in two places, which the build knows", () => {
    const parts = sources.flatMap(({ file, text }) =>
      [...text.matchAll(/\bicon\(`|\bcodicon-\$\{\w+/g)].map(([part]) => `${file}: ${part}`),
    );
    assert.deepEqual(parts.sort(), ["decorate-blocks.ts: codicon-${isDone", "element.ts: codicon-${name"]);
  });
});

/** A file of the icons' package after webpack's loader. */
async function loaded(name) {
  const resourcePath = join(root, "node_modules/@vscode/codicons/dist", name);
  const context = { resourcePath, getOptions: () => ({ folders }), addContextDependency() {} };
  return usedIcons.call(context, await readFile(resourcePath, "utf8"));
}

async function textsOf(folders) {
  const texts = [];
  for (const folder of folders) {
    for (const name of (await readdir(folder, { recursive: true })).sort()) {
      if (!/\.(?:ts|css)$/.test(name) || name.endsWith(".d.ts")) continue;
      texts.push({ file: basename(name), text: await readFile(join(folder, name), "utf8") });
    }
  }
  return texts;
}
