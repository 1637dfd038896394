import type { Agent, ConnectedAgent } from "../../conductor/agent.js";
import type { ConnectMcp } from "../../mcp/mcp-connection.js";
import type { Peer } from "../../rpc/peer.js";
import { ElizaConnection } from "./eliza-connection.js";
import { seededChoice } from "./random.js";

interface ElizaOptions {
  /** The product's version, for `agentInfo`. */
  readonly version: string;
  /** The same conversation always gets the same answers. */
  readonly isDeterministic: boolean;
  /** Seed of the choice among answers where they may vary; by chance when absent. */
  readonly seed?: number;
  readonly connectMcp: ConnectMcp;
  /** Resolves in a later turn of the event loop, after input that waits has been read. */
  readonly yieldNow: () => Promise<void>;
}

/** A small agent without a language model: it talks like a therapist, calls MCP tools and asks permission on request. */
export class ElizaAgent implements Agent {
  readonly name = "eliza";

  constructor(private readonly options: ElizaOptions) {}

  connect(client: Peer): ConnectedAgent {
    const { isDeterministic, seed = Math.floor(Math.random() * 2 ** 32) } = this.options;
    return new ElizaConnection(client, { ...this.options, choose: isDeterministic ? () => 0 : seededChoice(seed) });
  }
}
