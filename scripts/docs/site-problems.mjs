import { readdir, readFile } from "node:fs/promises";
import { join, posix, sep } from "node:path";

/**
 * What is wrong with the built site in `folder`, a sentence each: links and anchors of its pages that lead nowhere, and
 * whatever would be loaded from another server.
 */
export async function siteProblems(folder, base) {
  const names = (await readdir(folder, { recursive: true })).map((name) => name.replaceAll(sep, "/"));
  const read = async (name) => [name, await readFile(join(folder, name), "utf8")];
  const pages = new Map(await Promise.all(names.filter((name) => name.endsWith(".html")).map(read)));
  const styles = await Promise.all(names.filter((name) => name.endsWith(".css")).map(read));
  const files = new Set(names);
  const problems = [];
  for (const [name, html] of pages) {
    for (const [, address] of html.matchAll(/<a\b[^>]*?\shref="([^"]*)"/g)) {
      const problem = isInside(address) ? linkProblem(address, name, { base, pages, files }) : undefined;
      if (problem !== undefined) problems.push(`${name} links to ${address}: ${problem}.`);
    }
    for (const [, address] of html.matchAll(/<(?:script|img|link|iframe|source)\b[^>]*?\s(?:src|href)="([^"]*)"/g)) {
      if (!isInside(address)) problems.push(`${name} loads ${address} from another server.`);
      else if (!files.has(fileOf(address, name, base).path)) problems.push(`${name} loads ${address}: there is none.`);
    }
  }
  for (const [name, css] of styles) {
    if (/(?:url\(|@import)\s*["']?(?:https?:)?\/\//.test(css)) problems.push(`${name} loads from another server.`);
  }
  return problems;
}

function isInside(address) {
  return !/^(?:[a-z]+:|\/\/)/i.test(address);
}

function linkProblem(address, name, { base, pages, files }) {
  const { path, anchor } = fileOf(address, name, base);
  const page = [path, `${path}.html`, posix.join(path, "index.html")].find((candidate) => pages.has(candidate));
  if (page === undefined) return files.has(path) ? undefined : "there is no such page";
  if (anchor === "" || pages.get(page).includes(` id="${anchor}"`)) return undefined;
  return "the page has no such anchor";
}

/** The file that an address means in a page, from the root of the site. */
function fileOf(address, name, base) {
  const { pathname, hash } = new URL(address, `http://site${base}${name}`);
  const path = decodeURI(pathname).startsWith(base) ? decodeURI(pathname).slice(base.length) : `outside of ${base}`;
  return { path: path === "" ? "index.html" : path, anchor: decodeURIComponent(hash.slice(1)) };
}
