import type { SourceKind } from "../package-reader.js";

/** The kind of a file of a package of npm, by its path in it. */
export function npmKindOf(path: string): SourceKind {
  const folders = path.split("/").slice(0, -1);
  const file = path.slice(path.lastIndexOf("/") + 1);
  if (/\.d(?:\.[\w-]+)?\.[cm]?ts$/.test(file)) return "types";
  if (folders.some((one) => /^(?:examples?|demos?|samples?)$/i.test(one))) return "examples";
  if (folders.some((one) => /^(?:tests?|__tests__|specs?|e2e|bench(?:marks?)?)$/i.test(one))) return "tests";
  if (/\.(?:test|spec)\.[cm]?[jt]sx?$/.test(file)) return "tests";
  if (
    /\.(?:md|mdx|markdown|rst|txt|adoc)$/i.test(file) ||
    /^(?:readme|changelog|changes|history|licen[cs]e)/i.test(file)
  ) {
    return "docs";
  }
  if (/\.(?:[cm]?tsx?|vue|svelte|astro|coffee|flow)$/.test(file)) return "source";
  if (/\.[cm]?jsx?$/.test(file)) return folders.some((one) => /^(?:src|source)$/.test(one)) ? "source" : "built";
  return "other";
}
