import { plainText } from "../registry/registry-entry.js";
import type { Distribution } from "../../settings/distribution.js";
import type { ProxyEntry } from "../../settings/proxy-entry.js";
import { reasonsOf, type WorkspaceFacts } from "./condition.js";
import { type CrateMetadata, completedBy, extensionDistribution } from "./crate-metadata.js";
import { packageName } from "./extension-source.js";
import type { ExtensionKind, Recommendation } from "./recommendation.js";

export interface RecommendationList {
  readonly from: string;
  readonly recommendations: readonly Recommendation[];
  readonly reason?: string;
}

export interface OfferedExtension {
  readonly id: string;
  readonly kind: ExtensionKind;
  readonly source: Readonly<Record<string, string>>;
  readonly title: string;
  readonly reasons: readonly string[];
  readonly from: readonly string[];
  readonly alreadyEnabled: boolean;
  /** Instructions for starting the extension; absent if the registry or a URL defines the start command. */
  readonly distribution?: Distribution;
}

export interface OfferOptions {
  /** Recommendation lists, sorted by precedence: the first list that names an extension decides how to obtain it. */
  readonly lists: readonly RecommendationList[];
  readonly facts: WorkspaceFacts;
  readonly proxies: readonly ProxyEntry[];
  /** Locally known crates whose metadata defines a start command. */
  readonly extensionCrates: readonly CrateMetadata[];
}

const everywhere = "it is recommended for every workspace";

/** Returns the extensions whose conditions are true, without duplicates, in the lists' order. */
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

/** Built-in and registry extensions are identified by name; other extensions match by distribution. */
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
