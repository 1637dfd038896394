import { plainText } from "../registry/registry-entry.js";
import type { Distribution } from "../../settings/distribution.js";
import type { ProxyEntry } from "../../settings/proxy-entry.js";
import { reasonsOf, type WorkspaceFacts } from "./condition.js";
import { type CrateMetadata, completedBy, extensionDistribution } from "./crate-metadata.js";
import { packageName } from "./extension-source.js";
import type { ExtensionKind, Recommendation } from "./recommendation.js";

/** Recommendations of one file. */
export interface RecommendationList {
  /** The file, as it is shown to people. */
  readonly from: string;
  readonly recommendations: readonly Recommendation[];
  /** Why those without a condition are offered. */
  readonly reason?: string;
}

/** An extension that a workspace is offered. It is neither installed nor enabled by that. */
export interface OfferedExtension {
  /** The name it would have in a configuration. */
  readonly id: string;
  readonly kind: ExtensionKind;
  /** Where it is from and its name there, such as `{ crate: "foo" }`. */
  readonly source: Readonly<Record<string, string>>;
  /** One line for people. */
  readonly title: string;
  /** Why it is offered, each reason once. */
  readonly reasons: readonly string[];
  /** The files that recommend it. */
  readonly from: readonly string[];
  readonly alreadyEnabled: boolean;
  /** Absent where the registry or an address says how it starts. */
  readonly distribution?: Distribution;
}

export interface OfferOptions {
  /** The first one that names an extension decides how it is obtained. */
  readonly lists: readonly RecommendationList[];
  readonly facts: WorkspaceFacts;
  /** Proxies of the user's configuration. */
  readonly proxies: readonly ProxyEntry[];
  /** Crates that say how they start, where they are known on this machine. */
  readonly extensionCrates: readonly CrateMetadata[];
}

const everywhere = "it is recommended for every workspace";

/** The extensions whose conditions hold, each once, in the order in which the lists name them. */
export function offeredExtensions(options: OfferOptions): readonly OfferedExtension[] {
  const offers = new Map<string, OfferedExtension>();
  for (const { from, reason, recommendations } of options.lists) {
    for (const recommendation of recommendations) {
      const held = recommendation.conditions.map((condition) => reasonsOf(condition, options.facts));
      if (!held.every((reasons) => reasons !== undefined)) continue;
      const told = held.flat();
      const reasons = reason === undefined ? (told.length > 0 ? told : [everywhere]) : [reason, ...told];
      const { key } = recommendation.source;
      offers.set(key, merged(offers.get(key) ?? newOffer(recommendation, options), reasons, from));
    }
  }
  return [...offers.values()];
}

function newOffer({ kind, source }: Recommendation, options: OfferOptions): OfferedExtension {
  const crate = options.extensionCrates.find(({ name }) => source.key === `crate:${name}`);
  const own = crate && extensionDistribution(crate).distribution;
  const distribution = source.distribution && own ? completedBy(source.distribution, own) : source.distribution;
  return {
    id: source.id,
    kind,
    source: source.written,
    title: titleOf(source.key, source.id),
    reasons: [],
    from: [],
    alreadyEnabled: options.proxies.some((proxy) => proxy.enabled && isSame(proxy, source.key, source.id)),
    ...(distribution ? { distribution } : {}),
  };
}

function merged(offer: OfferedExtension, reasons: readonly string[], from: string): OfferedExtension {
  return {
    ...offer,
    reasons: [...new Set([...offer.reasons, ...reasons.map((reason) => plainText(reason))])],
    from: [...new Set([...offer.from, from])],
  };
}

const origins: Readonly<Record<string, string>> = {
  crate: "crate",
  acp: "ACP registry",
  builtin: "built in",
  npx: "npm package",
  pipx: "Python package",
  uvx: "Python package",
  executable: "program of this machine",
  binary: "download",
};

function titleOf(key: string, id: string): string {
  const origin = origins[key.slice(0, key.indexOf(":"))];
  return plainText(origin === undefined ? id : `${id} (${origin})`);
}

/** The name alone decides where it stands for one thing: built in, or of the registry. */
function isSame({ name, distribution }: ProxyEntry, key: string, id: string): boolean {
  if (key === `builtin:${id}`) return name === id && distribution === undefined;
  if (key === `acp:${id}`) return name === id;
  return distribution !== undefined && keysOf(distribution).includes(key);
}

function keysOf({ cargo, npx, pipx, uvx, executable, binary }: Distribution): readonly string[] {
  return [
    ...(cargo ? [`crate:${cargo.crate}`] : []),
    ...(npx ? [`npx:${packageName(npx.package)}`] : []),
    ...(pipx ? [`pipx:${packageName(pipx.package)}`] : []),
    ...(uvx ? [`uvx:${packageName(uvx.package)}`] : []),
    ...(executable ? [`executable:${JSON.stringify([executable.command, ...(executable.args ?? [])])}`] : []),
    ...(binary
      ? [
          `binary:${Object.values(binary)
            .map(({ archive }) => archive)
            .join(" ")}`,
        ]
      : []),
  ];
}
