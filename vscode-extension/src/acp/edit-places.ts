import { isAbsolute } from "node:path";
import { isDoneWithin } from "@symposium-dev/core";
import type { ItemOf, Location, ToolContent } from "../../protocol/index.js";
import type { AbilitySession } from "./client-abilities.js";
import { lineOfEdit } from "./edit-place.js";
import { itemOf } from "./fold-target.js";
import type { CallEdit, ObservedToolCall, SessionObserver } from "./session-observers.js";

/** Maximum milliseconds that a permission request waits for a slow disk. */
const maxReadMs = 1_000;

type DiffContent = Extract<ToolContent, { type: "diff" }>;

interface EditsOfCall {
  readonly edits: readonly CallEdit[];
  readonly locations: readonly Pick<Location, "path" | "line">[];
  readonly isOver: boolean;
}

/**
 * Finds the lines of reported changes in their files, so that they appear with line numbers: agents send the passage before and after, but
 * rarely its line.
 */
export class EditPlaces implements SessionObserver {
  /** Latest searches by tab and tool call item. */
  readonly #looked = new Map<string, Map<string, Pick<EditsOfCall, "edits" | "isOver">>>();
  readonly #looking = new Set<Promise<void>>();

  /**
   * `read` returns a file's text as the user sees it, null if the file is missing, or undefined if it is unreadable. `read` never rejects.
   */
  constructor(private readonly read: (path: string) => Promise<string | null | undefined>) {}

  toolCall(session: AbilitySession, { id, status, edits }: ObservedToolCall): void {
    if (edits.length === 0) return;
    const isOver = status === "completed";
    const ofTab = this.#looked.get(session.tabId) ?? new Map<string, Pick<EditsOfCall, "edits" | "isOver">>();
    this.#looked.set(session.tabId, ofTab);
    const last = ofTab.get(id);
    if (last?.isOver === isOver && areSame(last.edits, edits)) return;
    const look = { edits, isOver };
    ofTab.set(id, look);
    const looking = this.#show(session, id, look, () => ofTab.get(id) === look).finally(() =>
      this.#looking.delete(looking),
    );
    this.#looking.add(looking);
  }

  turnEnded({ tabId }: AbilitySession): void {
    this.#looked.delete(tabId);
  }

  /** Resolves when the changes reported so far are shown with their lines. */
  async settled(): Promise<void> {
    await Promise.all(this.#looking);
  }

  /** Adds line numbers to the changes in `content`; `edits` lists the changes in the same order. */
  async placed(content: readonly ToolContent[], call: EditsOfCall): Promise<ToolContent[]> {
    const { edits, locations, isOver } = call;
    const diffs = content.filter((part): part is DiffContent => part.type === "diff");
    const isWhole = diffs.length === edits.length && diffs.every(({ path }, at) => path === edits[at]?.path);
    if (!isWhole) return [...content];
    const texts = new Map<string, Promise<string | null | undefined>>();
    for (const { path } of edits) if (!texts.has(path)) texts.set(path, this.#text(path));
    const starts = await Promise.all(
      edits.map(async (edit, at) => {
        const line = namedLine(edits, at, locations);
        return lineOfEdit(await texts.get(edit.path), edit, { isOver, line });
      }),
    );
    return content.map((part) => {
      const startsAt = part.type === "diff" ? starts[diffs.indexOf(part)] : undefined;
      return startsAt === undefined ? part : { ...part, startsAt };
    });
  }

  async #text(path: string): Promise<string | null | undefined> {
    const text = isAbsolute(path) ? this.read(path) : undefined;
    return text && (await isDoneWithin(text, maxReadMs)) ? text : undefined;
  }

  async #show(
    session: AbilitySession,
    id: string,
    { edits, isOver }: Pick<EditsOfCall, "edits" | "isOver">,
    isLatest: () => boolean,
  ): Promise<void> {
    const shown = (): ItemOf<"tool"> | undefined => itemOf(session.transcript, "tool", id);
    // Observers are notified before the tool call is shown.
    await Promise.resolve();
    const item = shown();
    if (!item) return;
    const content = await this.placed(item.content, { edits, isOver, locations: item.locations });
    const now = shown();
    if (!now || !isLatest()) return;
    const placed = withPlacesOf(now.content, content);
    if (placed.every((part, at) => part === now.content[at])) return;
    session.publish({ op: "put", item: { ...now, content: placed } });
  }
}

/** Copies lines from `known` to equal changes in `content`. */
export function withPlacesOf(content: readonly ToolContent[], known: readonly ToolContent[]): ToolContent[] {
  return content.map((part, at) => {
    const same = known[at];
    if (part.type !== "diff" || same?.type !== "diff" || same.startsAt === undefined) return part;
    const isSame = same.path === part.path && same.patch === part.patch && same.startsAt !== part.startsAt;
    return isSame ? { ...part, startsAt: same.startsAt } : part;
  });
}

/**
 * Returns the line that the agent reports for a change. Some agents list one location per change, in order; one location for several
 * changes is ambiguous.
 */
function namedLine(edits: readonly CallEdit[], at: number, locations: EditsOfCall["locations"]): number | undefined {
  const path = edits[at]?.path;
  const named = locations.filter((one) => one.path === path);
  const ofFile = edits.filter((one) => one.path === path);
  if (named.length !== ofFile.length) return undefined;
  return named[edits.slice(0, at).filter((one) => one.path === path).length]?.line;
}

function areSame(some: readonly CallEdit[], others: readonly CallEdit[]): boolean {
  const isSame = (one: CallEdit, other: CallEdit | undefined): boolean =>
    one.path === other?.path && one.oldText === other.oldText && one.newText === other.newText;
  return some.length === others.length && some.every((one, at) => isSame(one, others[at]));
}
