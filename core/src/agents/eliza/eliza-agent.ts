import type { Agent, ConnectedAgent } from "../../conductor/chain/component.js";
import type { Peer } from "../../base/rpc/peer.js";
import type { Choose } from "./doctor.js";
import { ElizaConnection, type ElizaConnectionOptions } from "./eliza-connection.js";

interface ElizaOptions extends Omit<ElizaConnectionOptions, "choose"> {
  readonly isDeterministic: boolean;
  /** Seed for choosing among answers; random if absent. Ignored if `isDeterministic`. */
  readonly seed?: number;
}

/** Agent without a language model that talks like a therapist, calls MCP tools and requests permissions. */
export class ElizaAgent implements Agent {
  readonly name = "eliza";

  constructor(private readonly options: ElizaOptions) {}

  connect(client: Peer): ConnectedAgent {
    const { isDeterministic, seed = Math.floor(Math.random() * 2 ** 32) } = this.options;
    return new ElizaConnection(client, { ...this.options, choose: isDeterministic ? () => 0 : seededChoice(seed) });
  }
}

/** Returns uniformly distributed choices determined by `seed` (mulberry32 generator). */
export function seededChoice(seed: number): Choose {
  let state = seed >>> 0;
  return (count) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % count;
  };
}
