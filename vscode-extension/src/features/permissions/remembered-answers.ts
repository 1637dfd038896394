import * as l10n from "@vscode/l10n";
import { randomUUID } from "node:crypto";
import { homedir } from "node:os";
import { messageOf } from "@symposium-dev/core";
import { commandGrantText, isInside, type LastingAnswers, type ProposedRule } from "@symposium-dev/core/node";
import type { RuleScope } from "../../../protocol/index.js";
import type { AbilitySession } from "../../acp/client-abilities.js";
import type { PermissionRequest } from "./permission-request.js";
import { guardedCall, type PermissionSubject } from "./permission-subject.js";

/** Answer that the user may have remembered. It covers the same request and all requests that the rules allow. */
export interface ProposedAnswer {
  readonly label: string;
  /** Empty if no rule of the guard can express the request. */
  readonly rules: readonly ProposedRule[];
}

type Bounds = Pick<PermissionSubject, "agentId" | "sessionId" | "toolKind">;

/**
 * Answer for the rest of a session, for one agent and one tool kind. A rejection rejects what its rules allow, and the same command in any
 * folder and with any variables or other options.
 */
export interface SessionAnswer extends ProposedAnswer, Bounds, Pick<PermissionSubject, "command"> {
  readonly id: string;
  readonly agentName: string;
  readonly effect: "allow" | "reject";
  /** Identifies the answered request. */
  readonly print: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}

interface RememberedAnswersOptions {
  readonly guard: Pick<LastingAnswers, "allowing" | "decided" | "proposed" | "save">;
  /** Returns an agent's id in guard.jsonc, or undefined if unknown. Never rejects. */
  readonly nameOf: (agentId: string) => Promise<string | undefined>;
  readonly say: (message: string) => void;
  readonly now?: () => number;
}

/**
 * The user's remembered answers. Answers that outlive their session are rules in the user's guard.jsonc and apply in every editor. The
 * guard's engine decides which requests an answer covers.
 */
export class RememberedAnswers {
  #inSessions: readonly SessionAnswer[] = [];

  constructor(private readonly options: RememberedAnswersOptions) {}

  get inSessions(): readonly SessionAnswer[] {
    return this.#inSessions;
  }

  /** Returns the session's answer to a request. Rejections take precedence. */
  async inSession(
    asked: PermissionSubject,
    request: PermissionRequest,
    { roots }: AbilitySession,
  ): Promise<SessionAnswer | undefined> {
    const bound = this.#inSessions.filter(
      ({ agentId, sessionId, toolKind }) =>
        agentId === asked.agentId && sessionId === asked.sessionId && toolKind === asked.toolKind,
    );
    for (const effect of ["reject", "allow"] as const) {
      const answers = bound.filter((one) => one.effect === effect);
      const same = answers.find(
        ({ print, command }) =>
          print === asked.print || (effect === "reject" && command && command.text === asked.command?.text),
      );
      if (same) return same;
      const rules = answers.flatMap((answer) => answer.rules.map((rule) => ruleOf(rule, answer)));
      const decision =
        rules.length > 0 ? await this.options.guard.decided(rules, guardedCall(request), roots) : undefined;
      const found = answers.find(({ id }) => decision?.effect !== "ask" && id === decision?.rule?.place);
      if (found) return found;
    }
    return undefined;
  }

  /** Describes the rule in guard.jsonc that allows a request; undefined if there is none. */
  async lasting(request: PermissionRequest, { agent, roots }: AbilitySession): Promise<string | undefined> {
    const { guard, nameOf } = this.options;
    const rule = await guard.allowing(guardedCall(request), { roots, agent: () => nameOf(agent.id) });
    return rule && `${rule.subject} ${rule.patterns.join(", ")} (${rule.place})`;
  }

  /** Returns the answer to offer for remembering; undefined if the user should be asked each time. */
  async proposed(
    asked: PermissionSubject,
    request: PermissionRequest,
    { roots }: AbilitySession,
  ): Promise<ProposedAnswer | undefined> {
    if (asked.isUserOnly || asked.command?.cwd.isInside === false) return undefined;
    const rules = await this.options.guard.proposed(guardedCall(request), roots);
    return { label: labelOf(asked, rules), rules };
  }

  /** Returns whether an answer can outlive its session. */
  async canLast({ rules }: ProposedAnswer, { agent }: AbilitySession): Promise<boolean> {
    return rules.length > 0 && (await this.options.nameOf(agent.id)) !== undefined;
  }

  /**
   * Remembers an answer. If a permission can't be written to guard.jsonc, shows an error and remembers it only for the session. Rejections
   * last only for the session; to reject permanently, the user writes a deny rule, which applies to all agents.
   */
  async add(
    proposed: ProposedAnswer,
    effect: SessionAnswer["effect"],
    asked: PermissionSubject,
    session: AbilitySession,
    scope: RuleScope,
  ): Promise<void> {
    if (scope !== "session" && effect === "allow" && (await this.#saved(proposed, session, scope))) return;
    const { agentId, sessionId, toolKind, print, command } = asked;
    const { now = Date.now } = this.options;
    const about = { agentId, sessionId, toolKind, print, ...(command && { command }), agentName: session.agent.name };
    this.#inSessions = [...this.#inSessions, { ...proposed, ...about, effect, id: randomUUID(), createdAt: now() }];
  }

  async #saved({ rules }: ProposedAnswer, { agent, roots }: AbilitySession, scope: RuleScope): Promise<boolean> {
    try {
      const name = await this.options.nameOf(agent.id);
      const folder = scope === "workspace" ? roots[0] : undefined;
      // Such a rule would apply to all projects below the home folder.
      if (folder !== undefined && isInside(homedir(), folder)) {
        throw new Error(l10n.t("a rule for {0} would apply to all of your projects", folder));
      }
      if (name === undefined || rules.length === 0) throw new Error(l10n.t("it can't be written as a rule"));
      const within = folder === undefined ? {} : { in: folder };
      await this.options.guard.save(rules.map((rule) => ({ ...rule, agent: name, ...within })));
      return true;
    } catch (error) {
      const reason = messageOf(error);
      this.options.say(
        l10n.t("Your answer applies only to this session because guard.jsonc was not changed: {0}", reason),
      );
      return false;
    }
  }

  remove(id: string): void {
    this.#inSessions = this.#inSessions.filter((answer) => answer.id !== id);
  }

  sessionEnded(sessionId: string): void {
    this.#inSessions = this.#inSessions.filter((answer) => answer.sessionId !== sessionId);
  }
}

/** Returns the rule with its answer's id as its place. A rejected program is also denied in longer commands and with any options. */
function ruleOf(rule: ProposedRule, { id, effect }: SessionAnswer): ProposedRule & { readonly place: string } {
  const isDenied = effect === "reject" && rule.subject === "command" && rule.exact !== true;
  return { ...rule, place: id, effect: isDenied ? "deny" : "allow" };
}

function labelOf({ command, toolKind, title }: PermissionSubject, [rule]: readonly ProposedRule[]): string {
  const pattern = rule?.patterns[0] ?? "";
  if (command && rule && rule.exact !== true) {
    const text = commandGrantText(pattern.split(" "));
    return l10n.t("run {0} …", pattern) + (text === undefined ? "" : `, ${text}`);
  }
  if (command) {
    const { text, cwd, variables } = command;
    const set = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
    return set.length === 0
      ? l10n.t("run exactly {0} in {1}", text, cwd.real)
      : l10n.t("run exactly {0} in {1} with {2}", text, cwd.real, set.join(" "));
  }
  if (!rule) return l10n.t("do exactly this again: {0}", title);
  if (rule.subject === "host") return l10n.t("fetch from {0}", pattern);
  const verb = toolKind === "edit" ? "change" : toolKind;
  return rule.exact === true ? `${verb} ${pattern}` : l10n.t("{0} files in the workspace", verb);
}
