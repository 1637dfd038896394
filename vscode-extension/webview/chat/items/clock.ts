import type { ReactiveController, ReactiveControllerHost } from "lit";

const tickMs = 1_000;

/** Draws its element again every second while it is shown and running, for times that grow. */
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
