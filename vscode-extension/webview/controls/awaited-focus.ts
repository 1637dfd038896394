/** How long the editor may take to give a page the focus. Later the user is elsewhere, and types there. */
const limitMs = 1_000;

/**
 * Calls `act` once the page has the focus: the editor gives it in a way of its own, before or after the message that speaks of
 * it. A page could take it by itself, and would take it from a file that the user has gone to meanwhile. Not called where the
 * focus does not come within a second, or comes by a click, which chose something else.
 */
export function withFocus(act: () => void): void {
  if (document.hasFocus()) {
    act();
    return;
  }
  const isOver = new AbortController();
  const timer = setTimeout(() => isOver.abort(), limitMs);
  isOver.signal.addEventListener("abort", () => clearTimeout(timer));
  const { signal } = isOver;
  window.addEventListener("pointerdown", () => isOver.abort(), { signal, capture: true });
  window.addEventListener(
    "focus",
    () => {
      isOver.abort();
      act();
    },
    { signal },
  );
}
