import * as z from "zod/mini";
import { type Draft, draftSchema, type Position, positionSchema } from "../../../protocol/index.js";

/** What VS Code gives to the page, once. State lives as long as the view is not closed for good. */
export interface VsCodeApi {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}

declare global {
  function acquireVsCodeApi(): VsCodeApi;
}

const memorySchema = z.object({
  sessionId: z.string(),
  /** The one tab that the page is for, by which the extension knows it again after a reload. */
  tabId: z.optional(z.string()),
  /** By tab. */
  drafts: z.record(z.string(), draftSchema),
  /** Tool calls are hidden behind a summary of their turn. */
  isFocused: z.boolean(),
  /** By tab; tabs that are at their end are not in it. */
  places: z.record(z.string(), positionSchema),
  /** What is half filled in on cards, by tab and item: `TAB/ITEM`. */
  cards: z._default(z.record(z.string(), z.record(z.string(), z.unknown())), {}),
});
type Memory = z.infer<typeof memorySchema>;

/**
 * What the page itself remembers while its view is hidden and shown again: drafts and looks. What an earlier window
 * left is forgotten; `sessionId` tells the windows apart.
 */
export class ViewMemory {
  #memory: Memory;
  /** Drafts of an earlier window, whose last words may not have arrived: by tab. */
  #earlier: Record<string, Draft> = {};

  constructor(
    private readonly api: VsCodeApi,
    sessionId: string,
    tabId?: string,
  ) {
    const saved = memorySchema.safeParse(api.getState());
    const isOurs = saved.success && saved.data.sessionId === sessionId;
    // A tab that comes back after a reload has the same id, and what was written on its cards is known here alone.
    const cards = saved.success ? saved.data.cards : {};
    const fresh = {
      sessionId,
      drafts: {},
      isFocused: false,
      places: {},
      cards,
      ...(tabId === undefined ? {} : { tabId }),
    };
    this.#memory = isOurs ? saved.data : fresh;
    if (isOurs) return;
    if (saved.success) this.#earlier = saved.data.drafts;
    api.setState(this.#memory);
  }

  /** The one tab that the page is for, in an editor; undefined in the panel. */
  get tabId(): string | undefined {
    return this.#memory.tabId;
  }

  get drafts(): Memory["drafts"] {
    return this.#memory.drafts;
  }

  /**
   * Takes over, once, what an earlier window's page had of the draft of a tab: if it goes on from what the extension knows,
   * and is none of the prompts that were sent.
   */
  recall(tabId: string, known: Draft | undefined, sent: readonly string[]): void {
    const { [tabId]: draft, ...others } = this.#earlier;
    this.#earlier = others;
    if (draft === undefined || draft.text === known?.text || sent.includes(draft.text)) return;
    if (draft.text.startsWith(known?.text ?? "")) this.set({ drafts: { ...this.drafts, [tabId]: draft } });
  }

  get isFocused(): boolean {
    return this.#memory.isFocused;
  }

  get places(): Memory["places"] {
    return this.#memory.places;
  }

  get cards(): Memory["cards"] {
    return this.#memory.cards;
  }

  set(patch: Partial<Pick<Memory, "drafts" | "isFocused" | "places" | "cards">>): void {
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
    // Before the tabs of an earlier window are back, there are none.
    const isOpen = (key: string): boolean => tabIds.length === 0 || tabIds.some((tabId) => key.startsWith(`${tabId}/`));
    const cards = Object.fromEntries(Object.entries(this.#memory.cards).filter(([key]) => isOpen(key)));
    const keep = <Value>(values: Record<string, Value>): Record<string, Value> =>
      Object.fromEntries(Object.entries(values).filter(([tabId]) => tabIds.includes(tabId)));
    this.set({ drafts: keep(this.#memory.drafts), places: keep(this.#memory.places), cards });
  }
}

/** What the user has unfolded and folded, by a key for each foldable part; what was never touched keeps its default. */
export class Folds {
  readonly #isOpen = new Map<string, boolean>();

  isOpen(key: string, byDefault: boolean): boolean {
    return this.#isOpen.get(key) ?? byDefault;
  }

  set(key: string, isOpen: boolean): void {
    this.#isOpen.set(key, isOpen);
  }
}

/**
 * Passes drafts on at most once every `intervalMs` per tab, the newest last; `flush` sends what waits at once, which
 * is due before the page goes away.
 */
export class DraftOutbox {
  readonly #waiting = new Map<string, Draft>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly deliver: (tabId: string, draft: Draft) => void,
    private readonly intervalMs = 300,
  ) {}

  put(tabId: string, draft: Draft): void {
    this.#waiting.set(tabId, draft);
    this.#timer ??= setTimeout(() => this.flush(), this.intervalMs);
  }

  /** Sends what waits whenever the user leaves the page, or presses a key that may be one of the editor's commands. */
  flushWhenLeft(page: Window): AbortController {
    const end = new AbortController();
    const { signal } = end;
    const flush = (): void => this.flush();
    for (const left of ["pagehide", "blur"]) page.addEventListener(left, flush, { signal });
    page.document.addEventListener("visibilitychange", flush, { signal });
    const onKey = ({ ctrlKey, metaKey, altKey, key }: KeyboardEvent): void => {
      if (ctrlKey || metaKey || altKey || /^F\d/.test(key)) flush();
    };
    page.document.addEventListener("keydown", onKey, { signal, capture: true });
    return end;
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const drafts = [...this.#waiting];
    this.#waiting.clear();
    for (const [tabId, draft] of drafts) this.deliver(tabId, draft);
  }
}

/**
 * What users began to fill in on cards, by tab and item: `TAB/ITEM`. One for the page: cards come and go as the transcript
 * scrolls, what was written stays. With a memory it also outlives the page, but for secrets.
 */
export class CardDrafts {
  readonly #values: Map<string, Readonly<Record<string, unknown>>>;

  constructor(private readonly memory?: Pick<ViewMemory, "cards" | "set">) {
    this.#values = new Map(Object.entries(memory?.cards ?? {}));
  }

  get(key: string): Readonly<Record<string, unknown>> {
    return this.#values.get(key) ?? {};
  }

  /** `secrets`: names of values that are not to be written anywhere. */
  set(key: string, values: Readonly<Record<string, unknown>>, secrets: readonly string[] = []): void {
    this.#values.set(key, values);
    const kept = Object.fromEntries(Object.entries(values).filter(([name]) => !secrets.includes(name)));
    this.memory?.set({ cards: { ...this.memory.cards, [key]: kept } });
  }

  /** The question is answered. */
  forget(key: string): void {
    this.#values.delete(key);
    if (this.memory?.cards[key] === undefined) return;
    const { [key]: _answered, ...cards } = this.memory.cards;
    this.memory.set({ cards });
  }
}
