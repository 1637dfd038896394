import type { Proxy, RequestHandler } from "../../conductor/chain/proxy.js";
import { Notification, Outcome } from "../../base/rpc/message.js";
import { RpcError } from "../../base/rpc/rpc-error.js";
import type { ServerStatuses } from "./server-status.js";

const listMethod = "_symposium/mcpServers/list";
const restartMethod = "_symposium/mcpServers/restart";
const changedMethod = "_symposium/mcpServers/changed";

/** Changes come in bunches, one for each tool list and state: one notification stands for all of this time. */
const bunchMs = 50;

/**
 * Answers what any editor may ask about the MCP servers of its sessions (docs/context.md): `list`, all of them, after which
 * the editor hears of changes by `changed`, and `restart` of one, by its name. None of it needs a session.
 */
export function serverRequests(statuses: ServerStatuses): Proxy {
  return {
    name: "server-requests",
    connect: ({ client }) => {
      let subscription: Disposable | undefined;
      let timer: ReturnType<typeof setTimeout> | undefined;
      const changed = (): void => {
        timer ??= setTimeout(() => {
          timer = undefined;
          client.notify(Notification.of(changedMethod, {}));
        }, bunchMs);
        timer.unref?.();
      };
      const list: RequestHandler = (_request, reply) => {
        subscription ??= statuses.subscribe(changed);
        reply(Outcome.of({ servers: statuses.list() }));
        return undefined;
      };
      const restart: RequestHandler = ({ params }, reply) => {
        const name = params?.object?.["name"];
        const isKnown = typeof name === "string" && statuses.restart(name);
        const error = `No session has an MCP server of the name ${JSON.stringify(name ?? null)}; ${listMethod} lists them.`;
        reply(isKnown ? Outcome.of({}) : Outcome.error(RpcError.invalidParams(error)));
        return undefined;
      };
      return {
        clientRequests: { [listMethod]: list, [restartMethod]: restart },
        [Symbol.asyncDispose]: () => {
          clearTimeout(timer);
          subscription?.[Symbol.dispose]();
          return Promise.resolve();
        },
      };
    },
  };
}
