import { asObject } from "../../rpc/json.js";

export const ferrisToolNames = ["crate_sources", "crate_search", "crate_item", "rust_crate_query"] as const;
export type FerrisToolName = (typeof ferrisToolNames)[number];

/** How Ferris is set up. */
export interface FerrisOptions {
  readonly tools: ReadonlySet<FerrisToolName>;
  /** How long a research session may take. */
  readonly researchTimeoutMs: number;
}

const defaultResearchTimeoutMs = 5 * 60_000;

/** Reads `{tools?: string[], researchTimeoutMs?: number}`; what has another form counts as absent, unknown tools are passed over. */
export function parseFerrisOptions(options: unknown): FerrisOptions {
  const { tools, researchTimeoutMs } = asObject(options) ?? {};
  const wanted: readonly unknown[] = Array.isArray(tools) ? tools : ferrisToolNames;
  const isDuration =
    typeof researchTimeoutMs === "number" && Number.isFinite(researchTimeoutMs) && researchTimeoutMs > 0;
  return {
    tools: new Set(ferrisToolNames.filter((name) => wanted.includes(name))),
    researchTimeoutMs: isDuration ? researchTimeoutMs : defaultResearchTimeoutMs,
  };
}
