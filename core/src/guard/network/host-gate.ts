import { decide } from "../decision.js";
import type { Effect, GuardRule } from "../guard-rule.js";
import { addressText, type IpAddress, kindOfAddress } from "./ip-address.js";
import { refusals } from "./refusal.js";
import { hostOfAddress, type Target, targetText } from "./target.js";

/** What an agent connects to by itself. Patterns as in rules: a name, or `*.name`. */
interface AgentHosts {
  /** Its model, its sign-in: allowed without a question. */
  readonly needed: readonly string[];
  /** Telemetry and updates: refused without a question. */
  readonly refused: readonly string[];
  /** Updates as well, as long as no turn has begun; the first look may come late, but not once a tool has been called. */
  readonly atStart?: readonly string[];
}

/** A question for the user. */
export interface HostQuestion {
  /** One, or all of the package registries. */
  readonly targets: readonly Target[];
  readonly isRegistries: boolean;
  /** A rule has the user asked: nobody else answers. */
  readonly isForUserAlone: boolean;
}

export type HostChoice = "session" | "workspace" | "always" | "no";

/** What was answered, and in which session it was asked. */
export interface HostAnswer {
  readonly choice: HostChoice;
  readonly session: string;
}

/** One decision about a host, for the guard's record. */
export interface HostDecision {
  readonly target: Target;
  readonly answer: Effect;
  /** The rule that decided, or what else did, for people. */
  readonly reason: string;
  /** Where it was asked. */
  readonly session?: string;
}

interface HostGateParts {
  readonly hosts: AgentHosts;
  /** The rules that hold by now; never rejects. */
  readonly rules: () => Promise<{ readonly rules: readonly GuardRule[]; readonly isBroken: boolean }>;
  /** Where the user's own package managers fetch from; never rejects. */
  readonly registries: () => Promise<readonly Target[]>;
  /** Undefined where nobody answers. Never rejects. */
  readonly ask: (question: HostQuestion) => Promise<HostAnswer | undefined>;
  /** Makes a rule of an answer. */
  readonly save: (targets: readonly Target[], choice: "workspace" | "always") => Promise<void>;
  readonly record: (decision: HostDecision) => void;
  /** Whether this machine itself has the address. */
  readonly isOwnAddress: (address: IpAddress) => boolean;
}

/** Whether a program may connect. */
export type Admission =
  | {
      readonly isAllowed: true;
      /** Why it may not connect to this address of the target; undefined where it may. */
      readonly refusalOf: (address: IpAddress) => string | undefined;
    }
  | { readonly isAllowed: false; readonly reason: string };

/** Open at a time; more than a user would read. */
const maxQuestions = 10;
/** Decisions that are known to be recorded; programs may make up any number of names. */
const maxRecorded = 10_000;

/** Decides what the programs of one sandbox may connect to: by rules, by what its agent needs, else by asking the user. */
export class HostGate {
  /** What the user allowed for a session, and in which. */
  readonly #granted = new Map<string, string>();
  readonly #rejected = new Set<string>();
  readonly #asking = new Map<string, Promise<HostAnswer | undefined>>();
  readonly #recorded = new Set<string>();
  /** Of `atStart`, by patterns. */
  readonly #lookedAt = new Set<string>();
  #hasBegun = false;
  #hasWorked = false;

  constructor(private readonly parts: HostGateParts) {}

  /** Resolves when it is decided, which may take as long as the user does. */
  async admit(target: Target): Promise<Admission> {
    const { rules, isBroken } = await this.parts.rules();
    const { effect, rule } = this.#ruling(rules, target) ?? {};
    if (effect === "deny") {
      return this.#refuse(
        target,
        rule?.place ?? "",
        ` by a rule (${rule?.place ?? ""}). ${rule?.reason ?? ""}`.trimEnd(),
      );
    }
    if (effect === "allow") return this.#allow(target, rule?.place ?? "", rules);
    if (effect === "ask") return this.#ask(target, rules, true);
    const place = this.#placeOf(target);
    if (place !== undefined)
      return this.#refuse(target, place, `: ${place} is reached only by a rule that names it.${remedy(target)}`);
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
          ": it serves telemetry or updates of the agent, which a sandbox leaves out.",
        );
      }
      // Models and sign-ins are served there alone, and never without encryption.
      if (target.port === 443 && needed.some((pattern) => isHost(pattern, target.host)))
        return this.#allow(target, "needed by the agent", rules);
    }
    return this.#ask(target, rules, false);
  }

  /** A session is over, and with it what was allowed for it. */
  endSession(session: string): void {
    for (const [key, granted] of this.#granted) if (granted === session) this.#granted.delete(key);
  }

  /** A turn begins: what the user refused before may be asked again. */
  beginTurn(): void {
    this.#hasBegun = true;
    this.#rejected.clear();
  }

  /** The agent runs something: what connects from now on may be that. */
  callTool(): void {
    this.#hasWorked = true;
  }

  async #ask(target: Target, rules: readonly GuardRule[], isForUserAlone: boolean): Promise<Admission> {
    const key = targetText(target);
    const all = this.#isAnswered(key) ? [] : await this.parts.registries();
    // One answer for all of them is none for what a rule has the user asked about, or for services of this machine.
    const known = all.filter((one) => !this.#ruling(rules, one) && this.#placeOf(one) === undefined);
    // It may have been answered meanwhile.
    if (this.#granted.has(key)) return this.#allow(target, "allowed in the session", rules);
    if (this.#rejected.has(key)) return this.#refusedByUser(target);
    const isRegistries = known.some((one) => targetText(one) === key);
    const targets = isRegistries ? known : [target];
    const name = isRegistries ? "registries" : key;
    if (!this.#asking.has(name) && this.#asking.size >= maxQuestions) {
      return this.#refuse(target, refusals.tooMany, `, since the user is asked about ${maxQuestions} others.`);
    }
    // One question for all who wait for it.
    const asking = this.#asking.get(name) ?? this.#question(name, { targets, isRegistries, isForUserAlone });
    const answer = await asking;
    if (!answer) {
      return this.#refuse(target, refusals.nobodyThere, `, since nobody was there to be asked.${remedy(target)}`);
    }
    if (answer.choice === "no") return this.#refusedByUser(target, answer.session);
    return this.#allow(target, "allowed by the user", rules, answer.session);
  }

  #isAnswered(key: string): boolean {
    return this.#granted.has(key) || this.#rejected.has(key);
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

  /** The strictest of what rules say of a target under each of its names. */
  #ruling(rules: readonly GuardRule[], target: Target): ReturnType<typeof decide> {
    const found = namesOf(target).flatMap((name) => decisionOn(rules, name, target.port) ?? []);
    return found.find(({ effect }) => effect === "deny") ?? found.find(({ effect }) => effect === "ask") ?? found[0];
  }

  #allow(target: Target, reason: string, rules: readonly GuardRule[], session?: string): Admission {
    this.#record({ target, answer: "allow", reason, ...(session !== undefined && { session }) });
    const refusalOf = (address: IpAddress): string | undefined => {
      // The target itself was judged by this very name.
      if (target.address && addressText(target.address) === addressText(address)) return undefined;
      const other: Target = { host: hostOfAddress(address), port: target.port, address };
      const ruling = this.#ruling(rules, other);
      if (ruling?.effect === "deny") return `${other.host} is refused by a rule (${ruling.rule?.place ?? ""})`;
      const place = this.#placeOf(other);
      if (place === undefined || ruling?.effect === "allow") return undefined;
      // `localhost` is what names these.
      if (isLocalName(target.host) && kindOfAddress(address) === "loopback") return undefined;
      return `${targetText(target)} leads to ${other.host}, ${place}, which only a rule reaches that names it.${remedy(other)}`;
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

  /** The same decision about the same host is kept once: agents try again, and open many connections. */
  #record(decision: HostDecision): void {
    const key = `${targetText(decision.target)} ${decision.answer} ${decision.reason}`;
    if (this.#recorded.has(key)) return;
    if (this.#recorded.size >= maxRecorded) this.#recorded.clear();
    this.#recorded.add(key);
    this.parts.record(decision);
  }

  /** What is at the target where only a rule reaches it that names it, for people. */
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
  "link-local": "an address of the local link",
  metadata: "the metadata service of a cloud",
  reserved: "an address that is not of the internet",
} as const;

function decisionOn(rules: readonly GuardRule[], name: string, port: number): ReturnType<typeof decide> {
  const isAddress = /^[\d.]+$|^\[/.test(name);
  const about = rules
    .filter(({ subject }) => subject === "host")
    // `*.0.0.1` names no address.
    .map((rule) => (isAddress ? { ...rule, patterns: rule.patterns.filter((one) => !one.startsWith("*")) } : rule));
  return decide(about, { paths: [], tools: [], host: { name, port: String(port) } }, { roots: [], home: "/" });
}

/** Names under which rules may know a target. */
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
