import type { Proxy, RequestHandler } from "../../conductor/chain/proxy.js";
import { Notification, Outcome } from "../../base/rpc/message.js";
import { RpcError } from "../../base/rpc/rpc-error.js";
import type { ServerStatuses } from "./server-status.js";

const listMethod = "_symposium/mcpServers/list";
const restartMethod = "_symposium/mcpServers/restart";
const changedMethod = "_symposium/mcpServers/changed";

/** Period whose changes are combined in one notification. */
const bunchMs = 50;

/**
 * Answers editor requests about MCP servers, which need no session (docs/context.md). `list` returns all servers and subscribes the editor
 * to `changed`; `restart` restarts a server by name.
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
        const error = `No session has an MCP server named ${JSON.stringify(name ?? null)}; ${listMethod} lists them.`;
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
