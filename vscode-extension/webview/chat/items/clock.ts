import * as l10n from "@vscode/l10n";
import type { ReactiveController, ReactiveControllerHost } from "lit";

const tickMs = 1_000;

/** Redraws an element every second while it is shown and its work is running, so that the shown duration grows. */
export class Clock implements ReactiveController {
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(
    private readonly host: ReactiveControllerHost,
    private readonly isRunning: () => boolean,
  ) {
    host.addController(this);
  }

  hostConnected(): void {
    this.hostUpdated();
  }

  hostUpdated(): void {
    if (this.isRunning()) this.#timer ??= setInterval(() => this.host.requestUpdate(), tickMs);
    else this.hostDisconnected();
  }

  hostDisconnected(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

/** Formats a duration for people: `0.4 s`, `12 s`, `3 min 5 s`. */
export function durationText(ms: number): string {
  if (ms < 950) return `${(Math.max(0, Math.round(ms / 100)) / 10).toString()} s`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return seconds % 60 === 0 ? `${minutes} min` : l10n.t("{0} min {1} s", minutes, seconds % 60);
  return l10n.t("{0} h {1} min", Math.floor(minutes / 60), minutes % 60);
}
