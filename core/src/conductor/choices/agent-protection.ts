import type { ProtectionLevel } from "../../base/safety/protection-level.js";
import type { Choice } from "./chosen-agent-and-proxies.js";

/** A protection level for an agent; `default` clears the user's setting. */
export type WantedProtection = ProtectionLevel | "default";

/** Reads and changes an agent's protection. Both methods resolve with Markdown for the user and reject with the reason. */
export interface AgentProtection {
  describe(choice: Choice, folder: string): Promise<string>;
  /** Changes the protection that applies from the agent's next start. Writes nothing and rejects if `signal` is aborted first. */
  change(choice: Choice, folder: string, wish: WantedProtection, signal: AbortSignal): Promise<string>;
}
