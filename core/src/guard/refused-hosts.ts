import { decide } from "./decision.js";
import type { GuardRecord } from "./guard-record.js";
import type { GuardRule } from "./guard-rule.js";
import { refusals } from "./network/refusal.js";
import { readAuthority } from "./network/target.js";

/** A host that was refused, and that no rule allows by now. */
export interface RefusedHost {
  /** `NAME:PORT`, as rules have it. */
  readonly host: string;
  /** Who wanted it, each once. */
  readonly agents: readonly string[];
  /** Decisions that are recorded: agents try more often. */
  readonly count: number;
  /** Of the last one, ISO 8601. */
  readonly time: string;
  /** The rule that refused it, `FILE:LINE`, or what else did. */
  readonly reason: string;
  /** Whether a rule that allows it would open it: no rule refuses it, and it is no address of this machine or its network. */
  readonly canOpen: boolean;
}

const subject = /^host (\S+)$/;

/** What of a record was refused last, newest first, as these rules leave it. */
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
