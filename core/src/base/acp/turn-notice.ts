import { asObject } from "../rpc/json.js";
import { Notification, type Request } from "../rpc/message.js";
import type { Peer } from "../rpc/peer.js";
import { hasCapability } from "./capabilities.js";
import { acpMethods } from "./methods.js";
import { sessionIdOf } from "./session-message.js";

interface TurnNoticeOptions {
  readonly notice: string;
  readonly tellers: readonly string[];
  /** Called when a turn begins, so that the notice can be prepared during the turn. */
  readonly begins?: () => void;
  /** Markdown notice for the end of a turn in this session. Undefined if there is nothing to show yet. */
  readonly textFor: (sessionId: string) => string | undefined;
}

/**
 * Shows a Symposium notice at the end of a turn. The notice comes before the recorder in the chain, so that recordings don't attribute it
 * to the agent. Only editors get the notice, detected by `title` and `fs.readTextFile`, because programs such as CI jobs treat all output
 * as the agent's answer.
 */
export class TurnNotice {
  readonly #options: TurnNoticeOptions;
  #isSilent = false;

  constructor(options: TurnNoticeOptions) {
    this.#options = options;
  }

  /** `agent` is the peer that the editor calls; `client` is the editor. */
  towardAgent(agent: Peer, client: Peer): Peer {
    return {
      notify: (notification) => agent.notify(notification),
      request: (request, reply) => {
        if (request.method === acpMethods.initialize) this.#isSilent = !this.#isToldTo(request);
        if (this.#isSilent || request.method !== acpMethods.sessionPrompt) return agent.request(request, reply);
        this.#options.begins?.();
        return agent.request(request, (outcome) => {
          const sessionId = sessionIdOf(request.params);
          if (!outcome.isError && sessionId !== undefined) this.#tell(client, sessionId);
          reply(outcome);
        });
      },
    };
  }

  #isToldTo(request: Request): boolean {
    const { clientInfo, clientCapabilities } = request.params?.object ?? {};
    const { name, title } = asObject(clientInfo) ?? {};
    const isTeller = typeof name === "string" && this.#options.tellers.includes(name);
    const isEditor = typeof title === "string" && title !== "" && hasCapability(clientCapabilities, "fs.readTextFile");
    return isEditor && !isTeller;
  }

  #tell(client: Peer, sessionId: string): void {
    const text = this.#options.textFor(sessionId);
    if (text === undefined) return;
    const content = { type: "text", text: `\n\n---\n\n_Symposium: ${text}_\n` };
    const _meta = { symposium: { notice: this.#options.notice } };
    const update = { sessionUpdate: "agent_message_chunk", content, _meta };
    client.notify(Notification.of(acpMethods.sessionUpdate, { sessionId, update }));
  }
}
