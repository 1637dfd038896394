import type { SourceKind } from "../package-reader.js";

/** Classifies a file of a Go module by its path. */
export function goKindOf(path: string): SourceKind {
  const folders = path.split("/").slice(0, -1);
  const file = path.slice(path.lastIndexOf("/") + 1);
  if (/^example.*_test\.go$/.test(file) || folders.some((one) => /^_?examples?$/i.test(one))) return "examples";
  if (file.endsWith("_test.go") || folders.includes("testdata")) return "tests";
  if (/\.(?:md|rst|txt|adoc)$/i.test(file) || /^(?:readme|changelog|licen[cs]e|authors|notice)/i.test(file))
    return "docs";
  if (/\.(?:go|s|c|h|cc|cpp|proto)$/.test(file)) return "source";
  return "other";
}
