import type { ToExtension } from "../../protocol/index.js";

declare global {
  interface HTMLElementEventMap {
    "symposium-message": CustomEvent<ToExtension>;
  }
}

export function send(element: EventTarget, message: ToExtension): void {
  element.dispatchEvent(
    new CustomEvent<ToExtension>("symposium-message", { detail: message, bubbles: true, composed: true }),
  );
}

const copiedMs = 1_500;

/** Handles links, files and copy buttons below `root`. The page never navigates: the extension opens the target. */
export function listenToLinks(root: HTMLElement): void {
  root.addEventListener("click", follow);
  root.addEventListener("auxclick", (event) => {
    if (targetOf(event)) stop(event);
  });
  root.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.target instanceof HTMLElement && event.target.matches(".file[data-path]")) {
      follow(event);
    }
  });
}

function follow(event: Event): void {
  const target = targetOf(event);
  if (target === undefined) return;
  stop(event);
  const { path, line, copy } = target.dataset;
  if (copy !== undefined) {
    send(target, { type: "copy", text: target.closest(".code-block")?.querySelector("code")?.textContent ?? "" });
    confirmCopy(target);
  } else if (path !== undefined) {
    send(
      target,
      line === undefined ? { type: "open-location", path } : { type: "open-location", path, line: Number(line) },
    );
  } else {
    const url = target.getAttribute("href");
    if (url !== null) send(target, { type: "open-link", url });
  }
}

function targetOf(event: Event): HTMLElement | undefined {
  const target = event.target instanceof Element ? event.target : undefined;
  const found = target?.closest("a, .file[data-path], [data-copy]");
  return found instanceof HTMLElement ? found : undefined;
}

function stop(event: Event): void {
  event.preventDefault();
  event.stopPropagation();
}

function confirmCopy(button: HTMLElement): void {
  button.classList.replace("codicon-copy", "codicon-check");
  setTimeout(() => button.classList.replace("codicon-check", "codicon-copy"), copiedMs);
}
