import type { SourceKind } from "../package-reader.js";

/** The kind of a file of a distribution of Python, by its path. */
export function pythonKindOf(path: string): SourceKind {
  const folders = path.split("/").slice(0, -1);
  const file = path.slice(path.lastIndexOf("/") + 1);
  if (file.endsWith(".pyi")) return "types";
  if (folders.some((one) => /^(?:examples?|samples?|demos?)$/i.test(one))) return "examples";
  if (folders.some((one) => /^(?:tests?|testing_data)$/i.test(one)) || /^(?:test_.*|.*_test|conftest)\.py$/.test(file))
    return "tests";
  if (
    /\.(?:md|rst|adoc)$/i.test(file) ||
    /^(?:readme|changelog|changes|history|licen[cs]e|metadata$|pkg-info$)/i.test(file)
  )
    return "docs";
  if (/\.(?:py|pyx|pxd|pxi|c|h|cc|cpp|hpp|rs)$/.test(file)) return "source";
  if (/\.(?:so|pyd|dll|dylib|pyc)$/.test(file)) return "built";
  return "other";
}
