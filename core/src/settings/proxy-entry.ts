import { distribution } from "./distribution.js";
import type { Distribution } from "./distribution.js";
import { commandOf } from "./distribution-command.js";
import { keyOf, type Place } from "./problem.js";
import { anyObject, describeValue, flag, list, mapped, optional, record, required, text } from "./shape.js";
import type { Shape } from "./shape.js";

/** One proxy of a configuration, in the order of the chain: the first is nearest to the editor. */
export interface ProxyEntry {
  /** Of a built-in proxy, or of any other one where `distribution` says how to start it. */
  readonly name: string;
  readonly enabled: boolean;
  /** Startable: what {@link commandOf} refuses is left out of the configuration. */
  readonly distribution?: Distribution;
  /** Passed on to the proxy. */
  readonly options?: Readonly<Record<string, unknown>>;
}

const proxyEntry: Shape<ProxyEntry> = mapped(
  record(
    {
      name: required(text("The proxy's name.")),
      enabled: optional(flag("Whether it takes part; true when absent.")),
      distribution: optional(distribution),
      options: optional(anyObject("Passed on to the proxy.")),
    },
    { description: "A proxy." },
  ),
  (read) => ({ ...read, enabled: read.enabled ?? true }),
);

export const proxyEntriesSchema = list(
  proxyEntry,
  "The proxies between editor and agent, nearest to the editor first. When absent, all built-in ones; [] means none.",
).schema;

/** The entries that can be used; every other one is a warning. Null when `value` is no list at all. */
export function readProxyEntries(value: unknown, builtIn: readonly string[], place: Place): ProxyEntry[] | null {
  const warn = place.as("warning");
  if (!Array.isArray(value)) {
    return warn.report(`${place.label} must be a list, got ${describeValue(value)}.`, "The built-in proxies are used.");
  }
  const entries = new Map<string, ProxyEntry>();
  for (const [index, item] of value.entries()) {
    const itemPlace = warn.child(index);
    const entry = proxyEntry.read(item, itemPlace);
    if (!entry || !isUsable(entry, builtIn, itemPlace)) continue;
    if (!entries.has(entry.name)) entries.set(entry.name, entry);
    else
      itemPlace.report(
        `The proxy "${entry.name}" is listed a second time (${keyOf(itemPlace.path)}).`,
        "The first counts.",
      );
  }
  return [...entries.values()];
}

function isUsable(entry: ProxyEntry, builtIn: readonly string[], place: Place): boolean {
  if (entry.distribution === undefined) {
    if (builtIn.includes(entry.name)) return true;
    place
      .child("name")
      .report(
        `There is no built-in proxy "${entry.name}", so it is left out.`,
        `Known: ${builtIn.length > 0 ? builtIn.join(", ") : "none"}. Any other needs a "distribution".`,
      );
    return false;
  }
  const start = commandOf(entry.distribution);
  if (start.kind !== "problem") return true;
  place.child("distribution").report(`The proxy "${entry.name}" is left out. ${start.message}`, start.hint);
  return false;
}
