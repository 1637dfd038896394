import { asObject, parsedObject, textOf } from "../../../base/rpc/json.js";

/** Parsed package.json: identity and dependencies of a package. */
export interface NpmManifest {
  readonly name: string;
  readonly version: string;
  /** Version ranges by dependency, each with the manifest field that contains it. */
  readonly wanted: ReadonlyMap<string, { readonly range: string; readonly field: string }>;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Dependency fields of a manifest in ascending precedence, as in npm. */
const fieldNames = ["peerDependencies", "devDependencies", "optionalDependencies", "dependencies"] as const;

/** Parses a package.json. Returns undefined if the text isn't a JSON object; ignores a byte order mark, as Node does. */
export function parseManifest(text: string): NpmManifest | undefined {
  const fields = parsedObject(text.replace(/^\uFEFF/, ""));
  if (fields === undefined) return undefined;
  const wanted = new Map<string, { range: string; field: string }>();
  for (const field of fieldNames) {
    for (const [name, range] of textsOf(fields[field])) wanted.set(name, { range, field });
  }
  const { name, version } = fields;
  return {
    name: textOf(name),
    version: textOf(version),
    wanted,
    fields,
  };
}

/** Returns the object's entries whose values are strings. */
export function textsOf(value: unknown): [string, string][] {
  return Object.entries(asObject(value) ?? {}).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string",
  );
}
