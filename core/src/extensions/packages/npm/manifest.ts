import { asObject, parsedObject, textOf } from "../../../base/rpc/json.js";

/** A package.json as far as it says what a package is and asks for. */
export interface NpmManifest {
  readonly name: string;
  readonly version: string;
  /** What it asks for: the range, and the field that says so. */
  readonly wanted: ReadonlyMap<string, { readonly range: string; readonly field: string }>;
  /** The whole of it. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** In the order in which npm lets one win over another, the last one first. */
const fieldNames = ["peerDependencies", "devDependencies", "optionalDependencies", "dependencies"] as const;

/** Undefined when the text is no JSON object. A byte order mark is passed over, as Node does. */
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

/** The entries of an object whose values are text. */
export function textsOf(value: unknown): [string, string][] {
  return Object.entries(asObject(value) ?? {}).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string",
  );
}
