import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { product } from "../../scripts/release/identity.mjs";
import { pages } from "../../scripts/docs/pages.mjs";
import { siteAddress } from "../../scripts/docs/site-address.mjs";
import { documents, readDocument, root } from "./documents.mjs";

/** The Marketplace shows the extension's README outside of the repository. */
const raw = `${product.repository}/raw/main/`;
const maxImageBytes = 200_000;
const maxAnimationBytes = 1_000_000;
const pngSignature = Buffer.from("89504e470d0a1a0a", "hex");
const gifSignature = Buffer.from("GIF89a");
const isOurs = (link) => !/^[a-z]+:/i.test(link);

describe("the documents of this repository", () => {
  it("link to files and headings that exist", () => {
    const links = documents.flatMap(({ file, links }) => links.filter(isOurs).map((link) => ({ file, link })));
    assert.ok(links.length > 50);
    assert.deepEqual(
      links.filter(({ file, link }) => !leadsSomewhere(file, link)),
      [],
    );
  });

  it("link to others by well-formed https addresses", () => {
    const links = documents.flatMap(({ links }) => links.filter((link) => !isOurs(link)));
    assert.deepEqual(
      links.filter((link) => !URL.canParse(link) || new URL(link).protocol !== "https:"),
      [],
    );
  });

  it("show pictures that exist, are small PNG or GIF files, and there is none besides", () => {
    const shown = documents.flatMap(({ file, images }) =>
      images.map((image) => (image.startsWith(raw) ? image.slice(raw.length) : posix.join(posix.dirname(file), image))),
    );
    const stored = ["docs/images", "vscode-extension/media/walkthrough"].flatMap((folder) =>
      readdirSync(join(root, folder))
        .filter((name) => !name.endsWith(".md"))
        .map((name) => `${folder}/${name}`),
    );
    assert.deepEqual([...new Set(shown)].sort(), stored.sort());
    const wrong = stored.filter((file) => {
      const bytes = readFileSync(join(root, file));
      const [signature, max] = file.endsWith(".gif")
        ? [gifSignature, maxAnimationBytes]
        : [pngSignature, maxImageBytes];
      return bytes.length > max || !bytes.subarray(0, signature.length).equals(signature);
    });
    assert.deepEqual(wrong, []);
  });

  it("are all in the site, each page once", () => {
    // Decisions are for contributors: the site shows pages for users.
    const inDocs = documents.map(({ file }) => file).filter((file) => /^docs\/(?!decisions\/)/.test(file));
    const inSite = pages.map(({ file }) => file);
    assert.deepEqual(inSite.filter((file) => file.startsWith("docs/")).sort(), inDocs.sort());
    assert.equal(new Set(inSite).size, inSite.length);
    assert.equal(new Set(pages.map(({ name }) => name)).size, inSite.length);
  });
});

describe("the address of a link in the site", () => {
  it("is a page where there is one, and a file of the repository elsewhere", () => {
    const links = [
      "vscode.md#settings",
      "../CONTRIBUTING.md",
      "#here",
      "https://example.com/a",
      "../core/config.schema.json",
    ];
    assert.deepEqual(
      links.map((link) => siteAddress(link, "docs/agents.md")),
      [
        "./vscode.md#settings",
        "./contributing.md",
        "#here",
        "https://example.com/a",
        "https://github.com/symposium-dev/symposium/blob/main/core/config.schema.json",
      ],
    );
    assert.equal(siteAddress("docs/zed.md", "README.md"), "./zed.md");
  });
});

describe("the anchors of a document", () => {
  it("are those that GitHub gives its headings", () => {
    const { anchors } = readDocument(
      "a.md",
      "# `proxies`, and more\n\n## A & B\n\n## A & B\n\n## What Zed does *not* do\n",
    );
    assert.deepEqual([...anchors], ["proxies-and-more", "a--b", "a--b-1", "what-zed-does-not-do"]);
  });
});

function leadsSomewhere(file, link) {
  const [path = "", anchor] = link.split("#");
  const target = path === "" ? file : posix.join(posix.dirname(file), decodeURI(path));
  if (!existsSync(join(root, target))) return false;
  if (anchor === undefined) return true;
  return documents.find((document) => document.file === target)?.anchors.has(anchor) ?? false;
}
