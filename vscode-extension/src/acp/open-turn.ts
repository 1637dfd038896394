import { type Members, type SessionSetup, symposiumIn } from "@symposium-dev/core";
import type { ItemOf, Terminal, Transcript } from "../../protocol/index.js";
import type { FoldTarget } from "./fold-target.js";

/** The `_meta` of a request with members of ours. */
export function symposiumMeta(members: Members): { readonly _meta: Members } {
  return { _meta: { symposium: members } };
}

/** The prompt that began the tab's latest turn. */
export function latestPrompt({ items }: Transcript): ItemOf<"user"> | undefined {
  return items.findLast((item) => item.kind === "user" && item.isSteered !== true) as ItemOf<"user"> | undefined;
}

/** Whether the tab knows no end of its latest turn: its window was closed in the turn, or lost the agent. */
export function hasOpenTurn({ items }: Transcript): boolean {
  const last = items.at(-1);
  return last?.kind === "turn-end" && last.stopReason === "interrupted";
}

/** The latest turn of a tab, which may go on in the host. Its prompt stays in the tab; the rest comes again from there. */
export class OpenTurn {
  readonly #items: Transcript["items"];
  readonly #terminals: readonly Terminal[];

  private constructor(
    readonly prompt: ItemOf<"user">,
    private readonly target: FoldTarget,
  ) {
    const { items, byId, terminals } = target.transcript;
    // The host repeats what the agent says; the user's answers are only here.
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

  /** Takes what a tab shows of its open turn out of it; undefined if it has none. */
  static cut(target: FoldTarget): OpenTurn | undefined {
    const prompt = hasOpenTurn(target.transcript) ? latestPrompt(target.transcript) : undefined;
    if (!prompt) return undefined;
    const turn = new OpenTurn(prompt, target);
    for (const { id } of turn.#items) target.publish({ op: "remove", id });
    for (const { terminalId } of turn.#terminals)
      target.publish({ op: "terminal", terminalId, text: "", isReset: true });
    return turn;
  }

  /** Asks the host for what came after the prompt. */
  get wish(): Pick<SessionSetup, "members"> {
    return { members: symposiumMeta({ after: this.prompt.id }) };
  }

  /** The session is open, with this answer. If the host doesn't have the turn, the tab shows what it had. */
  settle(opened: Members | undefined): void {
    if (symposiumIn(opened?.["_meta"])["after"] === this.prompt.id) return;
    for (const item of this.#items) this.target.publish({ op: "put", item });
    for (const terminal of this.#terminals) this.target.publish({ op: "terminal", ...terminal, isReset: true });
  }
}
