import type { LitElement, ReactiveController } from "lit";

/**
 * Keeps a keyboard user where they are in lists whose rows come, go and move: the focus stays on its control, or goes to the row
 * that stands in the place of one that is gone. There no key does anything before the user has chosen a control.
 */
export class KeptFocus implements ReactiveController {
  #focused: HTMLElement | undefined;
  #at = 0;

  /** `rows`: a selector of rows; one inside another counts for itself. */
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
    // Who went elsewhere is not called back.
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
