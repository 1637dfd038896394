import { sessionIdOf } from "./session-message.js";
import { Json } from "../rpc/json.js";
import { memberOf, withMember } from "../rpc/json-edit.js";
import { Notification, Outcome, Request } from "../rpc/message.js";

type Direction = "toAgent" | "toClient";

/**
 * Translates session ids between the editor and the agent. Replaces `sessionId` members in parameters, results and error data; other text
 * and sessions stay unmodified.
 */
export class SessionAliases {
  readonly #ids: Readonly<Record<Direction, Map<string, string>>> = { toAgent: new Map(), toClient: new Map() };

  add(clientId: string, agentId: string): void {
    this.#ids.toAgent.set(clientId, agentId);
    this.#ids.toClient.set(agentId, clientId);
  }

  remove(clientId: string): void {
    const agentId = this.#ids.toAgent.get(clientId);
    if (agentId !== undefined) this.#ids.toClient.delete(agentId);
    this.#ids.toAgent.delete(clientId);
  }

  agentIdOf(clientId: string): string | undefined {
    return this.#ids.toAgent.get(clientId);
  }

  request(request: Request, direction: Direction): Request {
    const params = request.params && this.#exchanged(request.params, direction);
    return params ? new Request(request.method, params) : request;
  }

  notification(notification: Notification, direction: Direction): Notification {
    const params = notification.params && this.#exchanged(notification.params, direction);
    return params ? new Notification(notification.method, params) : notification;
  }

  outcome(outcome: Outcome, direction: Direction): Outcome {
    if (this.#ids[direction].size === 0) return outcome;
    if (!outcome.isError) {
      const result = this.#exchanged(outcome.json, direction);
      return result ? Outcome.result(result) : outcome;
    }
    const data = memberOf(outcome.json, "data");
    const exchanged = data && this.#exchanged(data, direction);
    return exchanged ? Outcome.errorJson(withMember(outcome.json, ["data"], exchanged)) : outcome;
  }

  /** Returns the JSON with exchanged session ids; undefined if nothing changes. */
  #exchanged(json: Json, direction: Direction): Json | undefined {
    const ids = this.#ids[direction];
    const id = ids.size === 0 ? undefined : sessionIdOf(json);
    const other = id === undefined ? undefined : ids.get(id);
    return other === undefined ? undefined : withMember(json, ["sessionId"], Json.of(other));
  }
}
