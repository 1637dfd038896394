import type { Action, ItemOf } from "../../../protocol/index.js";
import type { AbilitySession } from "../../acp/abilities.js";
import type { SessionObserver } from "../../acp/session-observers.js";
import type { Checkpoints } from "./checkpoints.js";

/** What an `action` message of a prompt says when its files are to be put back. */
export const restoreActionId = "restore-checkpoint";

const restore: Action = { id: restoreActionId, label: "Restore files", style: "secondary" };

/**
 * Offers, on each prompt after which the agent has changed files, to put these back to what they were before it. To be
 * asked after the review, which knows the changes.
 */
export class RestorablePrompts implements SessionObserver {
  constructor(private readonly checkpoints: Pick<Checkpoints, "since">) {}

  turnEnded(session: AbilitySession): void {
    for (const item of [...session.transcript.items]) {
      if (item.kind !== "user") continue;
      const files = this.checkpoints.since(session.tabId, item.id);
      const isRestorable = files !== undefined && files.size > 0;
      if (isRestorable !== isOffered(item)) session.publish({ op: "put", item: offering(item, isRestorable) });
    }
  }
}

function isOffered({ actions }: ItemOf<"user">): boolean {
  return actions?.some(({ id }) => id === restoreActionId) ?? false;
}

function offering({ actions = [], ...item }: ItemOf<"user">, isRestorable: boolean): ItemOf<"user"> {
  const others = actions.filter(({ id }) => id !== restoreActionId);
  const all = isRestorable ? [...others, restore] : others;
  return all.length === 0 ? item : { ...item, actions: all };
}
