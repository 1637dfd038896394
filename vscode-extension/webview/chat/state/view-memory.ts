import * as z from "zod/mini";
import { draftSchema } from "../../../protocol/index.js";
import type { VsCodeApi } from "../vscode-api.js";
import { type Position, positionSchema } from "./position.js";

const memorySchema = z.object({
  sessionId: z.string(),
  /** By tab. */
  drafts: z.record(z.string(), draftSchema),
  /** Tool calls are hidden behind a summary of their turn. */
  isFocused: z.boolean(),
  /** By tab; tabs that are at their end are not in it. */
  places: z.record(z.string(), positionSchema),
});
type Memory = z.infer<typeof memorySchema>;

/**
 * What the page itself remembers while its view is hidden and shown again: drafts and looks. What an earlier window
 * left is forgotten; `sessionId` tells the windows apart.
 */
export class ViewMemory {
  #memory: Memory;

  constructor(
    private readonly api: VsCodeApi,
    sessionId: string,
  ) {
    const saved = memorySchema.safeParse(api.getState());
    const isOurs = saved.success && saved.data.sessionId === sessionId;
    this.#memory = isOurs ? saved.data : { sessionId, drafts: {}, isFocused: false, places: {} };
    if (!isOurs) api.setState(this.#memory);
  }

  get drafts(): Memory["drafts"] {
    return this.#memory.drafts;
  }

  get isFocused(): boolean {
    return this.#memory.isFocused;
  }

  get places(): Memory["places"] {
    return this.#memory.places;
  }

  set(patch: Partial<Pick<Memory, "drafts" | "isFocused" | "places">>): void {
    this.#memory = { ...this.#memory, ...patch };
    this.api.setState(this.#memory);
  }

  /** Undefined is the end, where a transcript is without being told. */
  setPlace(tabId: string, place: Position | undefined): void {
    const { [tabId]: _old, ...others } = this.#memory.places;
    this.set({ places: place ? { ...others, [tabId]: place } : others });
  }

  /** Forgets tabs that are gone. */
  keepTabs(tabIds: readonly string[]): void {
    const keep = <Value>(values: Record<string, Value>): Record<string, Value> =>
      Object.fromEntries(Object.entries(values).filter(([tabId]) => tabIds.includes(tabId)));
    this.set({ drafts: keep(this.#memory.drafts), places: keep(this.#memory.places) });
  }
}
