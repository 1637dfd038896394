import { asObject } from "../../rpc/json.js";

/** What a user may set for the cargo tools. */
export interface CargoOptions {
  /** The tools on offer; undefined means all. */
  readonly tools: ReadonlySet<string> | undefined;
  /** How long a run may take when the call does not say. */
  readonly timeoutMs: number;
  /** What runs tests when the call does not say. */
  readonly testRunner: "cargo" | "nextest";
}

const defaultTimeoutMs = 600_000;

/** Reads `{tools?, timeoutMs?, testRunner?}`; what has another form counts as absent. */
export function parseCargoOptions(options: unknown): CargoOptions {
  const { tools, timeoutMs, testRunner } = asObject(options) ?? {};
  const isTime = typeof timeoutMs === "number" && Number.isFinite(timeoutMs) && timeoutMs > 0;
  return {
    tools: Array.isArray(tools) ? new Set(tools.filter((tool) => typeof tool === "string")) : undefined,
    timeoutMs: isTime ? timeoutMs : defaultTimeoutMs,
    testRunner: testRunner === "nextest" ? "nextest" : "cargo",
  };
}
