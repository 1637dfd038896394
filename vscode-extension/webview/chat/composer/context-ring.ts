import { html, nothing, svg, type TemplateResult } from "lit";
import type { TabState } from "../../../protocol/index.js";

type Usage = NonNullable<TabState["usage"]>;

const radius = 6;
const circumference = 2 * Math.PI * radius;

/** How full the agent's context is, as a ring; words and cost are in its label and tooltip. */
export function contextRing(usage: Usage | undefined): TemplateResult | typeof nothing {
  if (usage === undefined) return nothing;
  const text = usageText(usage);
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

/** One sentence a line: tokens, share and cost. */
export function usageText(usage: Usage): string {
  const count = new Intl.NumberFormat();
  const lines = [
    usage.size > 0
      ? `Context: ${count.format(usage.used)} of ${count.format(usage.size)} tokens (${Math.round(shareOf(usage) * 100)} %).`
      : `Context: ${count.format(usage.used)} tokens.`,
  ];
  if (usage.cost) lines.push(`Cost of this session: ${costText(usage.cost)}.`);
  return lines.join("\n");
}

function shareOf({ used, size }: Usage): number {
  return size > 0 ? Math.min(1, Math.max(0, used / size)) : 0;
}

/** Agents send currency codes; what is no code stands as it came. */
function costText({ amount, currency }: NonNullable<Usage["cost"]>): string {
  try {
    return new Intl.NumberFormat(undefined, { style: "currency", currency, maximumFractionDigits: 4 }).format(amount);
  } catch {
    return `${amount} ${currency}`;
  }
}
