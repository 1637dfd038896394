import type { Agent, ConnectedAgent } from "../../conductor/agent.js";
import type { Peer } from "../../rpc/peer.js";
import { SetupConnection } from "./setup-connection.js";
import type { SetupOptions } from "./setup-options.js";

/**
 * Stands at the end of a chain while there is no usable configuration: lets the user choose an agent in the chat,
 * saves the choice and goes on as that agent, in the same session and without a restart of the editor.
 */
export class SetupAgent implements Agent {
  readonly name = "setup";

  constructor(private readonly options: SetupOptions) {}

  connect(client: Peer): ConnectedAgent {
    return new SetupConnection(client, this.options);
  }
}
