import * as l10n from "@vscode/l10n";
import type { TabState } from "../../../protocol/index.js";

export interface BadgedTab {
  readonly state: Pick<TabState, "waiting" | "isUnread">;
}

/** Returns a badge that counts unseen tabs with an open request or an unread turn; undefined for none. */
export function badgeOf(
  unseen: readonly BadgedTab[],
): { readonly value: number; readonly tooltip: string } | undefined {
  const asking = unseen.filter(({ state }) => state.waiting > 0).length;
  const unread = unseen.filter(({ state }) => state.waiting === 0 && state.isUnread).length;
  if (asking + unread === 0) return undefined;
  const parts = [
    ...(asking === 0
      ? []
      : [
          asking === 1
            ? l10n.t("1 chat is waiting for your answer")
            : l10n.t("{0} chats are waiting for your answers", asking),
        ]),
    ...(unread === 0 ? [] : [unread === 1 ? l10n.t("1 finished chat") : l10n.t("{0} finished chats", unread)]),
  ];
  return { value: asking + unread, tooltip: parts.join("; ") };
}
