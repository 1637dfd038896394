import type { FromSettingsView } from "../../protocol/settings.js";

declare global {
  interface HTMLElementEventMap {
    "symposium-ask": CustomEvent<FromSettingsView>;
  }
}

/** Asks the extension for something, from anywhere below the settings element, which passes it on. */
export function ask(element: EventTarget, message: FromSettingsView): void {
  element.dispatchEvent(new CustomEvent("symposium-ask", { detail: message, bubbles: true, composed: true }));
}
