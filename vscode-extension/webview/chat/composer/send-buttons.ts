import { html, nothing } from "lit";
import type { TabState } from "../../../protocol/index.js";
import { icon } from "../../controls/element.js";

interface SendButtons {
  readonly state: TabState | undefined;
  readonly isEmpty: boolean;
  readonly sendKeys: string;
  readonly send: () => void;
  readonly stop: () => void;
}

export function sendButtons({ state, isEmpty, sendKeys, send, stop }: SendButtons): unknown {
  const phase = state?.phase;
  const steers = state?.accepts.steering === true;
  const isRunning = phase === "running" || phase === "stopping";
  const [label, does] = !isRunning
    ? ["Send prompt", "Send"]
    : steers
      ? ["Send into the running turn", "Send into the running turn"]
      : ["Queue prompt", "Send after this turn"];
  const sends = html`<button
    type="button"
    class="control-icon composer-send"
    aria-label=${label}
    title=${isRunning ? `${does} (${sendKeys}). Alt+Enter stops the turn and sends both` : `${does} (${sendKeys})`}
    ?disabled=${isEmpty}
    @click=${send}
  >
    ${icon(isRunning && !steers ? "add" : "send")}
  </button>`;
  const stops = html`<button
    type="button"
    class="control-icon composer-stop"
    aria-label=${phase === "stopping" ? "Stopping" : "Stop"}
    title="Stop (Escape)"
    ?disabled=${phase === "stopping"}
    @click=${stop}
  >
    ${phase === "stopping" ? icon("loading", true) : icon("debug-stop")}
  </button>`;
  return html`${isRunning && isEmpty ? nothing : sends}${isRunning ? stops : nothing}`;
}
