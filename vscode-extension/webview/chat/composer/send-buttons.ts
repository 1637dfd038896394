import * as l10n from "@vscode/l10n";
import { html, nothing } from "lit";
import type { TabState } from "../../../protocol/index.js";
import { icon, iconButton } from "../../controls/element.js";

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
    ? [l10n.t("Send prompt"), l10n.t("Send")]
    : steers
      ? [l10n.t("Send into the running turn"), l10n.t("Send into the running turn")]
      : [l10n.t("Queue prompt"), l10n.t("Send after this turn")];
  const sends = iconButton(isRunning && !steers ? "add" : "send", label, send, {
    look: "composer-send",
    title: isRunning
      ? l10n.t("{0} ({1}). Alt+Enter stops the turn and sends both", does, sendKeys)
      : `${does} (${sendKeys})`,
    isDisabled: isEmpty,
  });
  const stops = html`<button
    type="button"
    class="control-icon composer-stop"
    aria-label=${phase === "stopping" ? l10n.t("Stopping") : l10n.t("Stop")}
    title=${l10n.t("Stop (Escape)")}
    ?disabled=${phase === "stopping"}
    @click=${stop}
  >
    ${phase === "stopping" ? icon("loading", true) : icon("debug-stop")}
  </button>`;
  return html`${isRunning && isEmpty ? nothing : sends}${isRunning ? stops : nothing}`;
}
