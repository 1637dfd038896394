import type { ToExtension } from "../../protocol/index.js";

declare global {
  interface HTMLElementEventMap {
    "symposium-message": CustomEvent<ToExtension>;
  }
}

/** Sends a message to the extension from anywhere below the chat element, which passes it on. */
export function send(element: EventTarget, message: ToExtension): void {
  element.dispatchEvent(
    new CustomEvent<ToExtension>("symposium-message", { detail: message, bubbles: true, composed: true }),
  );
}
