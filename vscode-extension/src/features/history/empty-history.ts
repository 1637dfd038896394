/** What the list of past sessions says in place of lines. */
export interface EmptyHistory {
  readonly label: string;
  readonly detail: string;
  /** What choosing it does. */
  readonly leadsTo: "new chat" | "all sessions";
}

/** Why the list is empty, and what to do: there is nothing of before, or the search has found nothing in it. */
export function emptyHistory(query: string, total: number): EmptyHistory {
  if (total === 0) {
    return {
      label: "There are no past sessions here yet",
      detail: "A tab that you close is kept here. Press Enter to open a new chat.",
      leadsTo: "new chat",
    };
  }
  const all = total === 1 ? "the one session there is" : `all ${total} sessions`;
  return {
    label: `Nothing matches "${query.trim()}"`,
    detail: `Titles and everything that was said were searched. Press Enter to see ${all}.`,
    leadsTo: "all sessions",
  };
}
