import { randomUUID } from "node:crypto";
import * as z from "zod/mini";
import type { RuleScope } from "../../../protocol/index.js";
import { answeringRule, type PermissionRule, permissionRuleSchema } from "./permission-rule.js";
import type { PermissionSubject } from "./permission-subject.js";

/** Where values outlive the window; an editor's memento is one. */
export interface Storage {
  get(key: string): unknown;
  update(key: string, value: unknown): PromiseLike<void>;
}

/** One answer that was given, and why. */
const permissionRecordSchema = z.object({
  /** Milliseconds since the epoch. */
  at: z.number(),
  agentName: z.string(),
  title: z.string(),
  toolKind: z.string(),
  /** The command, or the paths. */
  detail: z.string(),
  effect: z.enum(["allow", "reject", "cancel"]),
  /** `user`, `bypass`, or what the rule says. */
  by: z.string(),
  /** The option as the agent called it. */
  answer: z.string(),
});
export type PermissionRecord = z.infer<typeof permissionRecordSchema>;

const rulesKey = "symposium.permissionRules";
const historyKey = "symposium.permissionHistory";
const maxRecords = 500;
const maxDetailChars = 500;

/** The user's standing answers and the log of all answers. Rules of a session die with it. */
export class PermissionStore {
  #sessionRules: readonly PermissionRule[] = [];

  constructor(
    private readonly workspace: Storage,
    private readonly global: Storage,
    private readonly now: () => number = Date.now,
  ) {}

  /** Oldest first: session, workspace, always. */
  get rules(): readonly PermissionRule[] {
    return [...this.#sessionRules, ...rulesIn(this.workspace), ...rulesIn(this.global)];
  }

  /** Newest last. */
  get history(): readonly PermissionRecord[] {
    return listIn(this.workspace, historyKey, permissionRecordSchema);
  }

  /** The rule that answers `asked`. One that rejects goes before all that allow. */
  find(asked: PermissionSubject): PermissionRule | undefined {
    return answeringRule(this.rules, asked);
  }

  async add(rule: Omit<PermissionRule, "id" | "createdAt">): Promise<PermissionRule> {
    const added = { ...rule, id: randomUUID(), createdAt: this.now() };
    await this.#write(added.scope, (rules) => [...rules, added]);
    return added;
  }

  async remove(id: string): Promise<void> {
    for (const scope of ["session", "workspace", "always"] as const) {
      await this.#write(scope, (rules) => rules.filter((rule) => rule.id !== id));
    }
  }

  /** Puts `rule` where the one with its id stands, or where its scope belongs. */
  async replace(rule: PermissionRule): Promise<void> {
    await this.remove(rule.id);
    await this.#write(rule.scope, (rules) => [...rules, rule]);
  }

  sessionEnded(sessionId: string): void {
    this.#sessionRules = this.#sessionRules.filter((rule) => rule.sessionId !== sessionId);
  }

  async record(record: Omit<PermissionRecord, "at">): Promise<void> {
    const entry = { ...record, at: this.now(), detail: record.detail.slice(0, maxDetailChars) };
    await this.workspace.update(historyKey, [...this.history, entry].slice(-maxRecords));
  }

  async clearHistory(): Promise<void> {
    await this.workspace.update(historyKey, []);
  }

  async #write(scope: RuleScope, change: (rules: readonly PermissionRule[]) => PermissionRule[]): Promise<void> {
    if (scope === "session") {
      this.#sessionRules = change(this.#sessionRules);
      return;
    }
    const storage = scope === "workspace" ? this.workspace : this.global;
    const old = rulesIn(storage);
    const changed = change(old);
    if (changed.length !== old.length) await storage.update(rulesKey, changed);
  }
}

function rulesIn(storage: Storage): readonly PermissionRule[] {
  return listIn(storage, rulesKey, permissionRuleSchema);
}

/** What another version wrote and this one cannot read is not applied. */
function listIn<Schema extends z.ZodMiniType>(storage: Storage, key: string, schema: Schema): z.output<Schema>[] {
  const stored = z.array(z.unknown()).safeParse(storage.get(key));
  if (!stored.success) return [];
  return stored.data.flatMap((value) => {
    const parsed = schema.safeParse(value);
    return parsed.success ? [parsed.data] : [];
  });
}
