import { at, joined, kindOf, maxPreview, type PageEvent, previewOf, textOf } from "./labels.js";

/** What the page is given of a trace. */
export interface PageTrace {
  /** Lanes, from the client to the agent. */
  readonly components: readonly string[];
  readonly events: readonly PageEvent[];
  /** For each event the index of its request or response; -1 without one. */
  readonly partners: readonly number[];
  /** For each event how long its request took, as text. */
  readonly took: readonly string[];
}

/** One row of the diagram: an event, or a run of notifications that are folded into one. */
export interface Row {
  readonly index: number;
  /** The indexes of the run. */
  readonly run?: readonly number[];
  readonly isExpanded?: boolean;
  /** Whether it is shown as a part of the run above it. */
  readonly isMember?: boolean;
}

/** What the user wants to see; empty texts want everything. */
interface Filter {
  readonly text: string;
  readonly method: string;
  readonly hop: string;
  readonly session: string;
  readonly hidesUpdates: boolean;
  readonly onlyErrors: boolean;
}

/** So many notifications of a hop in a row are folded. */
const minRun = 3;

/** Whether a process has ended other than as it should. */
export function isCrash({ type, event, code }: PageEvent): boolean {
  return type === "process" && event === "exit" && code !== 0;
}

/** Which rows the diagram has. Responses of other conductors name neither method nor session: their requests do. */
export class TraceRows {
  readonly #searchTexts: string[] = [];

  constructor(readonly trace: PageTrace) {}

  event(index: number): PageEvent {
    return this.trace.events[index] ?? { ts: 0 };
  }

  /** The index of the request or response that belongs to it; undefined without one. */
  partnerOf(index: number): number | undefined {
    const partner = this.trace.partners[index] ?? -1;
    return partner === -1 ? undefined : partner;
  }

  tookOf(index: number): string {
    return this.trace.took[index] ?? "";
  }

  methodOf(index: number): string {
    return textOf(this.event(index).method ?? this.#partner(index)?.method);
  }

  sessionOf(index: number): unknown {
    return this.event(index).session ?? this.#partner(index)?.session;
  }

  /** The two sides of a hop, in the order of the chain whichever way the message goes. */
  hopOf(index: number): string {
    const { type, from, to } = this.event(index);
    if (type === "process") return "";
    const lane = (name: unknown): number => this.trace.components.indexOf(textOf(name));
    const [first, second] = lane(from) <= lane(to) ? [from, to] : [to, from];
    return `${textOf(first)} ↔ ${textOf(second)}`;
  }

  /** The indexes of what fits. */
  filtered(filter: Filter): number[] {
    const text = filter.text.toLowerCase();
    return [...this.trace.events.keys()].filter((index) => {
      if (filter.hidesUpdates && this.methodOf(index) === "session/update") return false;
      if (filter.onlyErrors && !this.#isFailure(index)) return false;
      if (filter.method !== "" && this.methodOf(index) !== filter.method) return false;
      if (filter.hop !== "" && this.hopOf(index) !== filter.hop) return false;
      if (filter.session !== "" && this.sessionOf(index) !== filter.session) return false;
      return text === "" || this.#searchText(index).includes(text);
    });
  }

  /** Rows for these events: runs of the same notification are folded, hop by hop, unless `expanded` has their first. */
  rowsOf(indexes: readonly number[], expanded: ReadonlySet<number>): Row[] {
    const rows: Row[] = [];
    let run: number[] = [];
    let runKey: string | undefined;
    const finish = (): void => {
      rows.push(...foldedRun(run, (index) => this.#directionOf(index), expanded));
      run = [];
    };
    for (const index of indexes) {
      const key = keyOf(this.event(index));
      if (key === undefined || key !== runKey) finish();
      if (key === undefined) rows.push({ index });
      else run.push(index);
      runKey = key;
    }
    finish();
    return rows;
  }

  /** The text that the chunks of a run make, or how the first begins. */
  runPreview(run: readonly number[]): string {
    const [first = 0] = run;
    let text = "";
    for (const index of run) {
      if (text.length > maxPreview) break;
      text += textOf(at(this.event(index).params, "update", "content", "text"));
    }
    const kind = at(this.event(first).params, "update", "sessionUpdate");
    return text === "" ? previewOf(this.event(first)) : joined(kind, text);
  }

  #partner(index: number): PageEvent | undefined {
    const partner = this.partnerOf(index);
    return partner === undefined ? undefined : this.event(partner);
  }

  #searchText(index: number): string {
    return (this.#searchTexts[index] ??= `${this.methodOf(index)} ${JSON.stringify(this.event(index))}`.toLowerCase());
  }

  /** A failed answer, the request it answers, and the exit of a process with a code or a signal. */
  #isFailure(index: number): boolean {
    const event = this.event(index);
    if (isCrash(event) || kindOf(event) === "error") return true;
    return event.type === "request" && this.#partner(index)?.is_error === true;
  }

  #directionOf(index: number): string {
    const { from, to } = this.event(index);
    return JSON.stringify([from, to]);
  }
}

/** Notifications that belong to one run, whichever hop they are on. */
function keyOf({ type, method, params, session }: PageEvent): string | undefined {
  return type === "notification" ? JSON.stringify([method, at(params, "update", "sessionUpdate"), session]) : undefined;
}

/** One row for each hop of the run that has enough of them; in a chain the hops of a run take turns. */
function foldedRun(
  run: readonly number[],
  directionOf: (index: number) => string,
  expanded: ReadonlySet<number>,
): Row[] {
  const hops = new Map<string, number[]>();
  for (const index of run) {
    const direction = directionOf(index);
    hops.set(direction, [...(hops.get(direction) ?? []), index]);
  }
  return [...hops.values()].flatMap((members): Row[] => {
    const [first = 0] = members;
    if (members.length < minRun) return members.map((index) => ({ index }));
    const isExpanded = expanded.has(first);
    const shown = isExpanded ? members.map((index) => ({ index, isMember: true })) : [];
    return [{ index: first, run: members, isExpanded }, ...shown];
  });
}
