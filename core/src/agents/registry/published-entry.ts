import { asObject } from "../../base/rpc/json.js";
import { agentDefinition } from "../../settings/agent-definition.js";
import { Place, type Problem } from "../../base/problem.js";
import { describeValue } from "../../settings/shape.js";
import { isSafeAddress } from "../../settings/address.js";
import { plainText, type RegistryEntry } from "./registry-entry.js";
import { isInstallableId } from "./start-plan.js";
import { distribution, type Distribution } from "../../settings/distribution.js";
import { isAllowedVariable } from "./allowed-entry-variables.js";

/**
 * Reads an untrusted, published entry: reduces texts to single lines and drops members that could hijack a process. Reports a warning for
 * each unusable part; returns null with an error if nothing is usable.
 */
export function readPublishedEntry(value: unknown, place: Place): RegistryEntry | null {
  const raw = asObject(value);
  if (!raw) return place.report(`${place.label} must be an object, got ${describeValue(value)}.`);
  const { id } = raw;
  if (typeof id !== "string" || !isInstallableId(id)) {
    return place.child("id").report(`The id must be a valid folder name, got ${describeValue(id)}.`);
  }
  const distribution = readPublishedDistribution(raw["distribution"], place.child("distribution"));
  if (!distribution) return null;
  const described = Object.fromEntries(
    (["name", "version", "description"] as const).flatMap((key) => {
      const text = textIn(raw, key);
      return text === undefined ? [] : [[key, text]];
    }),
  );
  const definition = agentDefinition.read({ id, ...described, distribution }, place);
  return definition && { ...definition, ...detailsOf(raw), origin: "registry" };
}

function detailsOf(raw: Readonly<Record<string, unknown>>): Partial<RegistryEntry> {
  const { authors: listed, preview } = raw;
  const license = textIn(raw, "license");
  const authors = Array.isArray(listed) ? listed.flatMap((author) => plainTexts(author)) : [];
  const previewVersion = textIn(asObject(preview) ?? {}, "version");
  return {
    ...addressIn(raw, "repository"),
    ...addressIn(raw, "website"),
    ...addressIn(raw, "icon"),
    ...(license === undefined ? {} : { license }),
    ...(authors.length > 0 ? { authors } : {}),
    ...(previewVersion === undefined ? {} : { previewVersion }),
  };
}

function plainTexts(value: unknown): string[] {
  const text = typeof value === "string" ? plainText(value) : "";
  return text === "" ? [] : [text];
}

function textIn(raw: Readonly<Record<string, unknown>>, key: string): string | undefined {
  return plainTexts(raw[key])[0];
}

function addressIn<K extends string>(raw: Readonly<Record<string, unknown>>, key: K): { readonly [P in K]?: string } {
  const address = textIn(raw, key);
  if (address === undefined || !isSafeAddress(address)) return {};
  return { [key]: address } as { readonly [P in K]?: string };
}

const kinds = ["local", "executable", "symposium", "npx", "pipx", "uvx", "cargo", "binary"];

/**
 * Reads a published `distribution` piece by piece, so that an invalid kind or platform becomes a warning and doesn't affect the others.
 * Drops environment variables that could hijack the program, with a warning that omits their values. Returns null with an error if no piece
 * is usable.
 */
export function readPublishedDistribution(value: unknown, place: Place): Distribution | null {
  const raw = asObject(value);
  if (!raw) return place.report(`The distribution must be an object, got ${describeValue(value)}.`);
  let result: Distribution = {};
  const problems: Problem[] = [];
  for (const piece of piecesOf(raw)) {
    const found: Problem[] = [];
    const read = distribution.read(withoutReserved(piece, place), new Place(found, "warning", place.path));
    problems.push(...found.filter(({ path }) => path.length > place.path.length));
    if (read) result = merged(result, read);
  }
  if (Object.keys(result).length === 0) {
    // The last problem is the fatal one; problems about unknown members precede it.
    return place.report(
      problems.at(-1)?.message ?? `It has no supported way to start. Use one of: ${kinds.join(", ")}.`,
    );
  }
  for (const { path, message, hint } of problems) placeAt(place, path).report(message, hint);
  return result;
}

function piecesOf(raw: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>[] {
  return Object.entries(raw).flatMap(([kind, value]) => {
    if (value === null || value === undefined) return [];
    const platforms = kind === "binary" ? asObject(value) : undefined;
    if (!platforms) return [{ [kind]: value }];
    return Object.entries(platforms).map(([platform, archive]) => ({ binary: { [platform]: archive } }));
  });
}

function merged(a: Distribution, b: Distribution): Distribution {
  return a.binary && b.binary ? { ...a, binary: { ...a.binary, ...b.binary } } : { ...a, ...b };
}

function withoutReserved(piece: Readonly<Record<string, unknown>>, place: Place): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(piece).map(([key, value]) => {
      const inner = asObject(value);
      if (!inner) return [key, value];
      if (key !== "env") return [key, withoutReserved(inner, place)];
      const [kept, dropped] = partition(inner);
      for (const name of dropped) {
        place.as("warning").report(`The environment variable "${name}" is ignored, because entries may not set it.`);
      }
      return [key, kept];
    }),
  );
}

function partition(env: Readonly<Record<string, unknown>>): [Readonly<Record<string, unknown>>, string[]] {
  const kept = Object.entries(env).filter(([name]) => isAllowedVariable(name));
  return [Object.fromEntries<unknown>(kept), Object.keys(env).filter((name) => !isAllowedVariable(name))];
}

function placeAt(place: Place, path: readonly (string | number)[]): Place {
  return path.slice(place.path.length).reduce((at, part) => at.child(part), place.as("warning"));
}
