import type { LitElement, ReactiveController } from "lit";

/**
 * Preserves keyboard focus in lists whose rows change: the focus stays on its control, or moves to the row in the place of a removed one.
 * On such a row, keys have no effect until the user chooses a control.
 */
export class KeptFocus implements ReactiveController {
  #focused: HTMLElement | undefined;
  #at = 0;

  /** `rows` is a selector for rows; nested rows count separately. */
  constructor(
    private readonly host: LitElement,
    private readonly rows: string,
  ) {
    host.addController(this);
  }

  hostUpdate(): void {
    const { activeElement } = document;
    const row = activeElement?.closest(this.rows);
    this.#focused = undefined;
    if (!row || !(activeElement instanceof HTMLElement) || !this.host.contains(row)) return;
    this.#focused = activeElement;
    this.#at = [...this.host.querySelectorAll(this.rows)].indexOf(row);
  }

  hostUpdated(): void {
    const focused = this.#focused;
    this.#focused = undefined;
    // Don't take the focus back if the user has left the page meanwhile.
    if (!focused || !document.hasFocus() || document.activeElement !== document.body) return;
    if (focused.isConnected) focused.focus();
    if (document.activeElement === focused) return;
    const rows = [...this.host.querySelectorAll<HTMLElement>(this.rows)];
    const next = rows[Math.min(this.#at, rows.length - 1)];
    if (!next) return;
    next.tabIndex = -1;
    next.focus();
  }
}
