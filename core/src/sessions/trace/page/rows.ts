import { at, joined, kindOf, maxPreview, type PageEvent, previewOf, textOf } from "./labels.js";

export interface PageTrace {
  /** Components of the chain from client to agent, one lane each. */
  readonly components: readonly string[];
  readonly events: readonly PageEvent[];
  /** For each event, the index of its request or response; -1 if none. */
  readonly partners: readonly number[];
  /** For each event, its request's duration as text. */
  readonly took: readonly string[];
}

/** Diagram row: an event, or a folded run of notifications. */
export interface Row {
  readonly index: number;
  readonly run?: readonly number[];
  readonly isExpanded?: boolean;
  /** Whether the row belongs to an expanded run, whose first row is above. */
  readonly isMember?: boolean;
}

/** Filter settings; empty texts match everything. */
interface Filter {
  readonly text: string;
  readonly method: string;
  readonly hop: string;
  readonly session: string;
  readonly hidesUpdates: boolean;
  readonly onlyErrors: boolean;
}

/** Minimum number of consecutive notifications between the same components that are folded. */
const minRun = 3;

export function isCrash({ type, event, code }: PageEvent): boolean {
  return type === "process" && event === "exit" && code !== 0;
}

/** Computes the diagram's rows. If a response lacks method and session, as in traces of other conductors, takes both from its request. */
export class TraceRows {
  readonly #searchTexts: string[] = [];

  constructor(readonly trace: PageTrace) {}

  event(index: number): PageEvent {
    return this.trace.events[index] ?? { ts: 0 };
  }

  /** Returns the index of the matching request or response; undefined if none. */
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

  /** Returns the sender and receiver of an event in chain order, regardless of the event's direction. */
  hopOf(index: number): string {
    const { type, from, to } = this.event(index);
    if (type === "process") return "";
    const lane = (name: unknown): number => this.trace.components.indexOf(textOf(name));
    const [first, second] = lane(from) <= lane(to) ? [from, to] : [to, from];
    return `${textOf(first)} ↔ ${textOf(second)}`;
  }

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

  /**
   * Builds the rows for the given events. Folds runs of similar notifications between the same components, unless `expanded` contains the
   * index of a run's first event.
   */
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

  /** Returns the joined text of a run's chunks, or the first event's preview. */
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

  /** Returns whether an event is a failed response, the request for one, or an abnormal exit. */
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

/** Returns a key that is the same for all notifications of a run, regardless of sender and receiver; undefined for other events. */
function keyOf({ type, method, params, session }: PageEvent): string | undefined {
  return type === "notification" ? JSON.stringify([method, at(params, "update", "sessionUpdate"), session]) : undefined;
}

/** Folds the events of a run, separately for each pair of components, since the notifications of several pairs alternate in a chain. */
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
