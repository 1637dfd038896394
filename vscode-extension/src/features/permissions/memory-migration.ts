import { messageOf } from "@symposium-dev/core";
import type { NewRule } from "@symposium-dev/core/node";
import * as z from "zod/mini";
import { holdsProjects } from "./lasting-permissions.js";
import { answerToGuardRules } from "./answer-to-guard-rules.js";
import { describeRule, type PermissionRule, permissionRuleSchema } from "./permission-rule.js";
import type { Storage } from "./permission-history.js";

/** Where earlier versions kept the user's answers, in the editor. */
const rulesKey = "symposium.permissionRules";
/** Those of them that no rule can say. They hold no longer, and are kept until the user deletes them. */
const unmovedKey = "symposium.unmovedPermissions";

interface MemoryMigrationOptions {
  /** What the editor keeps for this workspace, and for all of them. */
  readonly workspace: Storage;
  readonly global: Storage;
  /** The folders of the workspace, absolute; answers of a workspace hold in their sessions. */
  readonly folders: () => readonly string[];
  /** The id under which guard.jsonc has an agent of ours, and no other agent; undefined where there is none such. It may start a process. */
  readonly nameOf: (agentId: string) => Promise<string | undefined>;
  /** Writes rules into guard.jsonc; resolves when they have been read from it again. */
  readonly save: (rules: readonly NewRule[]) => Promise<void>;
  /** Tells the user how many answers are rules by now, and how many have to be asked for again. */
  readonly moved: (count: number, unmoved: number) => void;
  /** Tells the user why nothing was moved. */
  readonly failed: (reason: string) => void;
}

/** An answer that no rule can say. */
interface UnmovedAnswer {
  readonly label: string;
  readonly detail: string;
  remove(): Promise<void>;
}

/**
 * Makes rules of guard.jsonc of the answers that earlier versions kept in the editor. A rule allows nothing that the answer did not
 * allow. The old memory is deleted when its rules have been read again; what no rule can say, and what the user had rejected, is
 * asked about again and stays listed.
 */
export class MemoryMigration {
  constructor(private readonly options: MemoryMigrationOptions) {}

  /** Moves what there is. Never rejects: where it fails, nothing is lost, and the next start tries again. */
  async run(): Promise<void> {
    const { workspace, global, folders, moved, failed } = this.options;
    const here = folders();
    const isNarrow = !here.some(holdsProjects);
    const counts = { moved: 0, unmoved: 0 };
    try {
      for (const [storage, where] of [[global, [undefined]] as const, [workspace, isNarrow ? here : []] as const]) {
        const done = await this.#move(storage, where);
        counts.moved += done.moved;
        counts.unmoved += done.unmoved;
      }
    } catch (error) {
      failed(messageOf(error));
    }
    if (counts.moved + counts.unmoved > 0) moved(counts.moved, counts.unmoved);
  }

  /** What could not be moved, oldest first. */
  get unmoved(): readonly UnmovedAnswer[] {
    const { workspace, global } = this.options;
    return [workspace, global].flatMap((storage) =>
      listIn(storage, unmovedKey).map((value) => ({
        ...describe(value),
        remove: async () => storage.update(unmovedKey, without(listIn(storage, unmovedKey), value)),
      })),
    );
  }

  /** `folders` are those in which the answers hold; undefined is everywhere. */
  async #move(storage: Storage, folders: readonly (string | undefined)[]): Promise<{ moved: number; unmoved: number }> {
    const old = listIn(storage, rulesKey);
    const names = new Map<string, Promise<string | undefined>>();
    const nameOf = (agentId: string): Promise<string | undefined> => {
      const name = names.get(agentId) ?? this.options.nameOf(agentId);
      names.set(agentId, name);
      return name;
    };
    const found = await Promise.all(old.map((value) => rulesOf(value, folders, nameOf)));
    const rules = found.flatMap((one) => one ?? []);
    const unmoved = old.filter((_, index) => found[index] === undefined);
    if (rules.length > 0) await this.options.save(rules);
    const listed = listIn(storage, unmovedKey);
    // Another window that starts at the same time may have listed them.
    const more = unmoved.filter((value) => !listed.some((one) => isSame(one, value)));
    if (more.length > 0) await storage.update(unmovedKey, [...listed, ...more]);
    if (old.length > 0) await storage.update(rulesKey, undefined);
    return { moved: old.length - unmoved.length, unmoved: unmoved.length };
  }
}

async function rulesOf(
  value: unknown,
  folders: readonly (string | undefined)[],
  nameOf: MemoryMigrationOptions["nameOf"],
): Promise<readonly NewRule[] | undefined> {
  const parsed = permissionRuleSchema.safeParse(value);
  if (!parsed.success || parsed.data.effect !== "allow" || folders.length === 0) return undefined;
  const { subject, agentId, toolKind } = parsed.data;
  const agent = await nameOf(agentId);
  if (agent === undefined) return undefined;
  const found = folders.map((folder) => answerToGuardRules(subject, { agent, toolKind, folder }));
  return found.includes(undefined) ? undefined : found.flatMap((one) => one ?? []);
}

function describe(value: unknown): { label: string; detail: string } {
  const parsed = permissionRuleSchema.safeParse(value);
  if (!parsed.success) return { label: "An answer that cannot be read", detail: JSON.stringify(value).slice(0, 500) };
  const { effect, subject, toolKind, agentName } = parsed.data;
  return { label: `${verbs[effect]}: ${describeRule(subject, toolKind)}`, detail: agentName };
}

const verbs: Readonly<Record<PermissionRule["effect"], string>> = { allow: "Allow", reject: "Reject" };

function listIn(storage: Storage, key: string): readonly unknown[] {
  const stored = z.array(z.unknown()).safeParse(storage.get(key));
  return stored.success ? stored.data : [];
}

/** Nothing instead of an empty list. */
function without(all: readonly unknown[], value: unknown): readonly unknown[] | undefined {
  const index = all.findIndex((one) => isSame(one, value));
  const others = all.filter((_, place) => place !== index);
  return others.length === 0 ? undefined : others;
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
