import { readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import MarkdownIt from "markdown-it";
import { slugOf } from "../../scripts/release/slug.mjs";

/** The root of the repository. */
export const root = fileURLToPath(new URL("../../", import.meta.url));

const notOurs = /^(?:\.|node_modules$|dist|target$|test-output$)/;
const markdown = new MarkdownIt();

/** Every document of the repository: see {@link readDocument}. */
export const documents = filesIn(".")
  .filter((file) => file.endsWith(".md"))
  .map((file) => readDocument(file, readFileSync(join(root, file), "utf8")));

/**
 * Parses a document. `file` is its path from the root, with `/`. Returns the targets of its links and images, its anchors, its code
 * samples with their language, and `spans`: code within sentences.
 */
export function readDocument(file, text) {
  const tokens = markdown.parse(text, {});
  const inline = tokens.flatMap((token) => token.children ?? []);
  return {
    file,
    text,
    links: inline.filter(({ type }) => type === "link_open").map((token) => token.attrGet("href")),
    images: inline.filter(({ type }) => type === "image").map((token) => token.attrGet("src")),
    anchors: anchorsOf(tokens),
    samples: tokens
      .filter(({ type }) => type === "fence")
      .map(({ info, content, map }) => ({ place: `${file}:${map[0] + 1}`, language: info.trim(), content })),
    spans: inline.filter(({ type }) => type === "code_inline").map(({ content }) => content),
  };
}

/** The anchors of headings; a heading that comes a second time gets a number. */
function anchorsOf(tokens) {
  const anchors = new Set();
  for (const [index, { type }] of tokens.entries()) {
    if (type !== "heading_open") continue;
    const words = (tokens[index + 1].children ?? []).filter((child) => ["text", "code_inline"].includes(child.type));
    const slug = slugOf(words.map(({ content }) => content).join(""));
    let anchor = slug;
    for (let count = 1; anchors.has(anchor); count++) anchor = `${slug}-${count}`;
    anchors.add(anchor);
  }
  return anchors;
}

/** The files in a folder and below it, without what is installed or built. */
function filesIn(folder) {
  const entries = readdirSync(join(root, folder), { withFileTypes: true }).filter(({ name }) => !notOurs.test(name));
  return entries.flatMap((entry) => {
    const path = posix.join(folder, entry.name);
    return entry.isDirectory() ? filesIn(path) : [path];
  });
}
