import { type DetailPanel, element, hopText } from "./detail.js";
import { formatTime, kindOf, type PageEvent, previewOf, textOf } from "./labels.js";
import { isCrash, type Row, type TraceRows } from "./rows.js";

/** Row height in pixels; must match the page's style. */
const rowHeight = 28;
/** Number of rows outside the visible area to draw above and below it. */
const overscan = 12;

interface DiagramParts {
  readonly scroller: HTMLElement;
  readonly canvas: HTMLElement;
  readonly laneHead: HTMLElement;
  readonly empty: HTMLElement;
}

interface DiagramHooks {
  readonly detail: DetailPanel;
  clearFilter(): void;
}

/**
 * Sequence diagram. The document contains only visible rows, each a real button. Rows have equal heights, so that a row's position follows
 * from its number.
 */
export class Diagram {
  /** Sessions of the trace in order of appearance. */
  readonly sessions: readonly string[];
  readonly #lanes: ReadonlyMap<unknown, number>;
  readonly #expanded = new Set<number>();
  readonly #drawn = new Map<number, { readonly item: HTMLElement; readonly button: HTMLElement }>();
  #shown: readonly number[] = [];
  #rows: readonly Row[] = [];
  #activeRow = 0;

  constructor(
    private readonly parts: DiagramParts,
    private readonly rows: TraceRows,
    private readonly hooks: DiagramHooks,
  ) {
    const { components, events } = rows.trace;
    this.#lanes = new Map(components.map((name, place) => [name, place]));
    const named = events.map(({ session }) => session).filter((session) => typeof session === "string");
    this.sessions = [...new Set(named)];
    this.#drawLaneHead(components);
    const { scroller } = parts;
    scroller.addEventListener("scroll", () => requestAnimationFrame(() => this.paint()), { passive: true });
    scroller.addEventListener("keydown", (event) => this.#onKey(event));
    new ResizeObserver(() => this.paint()).observe(scroller);
  }

  /** Sets new rows. The active event remains active if the new rows contain it. */
  setRows(indexes: readonly number[]): void {
    const active = this.#rows[this.#activeRow]?.index;
    this.#shown = indexes;
    this.#rows = this.rows.rowsOf(indexes, this.#expanded);
    this.#activeRow = Math.max(
      0,
      this.#rows.findIndex(({ index }) => index === active),
    );
    for (const { item } of this.#drawn.values()) item.remove();
    this.#drawn.clear();
    this.parts.canvas.style.height = `${this.#rows.length * rowHeight}px`;
    this.parts.empty.hidden = this.#rows.length > 0;
    this.paint();
  }

  paint(): void {
    const { scrollTop, clientHeight } = this.parts.scroller;
    const first = Math.max(0, Math.floor(scrollTop / rowHeight) - overscan);
    const last = Math.min(this.#rows.length, Math.ceil((scrollTop + clientHeight) / rowHeight) + overscan);
    for (const [number, { item }] of this.#drawn) {
      if ((number >= first && number < last) || number === this.#activeRow) continue;
      item.remove();
      this.#drawn.delete(number);
    }
    for (let number = first; number < last; number++) this.#drawOnce(number);
    this.#drawOnce(this.#activeRow);
    for (const [number, { button }] of this.#drawn) this.#mark(number, button);
  }

  focusEvent(index: number): void {
    const number = this.#rowOf(index);
    if (number !== -1) this.#focusRow(number);
  }

  /** Shows an event even if it is filtered out or part of a folded row. */
  reveal(index: number): void {
    if (!this.#shown.includes(index)) this.hooks.clearFilter();
    if (this.#rowOf(index) === -1) {
      const folded = this.#rows.find(({ run }) => run?.includes(index));
      if (folded) this.#expanded.add(folded.index);
      this.setRows(this.#shown);
    }
    this.#activeRow = Math.max(0, this.#rowOf(index));
    const { scroller } = this.parts;
    scroller.scrollTop = Math.max(0, this.#activeRow * rowHeight - scroller.clientHeight / 2);
    this.hooks.detail.show(index);
    this.#focusRow(this.#activeRow);
  }

  #rowOf(event: number): number {
    return this.#rows.findIndex(({ index, run }) => index === event && !run);
  }

  #drawLaneHead(components: readonly string[]): void {
    const names = components.map((name) => {
      const cell = element("span", "", name);
      cell.title = name;
      return cell;
    });
    this.parts.laneHead.append(
      element("span", "head time", "Time (s)"),
      element("span", "names", ...names),
      element("span", "head", "Message"),
      element("span", "head took", "Took"),
    );
  }

  #arrowOf(event: PageEvent): HTMLElement {
    const from = this.#lanes.get(event.from ?? event.component) ?? 0;
    const to = this.#lanes.get(event.to ?? event.component) ?? 0;
    const arrow = element("span", from === to ? "dot" : `arrow ${to > from ? "right" : "left"}`);
    arrow.style.setProperty("--from", String(Math.min(from, to)));
    if (from !== to) arrow.style.setProperty("--hops", String(Math.abs(to - from)));
    return arrow;
  }

  #sessionBadge(index: number): HTMLElement | string {
    const session = textOf(this.rows.sessionOf(index));
    const place = this.sessions.indexOf(session);
    if (place === -1 || this.sessions.length < 2) return "";
    const badge = element("span", `session session-${place % 6}`, `s${place + 1}`);
    badge.title = session;
    return badge;
  }

  #tookText(index: number): string {
    const { type } = this.rows.event(index);
    if (type === "response") return this.rows.tookOf(index);
    return type === "request" && this.rows.partnerOf(index) === undefined ? "no answer" : "";
  }

  #drawOnce(number: number): void {
    const row = this.#rows[number];
    if (!row || this.#drawn.has(number)) return;
    const drawn = this.#drawRow(row, number);
    this.#drawn.set(number, drawn);
    this.parts.canvas.append(drawn.item);
  }

  #drawRow({ index, run, isExpanded, isMember }: Row, number: number): { item: HTMLElement; button: HTMLElement } {
    const event = this.rows.event(index);
    const name = event.type === "process" ? textOf(event.component) : this.rows.methodOf(index);
    const preview = run ? this.rows.runPreview(run) : previewOf(event);
    const took = this.#tookText(index);
    const text = element("span", "text", this.#sessionBadge(index), element("span", "method", name));
    if (run) text.append(element("span", "count", `×${run.length.toLocaleString("en-US")}`));
    text.append(element("span", "preview", preview));
    const classes = ["row", kindOf(event)];
    if (event.protocol === "mcp") classes.push("mcp");
    if (isCrash(event)) classes.push("failed");
    if (run) classes.push("run");
    if (isMember === true) classes.push("member");
    const button = element(
      "button",
      classes.join(" "),
      element("span", "time", formatTime(event.ts)),
      element("span", "lanes", this.#arrowOf(event)),
      text,
      element("span", took === "no answer" ? "took warn" : "took", took),
    );
    button.setAttribute("type", "button");
    const what = run ? `${run.length} notifications` : kindOf(event);
    const spoken = [`${formatTime(event.ts)} s`, hopText(event), what, name, preview, took];
    button.setAttribute("aria-label", spoken.filter((part) => part !== "").join(", "));
    if (run) button.setAttribute("aria-expanded", String(isExpanded));
    button.addEventListener("click", () => this.#activate(number));
    const item = element("div", "item", button);
    item.setAttribute("role", "listitem");
    item.setAttribute("aria-posinset", String(number + 1));
    item.setAttribute("aria-setsize", String(this.#rows.length));
    item.style.transform = `translateY(${number * rowHeight}px)`;
    return { item, button };
  }

  #mark(number: number, button: HTMLElement): void {
    const row = this.#rows[number];
    const { shown } = this.hooks.detail;
    button.tabIndex = number === this.#activeRow ? 0 : -1;
    const isEvent = shown !== undefined && row?.run === undefined;
    const isShown = isEvent && row?.index === shown;
    button.classList.toggle("selected", isShown);
    if (isShown) button.setAttribute("aria-current", "true");
    else button.removeAttribute("aria-current");
    button.classList.toggle("partner", isEvent && this.rows.partnerOf(shown) === row?.index);
  }

  #activate(number: number): void {
    this.#activeRow = number;
    const row = this.#rows[number];
    if (row?.run) {
      if (!this.#expanded.delete(row.index)) this.#expanded.add(row.index);
      this.setRows(this.#shown);
    } else if (row) {
      this.hooks.detail.show(row.index);
      this.paint();
    }
    this.#focusRow(this.#activeRow);
  }

  #focusRow(number: number): void {
    if (this.#rows.length === 0) return;
    this.#activeRow = Math.min(Math.max(number, 0), this.#rows.length - 1);
    const { scroller, laneHead } = this.parts;
    const top = this.#activeRow * rowHeight;
    const height = scroller.clientHeight - laneHead.offsetHeight;
    if (top < scroller.scrollTop) scroller.scrollTop = top;
    else if (top + rowHeight > scroller.scrollTop + height) scroller.scrollTop = top + rowHeight - height;
    this.paint();
    this.#drawn.get(this.#activeRow)?.button.focus({ preventScroll: true });
  }

  #onKey(event: KeyboardEvent): void {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const page = Math.floor(this.parts.scroller.clientHeight / rowHeight) - 2;
    const targets: Readonly<Record<string, number>> = {
      ArrowDown: this.#activeRow + 1,
      ArrowUp: this.#activeRow - 1,
      Home: 0,
      End: this.#rows.length - 1,
      PageDown: this.#activeRow + page,
      PageUp: this.#activeRow - page,
    };
    const target = targets[event.key];
    if (target === undefined) return;
    event.preventDefault();
    this.#focusRow(target);
  }
}
