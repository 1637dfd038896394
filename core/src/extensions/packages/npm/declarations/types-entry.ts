import { asObject } from "../../../../base/rpc/json.js";
import { insideOf, joined, type PackageFiles } from "../../package-files.js";
import { parseManifest } from "../manifest.js";

const conditions = new Set(["types", "import", "require", "node", "module", "default"]);
const endings = [".d.ts", ".d.mts", ".d.cts", ".ts", ".tsx", ".mts", ".cts"];
const scriptEndings = [".js", ".mjs", ".cjs", ".jsx"];

/** Returns the file that an import resolves to: the type declarations if there are any, otherwise the code. Undefined if neither exists. */
export async function typesEntry(files: PackageFiles, folder: string, subpath: string): Promise<string | undefined> {
  const text = await files.read(joined(folder, "package.json"));
  const fields = (text === undefined ? undefined : parseManifest(text))?.fields ?? {};
  const exported = exportsTarget(fields["exports"], subpath);
  const main = subpath === "" ? [fields["types"], fields["typings"], fields["main"], "index"] : [`./${subpath}`];
  for (const target of [exported, ...main]) {
    if (typeof target !== "string") continue;
    const found = await declarationAt(files, joined(folder, target));
    // Reject files outside the package, since a manifest could name any path.
    if (found?.startsWith(`${folder}/`) === true) return found;
  }
  return undefined;
}

/** Resolves an import such as `"./x.js"` in a declaration file. Prefers declarations to code. */
export async function declarationAt(files: PackageFiles, path: string): Promise<string | undefined> {
  const plain = path.replace(/(?<!\.d)\.[cm]?jsx?$/, "");
  const mapped = /\.mjs$/.test(path) ? [".d.mts", ".mts"] : /\.cjs$/.test(path) ? [".d.cts", ".cts"] : [];
  const candidates = [
    ...(/\.[cm]?tsx?$/.test(path) ? [path] : []),
    ...[...mapped, ...endings].map((ending) => plain + ending),
    ...endings.map((ending) => `${path}/index${ending}`),
  ];
  for (const one of candidates) if (await files.isFile(one)) return one;
  const manifest = await files.read(joined(path, "package.json"));
  const types = manifest === undefined ? undefined : parseManifest(manifest)?.fields["types"];
  const inner = typeof types === "string" && !types.split("/").includes("..") ? joined(path, types) : path;
  // Follow the path only into deeper folders, since `"types": "."` would loop forever.
  if ((insideOf(inner, path) ?? "") !== "") return declarationAt(files, inner);
  for (const one of [path, ...scriptEndings.map((ending) => plain + ending), `${path}/index.js`]) {
    if (/\.[cm]?jsx?$/.test(one) && (await files.isFile(one))) return one;
  }
  return undefined;
}

/** Resolves the subpath for types with the manifest's `exports`; undefined if `exports` doesn't list the subpath. */
function exportsTarget(exports: unknown, subpath: string): string | undefined {
  const key = subpath === "" ? "." : `./${subpath}`;
  const entries = asObject(exports);
  const hasPaths = entries !== undefined && Object.keys(entries).some((one) => one.startsWith("."));
  if (!hasPaths) return subpath === "" ? conditionTarget(exports) : undefined;
  if (key in entries) return conditionTarget(entries[key]);
  const patterns = Object.keys(entries).filter((one) => one.includes("*"));
  // The pattern with the longest matching prefix takes precedence.
  for (const pattern of patterns.sort((left, right) => right.indexOf("*") - left.indexOf("*"))) {
    const [before = "", after = ""] = pattern.split("*");
    if (!key.startsWith(before) || !key.endsWith(after) || key.length < before.length + after.length) continue;
    const star = key.slice(before.length, key.length - after.length);
    const target = conditionTarget(entries[pattern]);
    if (target !== undefined) return target.replaceAll("*", star);
  }
  return undefined;
}

function conditionTarget(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(conditionTarget).find((one) => one !== undefined);
  const entries = asObject(value) ?? {};
  if ("types" in entries) return conditionTarget(entries["types"]);
  for (const [condition, target] of Object.entries(entries)) {
    if (!conditions.has(condition) && !condition.startsWith("types@")) continue;
    const found = conditionTarget(target);
    if (found !== undefined) return found;
  }
  return undefined;
}
