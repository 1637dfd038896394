import * as l10n from "@vscode/l10n";
import { html, nothing, svg, type TemplateResult } from "lit";
import type { Limit, TabState } from "../../../protocol/index.js";
import { icon, LightElement } from "../../controls/element.js";

/** Status line with the agent's activity and its duration; empty while the agent waits for a prompt. */
class TurnStatus extends LightElement {
  static override properties = { state: { attribute: false }, activity: {} };
  declare state: TabState | undefined;
  declare activity: string;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor() {
    super();
    this.activity = "";
  }

  override render(): unknown {
    const text = statusText(this.state, this.activity);
    const startedAt = this.state?.phase === "running" ? this.state.turnStartedAt : undefined;
    const [image, isBusy] = imageOf(this.state);
    // Screen readers should announce the text once, not every second.
    const limit = pressingLimit(this.state?.limits ?? [], Date.now());
    return html`${
        limit === undefined
          ? nothing
          : html`<div class="turn-status turn-limit" role="status">
              ${icon("warning")}<span>${limitText(limit)}</span>
            </div>`
      }
      <div class="turn-status" ?hidden=${text === ""}>
        ${text === "" ? nothing : icon(image, isBusy)}
        <span class="turn-status-text" role="status">${text}</span>
        ${
          startedAt === undefined
            ? nothing
            : html`<span class="turn-status-time" aria-hidden="true">${elapsedText(Date.now() - startedAt)}</span>`
        }
      </div>`;
  }

  protected override updated(): void {
    const isTicking = this.state?.phase === "running" && this.isConnected;
    if (isTicking) this.#timer ??= setInterval(() => this.requestUpdate(), 1_000);
    else this.#stop();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#stop();
  }

  #stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

/** Returns the status icon and whether the icon spins. It spins only while the agent works. */
function imageOf(state: TabState | undefined): [image: string, isBusy: boolean] {
  if (state?.phase === "failed") return ["error", false];
  if (state?.phase === "running" && state.waiting > 0) return ["bell", false];
  return ["loading", true];
}

export function statusText(state: TabState | undefined, activity: string): string {
  switch (state?.phase) {
    case undefined:
    case "ready":
      return "";
    case "starting":
      return l10n.t("Starting {0}…", state.agentName);
    case "restoring":
      return l10n.t("Restoring the session…");
    case "running":
      if (state.waiting > 0)
        return state.waiting === 1
          ? l10n.t("Waiting for your answer")
          : l10n.t("Waiting for {0} answers", state.waiting);
      return activity === "" ? l10n.t("Working…") : activity;
    case "stopping":
      return l10n.t("Stopping…");
    case "failed":
      return l10n.t("{0} is not running.", state.agentName);
  }
}

export function elapsedText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  if (seconds < 60) return l10n.t("{0} s", seconds);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return l10n.t("{0} min {1} s", minutes, seconds % 60);
  return l10n.t("{0} h {1} min", Math.floor(minutes / 60), minutes % 60);
}

customElements.define("symposium-turn-status", TurnStatus);

type Usage = NonNullable<TabState["usage"]>;

const radius = 6;
const circumference = 2 * Math.PI * radius;

/** Ring that shows the context usage. Its label and tooltip add numbers and cost. */
export function contextRing(usage: Usage | undefined, limits: readonly Limit[] = []): TemplateResult | typeof nothing {
  if (usage === undefined) return nothing;
  const text = [usageText(usage), ...limits.map((limit) => limitText(limit))].join("\n");
  const share = shareOf(usage);
  const level = share >= 0.95 ? "full" : share >= 0.8 ? "high" : "";
  return html`<span class="context-ring ${level}" role="img" tabindex="0" aria-label=${text} title=${text}>
    <svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
      ${svg`<circle class="context-track" cx="8" cy="8" r=${radius} />`}
      ${svg`<circle class="context-used" cx="8" cy="8" r=${radius} transform="rotate(-90 8 8)"
        stroke-dasharray="${share * circumference} ${circumference}" />`}
    </svg>
    <span aria-hidden="true">${Math.round(share * 100)}%</span>
  </span>`;
}

export function usageText(usage: Usage): string {
  const count = new Intl.NumberFormat();
  const lines = [
    usage.size > 0
      ? l10n.t(
          "Context: {0} of {1} tokens ({2} %).",
          count.format(usage.used),
          count.format(usage.size),
          Math.round(shareOf(usage) * 100),
        )
      : l10n.t("Context: {0} tokens.", count.format(usage.used)),
  ];
  if (usage.cost) lines.push(l10n.t("Cost of this session: {0}.", costText(usage.cost)));
  return lines.join("\n");
}

export function limitText({ name, status, used, resetsAt }: Limit): string {
  const named = name.replaceAll("_", " ");
  const facts = [
    used === undefined ? "" : l10n.t("{0} % used", Math.round(used * 100)),
    status === "rejected" ? l10n.t("reached") : "",
    resetsAt === undefined ? "" : l10n.t("resets {0}", new Date(resetsAt).toLocaleString()),
  ].filter((fact) => fact !== "");
  return facts.length === 0 ? l10n.t('Limit "{0}".', named) : l10n.t('Limit "{0}": {1}.', named, facts.join(", "));
}

/** Returns the limit that is reached or nearly reached, if any. */
export function pressingLimit(limits: readonly Limit[], now: number): Limit | undefined {
  const open = limits.filter(({ resetsAt }) => resetsAt === undefined || resetsAt > now);
  return open.find(({ status }) => status === "rejected") ?? open.find(({ status }) => status === "allowed_warning");
}

function shareOf({ used, size }: Usage): number {
  return size > 0 ? Math.min(1, Math.max(0, used / size)) : 0;
}

/** Agents should send currency codes; other values are shown unmodified. */
function costText({ amount, currency }: NonNullable<Usage["cost"]>): string {
  try {
    return new Intl.NumberFormat(undefined, { style: "currency", currency, maximumFractionDigits: 4 }).format(amount);
  } catch {
    return `${amount} ${currency}`;
  }
}
