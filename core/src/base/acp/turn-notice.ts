import { asObject } from "../rpc/json.js";
import { Notification, type Request } from "../rpc/message.js";
import type { Peer } from "../rpc/peer.js";
import { hasCapability } from "./capabilities.js";
import { acpMethods } from "./methods.js";
import { sessionIdOf } from "./session-message.js";

interface TurnNoticeOptions {
  /** What it is about, for programs; in the `_meta` of the update. */
  readonly notice: string;
  /** Names of clients that tell it by themselves. */
  readonly tellers: readonly string[];
  /** A turn begins: what there may be to tell at its end can be found out meanwhile. */
  readonly begins?: () => void;
  /** What the user is told now that a turn of this session ends, in Markdown; undefined where there is nothing to tell, or not yet. */
  readonly textFor: (sessionId: string) => string | undefined;
}

/**
 * Tells users something of ours at the end of a turn. It stands before the recorder, so that nobody takes it for the agent's words
 * later. Only editors hear it, which have a name for people (`title`) and documents that agents may read (`fs.readTextFile`): programs,
 * such as those of a CI, take all that an agent says for its answer, and many have a title.
 */
export class TurnNotice {
  readonly #options: TurnNoticeOptions;
  /** Nobody is to be told at this editor. */
  #isSilent = false;

  constructor(options: TurnNoticeOptions) {
    this.#options = options;
  }

  /** `agent`, as the editor calls it; `client` is the editor. */
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
