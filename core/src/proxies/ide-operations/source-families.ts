/** Endings of file names that one symbol may be used across. */
const families: readonly (readonly string[])[] = [
  ["ts", "tsx", "mts", "cts", "js", "jsx", "mjs", "cjs", "vue", "svelte"],
  ["c", "h", "cc", "cpp", "cxx", "hpp", "hh", "hxx", "inl", "m", "mm"],
  ["py", "pyi"],
  ["java", "kt", "kts", "scala", "groovy"],
];

/** Endings of languages whose comments begin with `#`. */
const hashComments: ReadonlySet<string> = new Set([
  "py",
  "pyi",
  "rb",
  "sh",
  "bash",
  "pl",
  "r",
  "jl",
  "ex",
  "exs",
  "nim",
]);

/** Whether what stands at `character` looks like part of a comment, by the line alone. */
export function isInComment(path: string, source: string, character: number): boolean {
  const before = source.slice(0, character);
  const extension = /\.([^./\\]+)$/.exec(path)?.[1]?.toLowerCase() ?? "";
  if (hashComments.has(extension)) return /(?:^|\s)#/.test(before);
  // The slashes of an address follow a colon.
  return /^\s*\*(?!\/)|(?<!:)\/\/|\/\*(?!.*\*\/)/.test(before);
}

/** The endings of the files in which something declared in `path` may be used; undefined where the file has none. */
export function sourceFamily(path: string): readonly string[] | undefined {
  const extension = /\.([^./\\]+)$/.exec(path)?.[1]?.toLowerCase();
  if (extension === undefined) return undefined;
  return families.find((family) => family.includes(extension)) ?? [extension];
}
