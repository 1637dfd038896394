import type { Proxy, ProxyHandlers } from "../src/conductor/chain/proxy.js";
import type { McpServer } from "../src/base/mcp/mcp-server.js";
import { Json } from "../src/base/rpc/json.js";
import { Notification, Outcome, Request } from "../src/base/rpc/message.js";
import { nothingToCancel } from "../src/base/rpc/peer.js";
import { arrayMember, objectMember, stringMember } from "./members.js";

/** Handles nothing. */
export function passThrough(name = "pass-through"): Proxy {
  return { name, connect: () => ({}) };
}

/** Shows `onMessage` the parsed parameters of every `session/update`, and changes nothing. */
export function observer(onMessage: (params: Readonly<Record<string, unknown>>) => void, name = "observer"): Proxy {
  return onUpdates(name, (notification) => {
    const params = notification.params?.object;
    if (params) onMessage(params);
    return notification;
  });
}

/** Puts the text of every update into capitals. */
export function shouting(name = "shouting"): Proxy {
  return onUpdates(name, shouted);
}

function onUpdates(name: string, handler: (notification: Notification) => Notification): Proxy {
  return { name, connect: () => ({ agentNotifications: { "session/update": handler } }) };
}

/** Answers one request, of either side, with a result; the other side never sees it. */
export function answering(method: string, result: unknown, name = "answering"): Proxy {
  const answer: NonNullable<ProxyHandlers["clientRequests"]>[string] = (_request, reply) => {
    reply(Outcome.of(result));
    return nothingToCancel;
  };
  return { name, connect: () => ({ clientRequests: { [method]: answer }, agentRequests: { [method]: answer } }) };
}

/** Holds back every notification of that method, from either side. */
export function dropping(method: string, name = "dropping"): Proxy {
  const drop = (): undefined => undefined;
  return { name, connect: () => ({ clientNotifications: { [method]: drop }, agentNotifications: { [method]: drop } }) };
}

/** Offers an MCP server to every session. */
export function offering(server: McpServer, name = "offering"): Proxy {
  return { name, connect: () => ({ mcpServers: () => [server] }) };
}

/** Adds notifications of its own around each prompt turn: `added before` ahead of the agent's updates, `added after` behind them. */
export function adding(name = "adding"): Proxy {
  return {
    name,
    connect: ({ client, successor }) => ({
      clientRequests: {
        "session/prompt": (request, reply) => {
          const sessionId = stringMember(request.params, "sessionId") ?? "";
          client.notify(message(sessionId, "added before\n"));
          return successor.request(request, (outcome) => {
            client.notify(message(sessionId, "added after\n"));
            reply(outcome);
          });
        },
      },
    }),
  };
}

/** Writes its name into the list `route` of every `_test/echo` that passes, so that the answer tells the order of a chain. */
export function signing(name: string): Proxy {
  return {
    name,
    connect: ({ successor }) => ({
      clientRequests: { "_test/echo": (request, reply) => successor.request(signed(request, name), reply) },
    }),
  };
}

/** A request whose list `route` ends with `name`. */
export function signed(request: Request, name: string): Request {
  const route = arrayMember(request.params, "route").map((stop) => stop.value);
  return new Request(request.method, Json.of({ ...request.params?.object, route: [...route, name] }));
}

function message(sessionId: string, text: string): Notification {
  const update = { sessionUpdate: "agent_message_chunk", content: { type: "text", text } };
  return Notification.of("session/update", { sessionId, update });
}

/** Returns a `session/update` with its text in capitals, and other notifications unchanged. */
export function shouted(notification: Notification): Notification {
  if (notification.method !== "session/update") return notification;
  const update = objectMember(notification.params, "update");
  const content = Json.of(update?.["content"]).object;
  const text = content?.["text"];
  if (typeof text !== "string") return notification;
  return Notification.of(notification.method, {
    ...notification.params?.object,
    update: { ...update, content: { ...content, text: text.toUpperCase() } },
  });
}
