import type { Agent, ConnectedAgent } from "../conductor/component.js";
import type { Peer } from "../rpc/peer.js";
import { inProcessFaults } from "./faults.js";
import type { ScriptedAgentOptions } from "./scripted-agent-options.js";
import { ScriptedConnection } from "./scripted-connection.js";

/**
 * An ACP v1 agent that does what prompts tell it, one command a line (`help` lists them). The vendor request
 * `_test/received` answers `{received: [{kind, method, params?}]}`, the latest messages it got, as raw text;
 * `_test/echo` answers its own parameters.
 */
export class ScriptedAgent implements Agent {
  readonly name: string;

  constructor(private readonly options: ScriptedAgentOptions = {}) {
    this.name = options.name ?? "scripted-agent";
  }

  connect(client: Peer): ConnectedAgent {
    return {
      fromClient: new ScriptedConnection(client, { faults: inProcessFaults, ...this.options, name: this.name }),
    };
  }
}
