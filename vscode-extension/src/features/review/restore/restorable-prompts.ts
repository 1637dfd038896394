import * as l10n from "@vscode/l10n";
import { type Action, type ItemOf, restoreActionId } from "../../../../protocol/index.js";
import type { AbilitySession } from "../../../acp/client-abilities.js";
import type { SessionObserver } from "../../../acp/session-observers.js";
import type { Checkpoints } from "./checkpoints.js";

const restore: Action = { id: restoreActionId, label: l10n.t("Restore files"), style: "secondary" };

export const undoRestoreActionId = "undo-restore";

const undoRestore: Action = { id: undoRestoreActionId, label: l10n.t("Undo Restore"), style: "secondary" };

/**
 * Adds to each prompt an offer to restore the files that the agent changed after it. Must be notified after the review, which collects the
 * changes.
 */
export class RestorablePrompts implements SessionObserver {
  /** `restoredTo` returns the prompt that a tab's files were restored to, as long as that can be undone. */
  constructor(
    private readonly checkpoints: Pick<Checkpoints, "since">,
    private readonly restoredTo: (tabId: string) => string | undefined = () => undefined,
  ) {}

  turnEnded(session: AbilitySession): void {
    this.offer(session);
  }

  offer(session: Pick<AbilitySession, "tabId" | "transcript" | "publish">): void {
    for (const item of [...session.transcript.items]) {
      if (item.kind !== "user") continue;
      const files = this.checkpoints.since(session.tabId, item.id);
      const isRestorable = files !== undefined && files.size > 0;
      const isUndoable = this.restoredTo(session.tabId) === item.id;
      const wanted = [...(isRestorable ? [restore] : []), ...(isUndoable ? [undoRestore] : [])];
      const offered = offeringsOf(item);
      if (wanted.map(({ id }) => id).join() !== offered.map(({ id }) => id).join())
        session.publish({ op: "put", item: offering(item, wanted) });
    }
  }
}

function isOurs({ id }: Action): boolean {
  return id === restoreActionId || id === undoRestoreActionId;
}

function offeringsOf({ actions = [] }: ItemOf<"user">): readonly Action[] {
  return actions.filter(isOurs);
}

function offering({ actions = [], ...item }: ItemOf<"user">, wanted: readonly Action[]): ItemOf<"user"> {
  const all = [...actions.filter((action) => !isOurs(action)), ...wanted];
  return all.length === 0 ? item : { ...item, actions: all };
}
