import { distribution } from "./distribution.js";
import type { Distribution } from "./distribution.js";
import { commandOf } from "./distribution-command.js";
import { keyOf, type Place } from "../base/problem.js";
import { anyObject, describeValue, flag, list, mapped, optional, record, required, text } from "./shape.js";
import type { Shape } from "./shape.js";

/** Proxy of a configuration. Entries are in chain order, nearest to the editor first. */
export interface ProxyEntry {
  /** Name of a built-in or installed proxy, or any name with a `distribution`. */
  readonly name: string;
  readonly enabled: boolean;
  /** Whether projects can't disable the proxy. */
  readonly required?: boolean;
  /** Distribution that starts the proxy unless it is installed. Entries whose distribution {@link commandOf} rejects are omitted. */
  readonly distribution?: Distribution;
  /** Options that a built-in proxy reads directly and others receive in `initialize`. */
  readonly options?: Readonly<Record<string, unknown>>;
}

/** Names by which a configuration may refer to a proxy without giving a distribution. */
interface ProxyNames {
  readonly builtIn: readonly string[];
  readonly isInstalled: (name: string) => boolean;
}

/** Command that installs an extension, without its id. */
const installWords = "symposium-acp-agent registry install --extension";

const proxyEntry: Shape<ProxyEntry> = mapped(
  record(
    {
      name: required(
        text("The name of a built-in proxy, the ID of an installed one, or any name if a distribution is given."),
      ),
      enabled: optional(flag("Whether the proxy is used; true by default.")),
      required: optional(
        flag("Whether every session requires it, so that no project can turn it off; false by default."),
      ),
      distribution: optional(distribution),
      options: optional(anyObject("Passed to the proxy, which defines the options it accepts.")),
    },
    { description: "A proxy." },
  ),
  (read) => ({ ...read, enabled: read.enabled ?? true }),
);

export const proxyEntriesSchema = list(
  proxyEntry,
  "The proxies between editor and agent, closest to the editor first. By default, all built-in ones; [] means none.",
).schema;

/** Returns the valid proxy entries and warns about invalid ones; null if `value` isn't a list. */
export function readProxyEntries(value: unknown, names: ProxyNames, place: Place): ProxyEntry[] | null {
  const warn = place.as("warning");
  if (!Array.isArray(value)) {
    return warn.report(`${place.label} must be a list, got ${describeValue(value)}.`, "The built-in proxies are used.");
  }
  const entries = new Map<string, ProxyEntry>();
  for (const [index, item] of value.entries()) {
    const itemPlace = warn.child(index);
    const entry = proxyEntry.read(item, itemPlace);
    if (!entry || !isUsable(entry, names, itemPlace)) continue;
    if (!entries.has(entry.name)) entries.set(entry.name, entry);
    else itemPlace.report(`The proxy "${entry.name}" is listed again (${keyOf(itemPlace.path)}).`, "The first counts.");
  }
  return [...entries.values()];
}

function isUsable({ name, distribution }: ProxyEntry, names: ProxyNames, place: Place): boolean {
  const isBuiltIn = names.builtIn.includes(name);
  if (distribution === undefined) {
    if (isBuiltIn || names.isInstalled(name)) return true;
    place
      .child("name")
      .report(
        `The proxy "${name}" is neither built in nor installed, so it is skipped.`,
        `Built-in proxies: ${names.builtIn.length > 0 ? names.builtIn.join(", ") : "none"}. To use another one, run \`${installWords} ` +
          `${name}\` or add its "distribution".`,
      );
    return false;
  }
  const start = commandOf(distribution);
  if (start.kind !== "problem" || (!isBuiltIn && names.isInstalled(name))) return true;
  const hint = isBuiltIn
    ? "Choose a name that no built-in proxy has."
    : `Run \`${installWords} ${name}\` to install this distribution.`;
  place.child("distribution").report(`The proxy "${name}" is skipped. ${start.message}`, hint);
  return false;
}
