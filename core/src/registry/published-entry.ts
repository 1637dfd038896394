import { asObject } from "../rpc/json.js";
import { agentDefinition } from "../settings/agent-definition.js";
import type { Place } from "../settings/problem.js";
import { describeValue } from "../settings/shape.js";
import { isSafeAddress } from "../settings/address.js";
import { plainText } from "./plain-text.js";
import { readPublishedDistribution } from "./published-distribution.js";
import type { RegistryEntry } from "./registry-entry.js";
import { isInstallableId } from "./start-plan.js";

/**
 * Reads an entry that somebody else published. Null, and an error at `place`, when nothing of it can be used;
 * a warning for every part that cannot. Texts become single lines, and members with the power to hijack are dropped.
 */
export function readPublishedEntry(value: unknown, place: Place): RegistryEntry | null {
  const raw = asObject(value);
  if (!raw) return place.report(`${place.label} must be an object, got ${describeValue(value)}.`);
  const { id } = raw;
  if (typeof id !== "string" || !isInstallableId(id)) {
    return place.child("id").report(`The id must be a name for a folder, got ${describeValue(id)}.`);
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

/** Texts that nothing depends on: what is no text counts as absent. */
function textIn(raw: Readonly<Record<string, unknown>>, key: string): string | undefined {
  return plainTexts(raw[key])[0];
}

function addressIn<K extends string>(raw: Readonly<Record<string, unknown>>, key: K): { readonly [P in K]?: string } {
  const address = textIn(raw, key);
  if (address === undefined || !isSafeAddress(address)) return {};
  return { [key]: address } as { readonly [P in K]?: string };
}
