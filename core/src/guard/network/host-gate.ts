import type { Decision } from "../decision.js";
import type { Effect, GuardRule } from "../guard-rule.js";
import { addressText, type IpAddress, kindOfAddress } from "./ip-address.js";
import { refusals } from "./refusal.js";
import { hostOfAddress, type Target, targetText } from "./target.js";

/** Hosts that an agent connects to on its own. Patterns have the same form as in rules: a name or `*.name`. */
interface AgentHosts {
  /** Model and sign-in hosts, allowed without asking the user. */
  readonly needed: readonly string[];
  /** Telemetry and update hosts, denied without asking the user. */
  readonly refused: readonly string[];
  /**
   * Update hosts that are denied like `refused` before the first turn. The first request to such a host may also come later, but not after
   * a tool call.
   */
  readonly atStart?: readonly string[];
}

export interface HostQuestion {
  /** Hosts to ask about: a single host, or all package registries. */
  readonly targets: readonly Target[];
  readonly isRegistries: boolean;
  /** Whether a rule requires that the user answers this question in person. */
  readonly isForUserAlone: boolean;
}

export type HostChoice = "session" | "workspace" | "always" | "no";

/** The user's answer, and the session in which the question was asked. */
export interface HostAnswer {
  readonly choice: HostChoice;
  readonly session: string;
}

/** A decision about a host, for the guard's log. */
export interface HostDecision {
  readonly target: Target;
  readonly answer: Effect;
  /** Rule that decided, or another reason for the decision, for display. */
  readonly reason: string;
  /** Session in which the question was asked, if any. */
  readonly session?: string;
}

interface HostGateParts {
  readonly hosts: AgentHosts;
  /** Returns the rules that currently apply; never rejects. */
  readonly rules: () => Promise<{ readonly rules: readonly GuardRule[]; readonly isBroken: boolean }>;
  /** Returns the package registries that the user's package managers use; never rejects. */
  readonly registries: () => Promise<readonly Target[]>;
  /** Asks the user. Resolves with undefined if nobody answers; never rejects. */
  readonly ask: (question: HostQuestion) => Promise<HostAnswer | undefined>;
  /** Saves the user's answer as a rule. */
  readonly save: (targets: readonly Target[], choice: "workspace" | "always") => Promise<void>;
  readonly record: (decision: HostDecision) => void;
  /** Whether the address belongs to this machine. */
  readonly isOwnAddress: (address: IpAddress) => boolean;
}

/** Decision on whether a program may connect to a target. */
export type Admission =
  | {
      readonly isAllowed: true;
      /** Returns the reason why this address of the target is denied; undefined if allowed. */
      readonly refusalOf: (address: IpAddress) => string | undefined;
    }
  | { readonly isAllowed: false; readonly reason: string };

/** Maximum number of open questions. A user wouldn't read more. */
const maxQuestions = 10;
/** Maximum number of log entries that are remembered to avoid duplicates, since programs can invent any number of hosts. */
const maxRecorded = 10_000;

/**
 * Decides about network access of the programs in a sandbox: first by rules, then by what the agent needs, and otherwise by asking the
 * user.
 */
export class HostGate {
  /** Targets that the user allowed for a session, with that session. */
  readonly #granted = new Map<string, string>();
  readonly #rejected = new Set<string>();
  readonly #asking = new Map<string, Promise<HostAnswer | undefined>>();
  readonly #recorded = new Set<string>();
  /** Patterns in `atStart` that have already been requested. */
  readonly #lookedAt = new Set<string>();
  #hasBegun = false;
  #hasWorked = false;

  constructor(private readonly parts: HostGateParts) {}

  /** Resolves with the decision about a connection. May wait for the user's answer. */
  async admit(target: Target): Promise<Admission> {
    const { rules, isBroken } = await this.parts.rules();
    const rulingOn = await rulingBy(rules);
    const { effect, rule } = rulingOn(target) ?? {};
    if (effect === "deny") {
      return this.#refuse(
        target,
        rule?.place ?? "",
        ` by a rule (${rule?.place ?? ""}). ${rule?.reason ?? ""}`.trimEnd(),
      );
    }
    if (effect === "allow") return this.#allow(target, rule?.place ?? "", rulingOn);
    if (effect === "ask") return this.#ask(target, rulingOn, true);
    const place = this.#placeOf(target);
    if (place !== undefined)
      return this.#refuse(target, place, `: ${place} is reachable only if a rule names it.${remedy(target)}`);
    if (!isBroken) {
      const { needed, refused, atStart = [] } = this.parts.hosts;
      const look = atStart.find((pattern) => isHost(pattern, target.host));
      const isOver = this.#hasWorked || (this.#hasBegun && look !== undefined && this.#lookedAt.has(look));
      const isLook = look !== undefined && !isOver;
      if (look !== undefined) this.#lookedAt.add(look);
      if (isLook || refused.some((pattern) => isHost(pattern, target.host))) {
        return this.#refuse(
          target,
          refusals.unwanted,
          ": it serves the agent's telemetry or updates, which a sandbox blocks.",
        );
      }
      // Model and sign-in hosts are only used on port 443, which is always encrypted.
      if (target.port === 443 && needed.some((pattern) => isHost(pattern, target.host)))
        return this.#allow(target, "needed by the agent", rulingOn);
    }
    return this.#ask(target, rulingOn, false);
  }

  /** Removes the permissions that the user gave for the session. */
  endSession(session: string): void {
    for (const [key, granted] of this.#granted) if (granted === session) this.#granted.delete(key);
  }

  /** Called at the start of a turn. After that, the user may be asked again about hosts that were refused earlier. */
  beginTurn(): void {
    this.#hasBegun = true;
    this.#rejected.clear();
  }

  /** Called when the agent runs a tool, since later connections may come from that tool. */
  callTool(): void {
    this.#hasWorked = true;
  }

  async #ask(target: Target, rulingOn: RulingOn, isForUserAlone: boolean): Promise<Admission> {
    const key = targetText(target);
    const all = this.#granted.has(key) || this.#rejected.has(key) ? [] : await this.parts.registries();
    // Exclude local services, and registries that a rule names, from the answer for all registries.
    const known = all.filter((one) => !rulingOn(one) && this.#placeOf(one) === undefined);
    // The question may have been answered while this request waited.
    if (this.#granted.has(key)) return this.#allow(target, "allowed in the session", rulingOn);
    if (this.#rejected.has(key)) return this.#refusedByUser(target);
    const isRegistries = known.some((one) => targetText(one) === key);
    const targets = isRegistries ? known : [target];
    const name = isRegistries ? "registries" : key;
    if (!this.#asking.has(name) && this.#asking.size >= maxQuestions) {
      return this.#refuse(
        target,
        refusals.tooMany,
        `, because the user is already being asked about ${maxQuestions} others.`,
      );
    }
    // Several requests for the same target share one question.
    const asking = this.#asking.get(name) ?? this.#question(name, { targets, isRegistries, isForUserAlone });
    const answer = await asking;
    if (!answer) {
      return this.#refuse(target, refusals.nobodyThere, `, because nobody was there to ask.${remedy(target)}`);
    }
    if (answer.choice === "no") return this.#refusedByUser(target, answer.session);
    return this.#allow(target, "allowed by the user", rulingOn, answer.session);
  }

  #question(name: string, question: HostQuestion): Promise<HostAnswer | undefined> {
    const asking = this.parts.ask(question).then(async (answer) => {
      if (answer) await this.#keep(question.targets, answer);
      return answer;
    });
    this.#asking.set(name, asking);
    return asking.finally(() => this.#asking.delete(name));
  }

  async #keep(targets: readonly Target[], { choice, session }: HostAnswer): Promise<void> {
    for (const target of targets) {
      if (choice === "no") this.#rejected.add(targetText(target));
      else this.#granted.set(targetText(target), session);
    }
    if (choice === "workspace" || choice === "always") await this.parts.save(targets, choice);
  }

  #allow(target: Target, reason: string, rulingOn: RulingOn, session?: string): Admission {
    this.#record({ target, answer: "allow", reason, ...(session !== undefined && { session }) });
    const refusalOf = (address: IpAddress): string | undefined => {
      // The target's own IP address has already been checked.
      if (target.address && addressText(target.address) === addressText(address)) return undefined;
      const other: Target = { host: hostOfAddress(address), port: target.port, address };
      // A rule for all other hosts has already allowed the name, and lists no addresses.
      const ruling = rulingOn(other, ({ except }) => !except);
      if (ruling?.effect === "deny") return `${other.host} is refused by a rule (${ruling.rule?.place ?? ""})`;
      const place = this.#placeOf(other);
      if (place === undefined || ruling?.effect === "allow") return undefined;
      // `localhost` may resolve to loopback addresses.
      if (isLocalName(target.host) && kindOfAddress(address) === "loopback") return undefined;
      return `${targetText(target)} leads to ${other.host}, ${place}, which is reachable only if a rule names it.${remedy(other)}`;
    };
    return { isAllowed: true, refusalOf };
  }

  #refusedByUser(target: Target, session?: string): Admission {
    return this.#refuse(target, refusals.byUser, ` by the user in this turn.${remedy(target)}`, session);
  }

  #refuse(target: Target, reason: string, why: string, session?: string): Admission {
    this.#record({ target, answer: "deny", reason, ...(session !== undefined && { session }) });
    return { isAllowed: false, reason: `${targetText(target)} is refused${why}` };
  }

  /** Logs each decision about a host once, since agents retry and open many connections. */
  #record(decision: HostDecision): void {
    const key = `${targetText(decision.target)} ${decision.answer} ${decision.reason}`;
    if (this.#recorded.has(key)) return;
    if (this.#recorded.size >= maxRecorded) this.#recorded.clear();
    this.#recorded.add(key);
    this.parts.record(decision);
  }

  /** Describes a local or special target, which is allowed only if a rule names it; undefined for other targets. */
  #placeOf(target: Target): string | undefined {
    if (isLocalName(target.host)) return "this machine";
    if (!target.address) return undefined;
    if (this.parts.isOwnAddress(target.address)) return "an address of this machine";
    const kind = kindOfAddress(target.address);
    return kind === "public" ? undefined : places[kind];
  }
}

const places = {
  loopback: "this machine",
  private: "a private address",
  "link-local": "a link-local address",
  metadata: "a cloud metadata service",
  reserved: "a reserved address",
} as const;

/** Returns the strictest decision of the rules, or of those that `concern`, for any name of a target. */
type RulingOn = (target: Target, concern?: (rule: GuardRule) => boolean) => Decision | undefined;

/** Imports the decision at the first connection, because it also reads shell commands, which takes long to load. */
async function rulingBy(rules: readonly GuardRule[]): Promise<RulingOn> {
  const { decide } = await import("../decision.js");
  return (target, concern = () => true) => {
    const found = namesOf(target).flatMap((name) => {
      const about = { paths: [], tools: [], host: { name, port: String(target.port) } };
      return decide(hostRules(rules.filter(concern), name), about, { roots: [], home: "/" }) ?? [];
    });
    return found.find(({ effect }) => effect === "deny") ?? found.find(({ effect }) => effect === "ask") ?? found[0];
  };
}

function hostRules(rules: readonly GuardRule[], name: string): readonly GuardRule[] {
  const isAddress = /^[\d.]+$|^\[/.test(name);
  // A pattern such as `*.0.0.1` must not match an IP address.
  const plain = (patterns: readonly string[]): readonly string[] => patterns.filter((one) => !one.startsWith("*"));
  return rules
    .filter(({ subject }) => subject === "host")
    .map(({ except, ...rule }): GuardRule => {
      if (!isAddress) return { ...rule, ...(except && { except }) };
      return { ...rule, patterns: plain(rule.patterns), ...(except && { except: plain(except) }) };
    });
}

/** Returns all names by which rules can refer to a target. */
function namesOf({ host, address }: Target): readonly string[] {
  const isLoopback = isLocalName(host) || (address !== undefined && kindOfAddress(address) === "loopback");
  return isLoopback ? [...new Set([host, "localhost", "127.0.0.1", "[::1]"])] : [host];
}

function isLocalName(host: string): boolean {
  return host === "localhost" || host.endsWith(".localhost");
}

function isHost(pattern: string, host: string): boolean {
  return pattern.startsWith("*.") ? host.endsWith(pattern.slice(1)) : host === pattern;
}

function remedy(target: Target): string {
  return ` The user can allow it in guard.jsonc: {"effect": "allow", "host": ${JSON.stringify(targetText(target))}}.`;
}
