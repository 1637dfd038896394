import { randomUUID } from "node:crypto";
import { answeringRule, type PermissionRule } from "./permission-rule.js";
import type { PermissionSubject } from "./permission-subject.js";

/** The user's answers that apply until their session ends. */
export class SessionPermissions {
  #rules: readonly PermissionRule[] = [];

  constructor(private readonly now: () => number = Date.now) {}

  /** Oldest first. */
  get rules(): readonly PermissionRule[] {
    return this.#rules;
  }

  /** The rule that answers `asked`. One that rejects goes before all that allow. */
  find(asked: PermissionSubject): PermissionRule | undefined {
    return answeringRule(this.rules, asked);
  }

  add(rule: Omit<PermissionRule, "id" | "createdAt">): void {
    this.#rules = [...this.#rules, { ...rule, id: randomUUID(), createdAt: this.now() }];
  }

  remove(id: string): void {
    this.#rules = this.#rules.filter((rule) => rule.id !== id);
  }

  sessionEnded(sessionId: string): void {
    this.#rules = this.#rules.filter((rule) => rule.sessionId !== sessionId);
  }
}
