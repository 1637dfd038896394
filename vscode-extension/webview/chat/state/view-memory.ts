import * as z from "zod/mini";
import { type Draft, draftSchema, type Position, positionSchema } from "../../../protocol/index.js";

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
  tabId: z.optional(z.string()),
  drafts: z.record(z.string(), draftSchema),
  /** True if tool calls are hidden behind a summary per turn. */
  isFocused: z.boolean(),
  /** Scroll positions by tab. Tabs that are scrolled to the end are absent. */
  places: z.record(z.string(), positionSchema),
  cards: z._default(z.record(z.string(), z.record(z.string(), z.unknown())), {}),
});
type Memory = z.infer<typeof memorySchema>;

/**
 * State that the page itself stores while hidden, such as drafts. State of an earlier window is discarded; `sessionId` identifies the
 * window.
 */
export class ViewMemory {
  #memory: Memory;
  #earlier: Record<string, Draft> = {};

  constructor(
    private readonly api: VsCodeApi,
    sessionId: string,
    tabId?: string,
  ) {
    const saved = memorySchema.safeParse(api.getState());
    const isOurs = saved.success && saved.data.sessionId === sessionId;
    // Keep the values entered on cards: a restored tab has the same id, and only the page has these values.
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

  /** Tab of a page in an editor; undefined in the panel. */
  get tabId(): string | undefined {
    return this.#memory.tabId;
  }

  get drafts(): Memory["drafts"] {
    return this.#memory.drafts;
  }

  /** Restores, once, a tab's draft from an earlier window, if it extends the extension's draft and wasn't sent as a prompt. */
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

  /** Sets a scroll position; undefined is the end, the default. */
  setPlace(tabId: string, place: Position | undefined): void {
    const { [tabId]: _old, ...others } = this.#memory.places;
    this.set({ places: place ? { ...others, [tabId]: place } : others });
  }

  keepTabs(tabIds: readonly string[]): void {
    // Before the tabs of an earlier window are restored, the list is empty.
    const isOpen = (key: string): boolean => tabIds.length === 0 || tabIds.some((tabId) => key.startsWith(`${tabId}/`));
    const cards = Object.fromEntries(Object.entries(this.#memory.cards).filter(([key]) => isOpen(key)));
    const keep = <Value>(values: Record<string, Value>): Record<string, Value> =>
      Object.fromEntries(Object.entries(values).filter(([tabId]) => tabIds.includes(tabId)));
    this.set({ drafts: keep(this.#memory.drafts), places: keep(this.#memory.places), cards });
  }
}

export class Folds {
  readonly #isOpen = new Map<string, boolean>();

  isOpen(key: string, byDefault: boolean): boolean {
    return this.#isOpen.get(key) ?? byDefault;
  }

  set(key: string, isOpen: boolean): void {
    this.#isOpen.set(key, isOpen);
  }
}

/** Sends drafts at most once per `intervalMs` and tab, the newest last. Call `flush` before the page goes away. */
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

  /** Flushes when the user leaves the page or presses a key that may be an editor command. */
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
 * Values entered on cards, by `TAB/ITEM`. They are stored here because cards come and go with scrolling; with a memory, all values except
 * secrets outlive the page.
 */
export class CardDrafts {
  readonly #values: Map<string, Readonly<Record<string, unknown>>>;

  constructor(private readonly memory?: Pick<ViewMemory, "cards" | "set">) {
    this.#values = new Map(Object.entries(memory?.cards ?? {}));
  }

  get(key: string): Readonly<Record<string, unknown>> {
    return this.#values.get(key) ?? {};
  }

  /** Stores a card's values. `secrets` are the names of values that must not outlive the page. */
  set(key: string, values: Readonly<Record<string, unknown>>, secrets: readonly string[] = []): void {
    this.#values.set(key, values);
    const kept = Object.fromEntries(Object.entries(values).filter(([name]) => !secrets.includes(name)));
    this.memory?.set({ cards: { ...this.memory.cards, [key]: kept } });
  }

  forget(key: string): void {
    this.#values.delete(key);
    if (this.memory?.cards[key] === undefined) return;
    const { [key]: _answered, ...cards } = this.memory.cards;
    this.memory.set({ cards });
  }
}
