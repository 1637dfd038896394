/** Maximum time for the editor to focus the page. Later, the user may be typing elsewhere. */
const limitMs = 1_000;

/**
 * Calls `act` once the editor has focused the page, before or after this call. The page doesn't take the focus itself, since the user may
 * have moved to a file. `act` isn't called if the focus doesn't arrive within a second or a click comes first.
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
