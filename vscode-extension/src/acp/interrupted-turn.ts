import { type Members, type SessionSetup, symposiumIn } from "@symposium-dev/core";
import type { ItemOf, Terminal, Transcript } from "../../protocol/index.js";
import { startNoticeId } from "./conversation-notices.js";
import type { FoldTarget } from "./fold-target.js";

/** Returns the `_meta` for a request, containing Symposium's own members. */
export function symposiumMeta(members: Members): { readonly _meta: Members } {
  return { _meta: { symposium: members } };
}

/** Returns the prompt with which the tab's latest turn began; undefined if there is none. */
export function latestPrompt({ items }: Transcript): ItemOf<"user"> | undefined {
  return items.findLast((item) => item.kind === "user" && item.isSteered !== true) as ItemOf<"user"> | undefined;
}

/** Returns the last item except the notice of a failed start, after which the user can try again. */
function lastOfTurns({ items }: Transcript): Transcript["items"][number] | undefined {
  return items.findLast(({ id }) => id !== startNoticeId);
}

/** Returns whether the transcript lacks an end of the latest turn, because the window was closed during the turn or lost the agent. */
export function hasOpenTurn(transcript: Transcript): boolean {
  const last = lastOfTurns(transcript);
  return last?.kind === "turn-end" && last.stopReason === "interrupted";
}

/** Returns whether the window was closed during the latest turn. A turn that an agent's crash ended has a duration. */
export function wasClosedInTurn(transcript: Transcript): boolean {
  const last = lastOfTurns(transcript);
  return last?.kind === "turn-end" && last.stopReason === "interrupted" && last.durationMs === undefined;
}

/** Returns whether a stored conversation lacks the end of its latest turn, which may still be running. */
export function lacksEnd({ items }: Transcript): boolean {
  return items.findLast(({ kind }) => kind === "user" || kind === "turn-end")?.kind === "user";
}

/**
 * Latest turn of a tab, which may have continued in the host. The turn's prompt stays in the tab; the host sends everything after the
 * prompt again.
 */
export class OpenTurn {
  readonly #items: Transcript["items"];
  readonly #terminals: readonly Terminal[];

  private constructor(
    readonly prompt: ItemOf<"user">,
    private readonly target: FoldTarget,
  ) {
    const { items, byId, terminals } = target.transcript;
    // The host repeats the agent's messages, but only this transcript contains the user's answers.
    this.#items = items
      .slice((byId.get(prompt.id) ?? items.length) + 1)
      .filter((item) => item.kind !== "permission" || item.answer?.optionId === undefined);
    const shown = this.#items.flatMap((item) =>
      item.kind === "tool"
        ? [item.id, ...item.content.flatMap((part) => (part.type === "terminal" ? [part.terminalId] : []))]
        : [],
    );
    this.#terminals = shown.flatMap((id) => terminals.get(id) ?? []);
  }

  /** Removes the items of a tab's open turn, except its prompt, from the tab; undefined if the tab has no open turn. */
  static cut(target: FoldTarget): OpenTurn | undefined {
    const prompt = hasOpenTurn(target.transcript) ? latestPrompt(target.transcript) : undefined;
    if (!prompt) return undefined;
    const turn = new OpenTurn(prompt, target);
    for (const { id } of turn.#items) target.publish({ op: "remove", id });
    for (const { terminalId } of turn.#terminals)
      target.publish({ op: "terminal", terminalId, text: "", isReset: true });
    return turn;
  }

  /** Request members that ask the host for the updates after the prompt. */
  get wish(): Pick<SessionSetup, "members"> {
    return { members: symposiumMeta({ after: this.prompt.id }) };
  }

  /**
   * Called when the session is open; `opened` is the answer. Returns whether the host has the turn; if not, shows the removed items again.
   */
  settle(opened: Members | undefined): boolean {
    if (symposiumIn(opened?.["_meta"])["after"] === this.prompt.id) return true;
    for (const item of this.#items) this.target.publish({ op: "put", item });
    for (const terminal of this.#terminals) this.target.publish({ op: "terminal", ...terminal, isReset: true });
    return false;
  }
}
