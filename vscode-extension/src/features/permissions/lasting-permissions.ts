import * as l10n from "@vscode/l10n";
import { homedir } from "node:os";
import { messageOf } from "@symposium-dev/core";
import { isInside, type LastingAnswers, type NewRule } from "@symposium-dev/core/node";
import type { AbilitySession } from "../../acp/abilities.js";
import { answerToGuardRules } from "./answer-to-guard-rules.js";
import type { PermissionRequest } from "./permission-request.js";
import type { RuleSubject } from "./permission-rule.js";
import { guardedCall } from "./permission-subject.js";

type LastingScope = "workspace" | "always";

interface LastingPermissionsOptions {
  readonly answers: Pick<LastingAnswers, "allowing" | "wouldAllow" | "save">;
  /** Returns an agent's id in guard.jsonc, or undefined if unknown. Never rejects. */
  readonly nameOf: (agentId: string) => Promise<string | undefined>;
  readonly say: (message: string) => void;
}

type Asking = Pick<AbilitySession, "agent" | "roots">;

/** Answers that outlive their session, stored as rules in the user's guard.jsonc. They apply in every editor. */
export class LastingPermissions {
  constructor(private readonly options: LastingPermissionsOptions) {}

  async standing(request: PermissionRequest, { agent, roots }: Asking): Promise<string | undefined> {
    const { answers, nameOf } = this.options;
    const rule = await answers.allowing(guardedCall(request), { roots, agent: () => nameOf(agent.id) });
    return rule && `${rule.subject} ${rule.patterns.join(", ")} (${rule.place})`;
  }

  /** Returns whether a guard.jsonc rule can express the proposal and would allow this request. */
  async canSay(proposed: RuleSubject, request: PermissionRequest, session: Asking): Promise<boolean> {
    const rules = await this.#rules(proposed, request, session, "always");
    return rules !== undefined && this.options.answers.wouldAllow(rules, guardedCall(request), session.roots);
  }

  /** Writes the rule. If that fails, shows an error and returns false. */
  async add(proposed: RuleSubject, request: PermissionRequest, session: Asking, scope: LastingScope): Promise<boolean> {
    try {
      const rules = await this.#rules(proposed, request, session, scope);
      if (rules === undefined) throw new Error(l10n.t("it can't be written as a rule"));
      await this.options.answers.save(rules);
      return true;
    } catch (error) {
      const reason = messageOf(error);
      this.options.say(
        l10n.t("Your answer applies only to this session because guard.jsonc was not changed: {0}", reason),
      );
      return false;
    }
  }

  async #rules(
    proposed: RuleSubject,
    { toolKind }: PermissionRequest,
    { agent, roots }: Asking,
    scope: LastingScope,
  ): Promise<readonly NewRule[] | undefined> {
    const name = await this.options.nameOf(agent.id);
    if (name === undefined) return undefined;
    const folder = scope === "workspace" ? roots[0] : undefined;
    if (folder !== undefined && holdsProjects(folder)) {
      throw new Error(l10n.t("a rule for {0} would apply to all of your projects", folder));
    }
    return answerToGuardRules(proposed, { agent: name, toolKind, folder });
  }
}

/** Returns whether a rule for this folder would apply to all projects below the home folder. */
function holdsProjects(folder: string): boolean {
  return isInside(homedir(), folder);
}
