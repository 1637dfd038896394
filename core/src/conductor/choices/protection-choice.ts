import type { ProtectionLevel } from "../../base/safety/protection-level.js";
import type { Choice } from "./choice.js";

/** What a user can say of how an agent is held; `default`: as if nothing were said. */
export type WantedProtection = ProtectionLevel | "default";

/** How agents are held, and the switch of that. What both resolve with is Markdown for the user; they reject with the reason. */
export interface AgentProtection {
  /** What the agent of a choice may do in a folder. */
  describe(choice: Choice, folder: string): Promise<string>;
  /** Has it held otherwise, from its next start on. Writes nothing once `signal` is aborted, and rejects then. */
  change(choice: Choice, folder: string, wish: WantedProtection, signal: AbortSignal): Promise<string>;
}
