import { randomUUID } from "node:crypto";
import { answeringRule, type PermissionRule } from "./permission-rule.js";
import type { PermissionSubject } from "./permission-subject.js";

export class SessionPermissions {
  #rules: readonly PermissionRule[] = [];

  constructor(private readonly now: () => number = Date.now) {}

  get rules(): readonly PermissionRule[] {
    return this.#rules;
  }

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
