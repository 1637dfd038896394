import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { product } from "./identity.mjs";

/** The names of the first release, which old branches may bring back. */
const original = { publisher: "symposium-dev", id: "symposium", npmPackage: "symposium-acp-agent" };
original.repository = `https://github.com/${original.publisher}/${original.id}`;
original.site = `https://${original.publisher}.github.io/${original.id}/`;
const own = "scripts/release/identity-mentions.mjs";
const texts = /\.(?:md|ya?ml|[cm]?[jt]s|jsonc?|toml|rs|txt)$/;

/** The tracked text files below `root`, as `{ file, text, next }`, with the table's names in `next`. */
export async function identityMentions(root) {
  const { stdout } = spawnSync("git", ["ls-files", "-z"], { cwd: root, encoding: "utf8", maxBuffer: 2 ** 26 });
  const former = [original, await writtenIdentity(root)];
  const files = stdout.split("\0").filter((name) => texts.test(name) && name !== own);
  return Promise.all(
    files.map(async (file) => {
      const text = await readFile(join(root, file), "utf8").catch(() => "");
      return { file, text, next: former.reduce((changed, names) => withIdentity(changed, names), text) };
    }),
  );
}

/** Replaces the names of the identity `former` in a text with those of `next`. */
export function withIdentity(text, former, next = product) {
  const path = ({ repository }) => new URL(repository).pathname.slice(1);
  // Keeps the text before a name. `\\\\?` allows for a name in a regular expression.
  const kinds = [
    ["(^|[^\\w.@-])", former.publisher, `(?=\\\\?\\.${literal(former.id)}(?![\\w-]))`, next.publisher],
    ['((?:publisher|namespace)[ :=`"]{1,4})', former.publisher, "(?![\\w.-])", next.publisher],
    ["(^|[^\\w@-])", path(former), "(?![\\w-])", path(next)],
    ["()", former.site, "", next.site],
    ['(npx (?:-y )?|npm install --global |PACKAGE: &str = ")', former.npmPackage, "(?![\\w-])", next.npmPackage],
  ];
  return kinds.reduce(
    (changed, [before, name, after, other]) =>
      changed.includes(name)
        ? changed.replaceAll(new RegExp(`${before}${literal(name)}${after}`, "gm"), (_, kept) => `${kept}${other}`)
        : changed,
    text,
  );
}

/** The identity that manifests.mjs wrote last. */
async function writtenIdentity(root) {
  const { publisher, name, repository, homepage } = await json(join(root, "vscode-extension/package.json"));
  const { distribution } = await json(join(root, "zed-extension/registry/agent.json"));
  return {
    publisher,
    id: name,
    npmPackage: distribution.npx.package.replace(/(?<=.)@.*$/, ""),
    repository: repository.url.replace(/\.git$/, ""),
    site: homepage ?? original.site,
  };
}

function literal(text) {
  return text.replaceAll(/[.*+?^${}()|[\]\\/]/g, "\\$&");
}

async function json(file) {
  return JSON.parse(await readFile(file, "utf8"));
}
