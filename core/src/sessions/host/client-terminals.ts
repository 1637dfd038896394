import { asObject, Json, stringOf } from "../../base/rpc/json.js";
import { memberOf, withMember } from "../../base/rpc/json-edit.js";
import { Outcome, type Request } from "../../base/rpc/message.js";
import { type Cancel, nothingToCancel, type Reply } from "../../base/rpc/peer.js";
import { RpcError } from "../../base/rpc/rpc-error.js";
import type { SessionClient } from "./attachment.js";

const shownElsewhere = {
  type: "content",
  content: { type: "text", text: "(Shown in a terminal in another window.)" },
};
const closedExit = { exitCode: null, signal: "SIGHUP" };

/** Terminals that a session's clients created for its agent, with their owners. */
export class ClientTerminals {
  readonly #owners = new Map<string, SessionClient>();
  readonly #closed = new Set<string>();

  /** Answers the agent's `terminal/*` requests. New terminals go to `client`. */
  request(request: Request, client: SessionClient | undefined, reply: Reply): Cancel {
    if (request.method === "terminal/create") return this.#create(request, client, reply);
    const terminalId = request.params?.object?.["terminalId"];
    const id = stringOf(terminalId) ?? "";
    const owner = this.#owners.get(id);
    if (request.method === "terminal/release") {
      this.#owners.delete(id);
      this.#closed.delete(id);
    }
    if (owner) {
      return owner.peer.request(request, (outcome) =>
        reply(outcome.isError && this.#closed.has(id) ? closedAnswer(request.method) : outcome),
      );
    }
    const isClosed = this.#closed.has(id) || request.method === "terminal/release";
    reply(
      isClosed ? closedAnswer(request.method) : Outcome.error(RpcError.invalidParams(`There is no terminal ${id}.`)),
    );
    return nothingToCancel;
  }

  /** Closes the terminals of a client that leaves. */
  leave(client: SessionClient): void {
    for (const [id, owner] of this.#owners) {
      if (owner !== client) continue;
      this.#owners.delete(id);
      this.#closed.add(id);
    }
  }

  /** Replaces terminals that belong to other clients by text in an update's parameters. */
  shownTo(client: SessionClient, params: string): string {
    if (this.#owners.size + this.#closed.size === 0 || !params.includes('"terminalId"')) return params;
    const json = Json.ofText(params);
    const update = memberOf(json, "update");
    const content = update && memberOf(update, "content")?.value;
    if (!Array.isArray(content)) return params;
    const items = (content as readonly unknown[]).map((item) => {
      const { type, terminalId } = asObject(item) ?? {};
      const id = type === "terminal" ? stringOf(terminalId) : undefined;
      const isElsewhere = id !== undefined && (this.#closed.has(id) || (this.#owners.get(id) ?? client) !== client);
      return isElsewhere ? shownElsewhere : item;
    });
    return items.includes(shownElsewhere) ? withMember(json, ["update", "content"], Json.of(items)).text : params;
  }

  #create(request: Request, client: SessionClient | undefined, reply: Reply): Cancel {
    if (client?.can("terminal") !== true) {
      const reason = client
        ? "The attached client doesn't support terminals."
        : "No attached client can show a terminal.";
      reply(Outcome.error(RpcError.internal(`${reason} Run the command without one.`)));
      return nothingToCancel;
    }
    return client.peer.request(request, (outcome) => {
      const terminalId = outcome.isError ? undefined : outcome.json.object?.["terminalId"];
      const id = stringOf(terminalId);
      const owner = id === undefined ? undefined : this.#owners.get(id);
      if (owner && owner !== client) {
        reply(
          Outcome.error(RpcError.internal(`Two clients use the terminal ID ${id ?? ""}. Release the first terminal.`)),
        );
        return;
      }
      if (id !== undefined) {
        this.#closed.delete(id);
        this.#owners.set(id, client);
      }
      reply(outcome);
    });
  }
}

function closedAnswer(method: string): Outcome {
  if (method === "terminal/output") return Outcome.of({ output: "", truncated: true, exitStatus: closedExit });
  return Outcome.of(method === "terminal/wait_for_exit" ? closedExit : {});
}
