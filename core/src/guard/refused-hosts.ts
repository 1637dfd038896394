import { decide } from "./decision.js";
import type { GuardRecord } from "./guard-record.js";
import type { GuardRule } from "./guard-rule.js";
import { refusals } from "./network/refusal.js";
import { readAuthority } from "./network/target.js";

/** A host that was refused and that no rule currently allows. */
export interface RefusedHost {
  /** Host as `NAME:PORT`, the format that rules use. */
  readonly host: string;
  /** Agents that requested the host, without duplicates. */
  readonly agents: readonly string[];
  /** Number of refusals in the log. Agents may have tried more often. */
  readonly count: number;
  /** Time of the last refusal, in ISO 8601 format. */
  readonly time: string;
  /** Location (`FILE:LINE`) of the rule that refused the host, or another reason. */
  readonly reason: string;
  /** Whether an allow rule would make the host reachable: no rule denies the host, and it isn't on this machine or in its local network. */
  readonly canOpen: boolean;
}

const subject = /^host (\S+)$/;

/** Returns the hosts that were refused according to a log and that `rules` still don't allow, newest first. */
export function refusedHosts(records: readonly GuardRecord[], rules: readonly GuardRule[]): readonly RefusedHost[] {
  const byHost = new Map<string, GuardRecord[]>();
  for (const record of records) {
    const host = subject.exec(record.subject)?.[1];
    if (host !== undefined) byHost.set(host, [...(byHost.get(host) ?? []), record]);
  }
  const found = [...byHost].flatMap(([host, all]): readonly RefusedHost[] => {
    const last = all.at(-1);
    const refused = all.filter(({ answer }) => answer === "deny");
    if (last?.answer !== "deny" || isAllowed(host, rules)) return [];
    const { time, rule: reason = "" } = last;
    const agents = [...new Set(refused.map(({ agent }) => agent))];
    const canOpen = Object.values(refusals).some((one) => one === reason);
    return [{ host, agents, count: refused.length, time, reason, canOpen }];
  });
  return found.toSorted((a, b) => (a.time < b.time ? 1 : -1));
}

function isAllowed(host: string, rules: readonly GuardRule[]): boolean {
  const target = readAuthority(host);
  if (!target) return false;
  const about = rules.filter((rule) => rule.subject === "host");
  const named = { name: target.host, port: String(target.port) };
  return decide(about, { paths: [], tools: [], host: named }, { roots: [], home: "/" })?.effect === "allow";
}
