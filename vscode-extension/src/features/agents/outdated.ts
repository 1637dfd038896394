import type { AgentOffer } from "./agent-choices.js";
import type { ListedAgent } from "./catalogue.js";
import type { ComponentKind, InstalledComponent } from "./installations.js";

/** Something that is installed, and of which the registry has a newer version. */
export interface Outdated {
  readonly kind: ComponentKind;
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly newest: string;
}

interface UpdateFacts {
  readonly installed: readonly InstalledComponent[];
  readonly agents: readonly Pick<AgentOffer, "id" | "name" | "version">[];
  readonly extensions: readonly Pick<ListedAgent, "id" | "name" | "version">[];
}

/** The agents and extensions to update; what is pinned stays. */
export function outdated({ installed, agents, extensions }: UpdateFacts): Outdated[] {
  return installed.flatMap(({ kind, id, version, pinned }) => {
    const listed = (kind === "agent" ? agents : extensions).find((one) => one.id === id);
    if (pinned !== undefined || listed?.version === undefined || !isNewer(listed.version, version)) return [];
    return [{ kind, id, name: listed.name, version, newest: listed.version }];
  });
}

/** One line for people. */
export function outdatedLine({ name, version, newest }: Outdated): string {
  return `${name} ${version} → ${newest}`;
}

/** Whether `version` comes after `than`; one that has no numbers is newer when it is another one. */
export function isNewer(version: string, than: string): boolean {
  const [a, b] = [numbersOf(version), numbersOf(than)];
  if (!a || !b) return version !== than;
  const at = a.findIndex((number, index) => number !== (b[index] ?? 0));
  if (at >= 0) return (a[at] ?? 0) > (b[at] ?? 0);
  // 1.0.0 comes after 1.0.0-beta.
  return !version.includes("-") && than.includes("-");
}

function numbersOf(version: string): readonly number[] | undefined {
  const [, numbers] = /^v?(\d+(?:\.\d+)*)/.exec(version) ?? [];
  const parts = numbers?.split(".").map(Number);
  return parts && [...parts, 0, 0].slice(0, Math.max(3, parts.length));
}
