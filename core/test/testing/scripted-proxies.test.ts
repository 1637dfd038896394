import assert from "node:assert/strict";
import { Logger } from "../../src/base/logger.js";
import type { Proxy, ProxyHandlers } from "../../src/conductor/chain/proxy.js";
import { Notification, type Outcome, Request } from "../../src/base/rpc/message.js";
import { pingServer } from "../../testing/ping-server.js";
import { RecordingPeer } from "../../testing/recording-peer.js";
import {
  adding,
  answering,
  dropping,
  observer,
  offering,
  passThrough,
  shouting,
  signing,
} from "../../testing/scripted-proxies.js";

function join(proxy: Proxy): { client: RecordingPeer; successor: RecordingPeer; handlers: ProxyHandlers } {
  const client = new RecordingPeer();
  const successor = new RecordingPeer({
    "session/prompt": { stopReason: "end_turn" },
    "_test/echo": ({ params }: Request) => params?.value,
  });
  return { client, successor, handlers: proxy.connect({ client, successor, logger: Logger.silent }) };
}

const update = Notification.of("session/update", {
  sessionId: "s",
  update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "quiet", extra: 1 } },
  _meta: { a: 1 },
});
const textless = Notification.of("session/update", { sessionId: "s", update: { sessionUpdate: "_test_x" } });
const signal = new AbortController().signal;

describe("scripted proxies in process", () => {
  it("passThrough handles nothing", () => {
    assert.deepEqual(join(passThrough()).handlers, {});
  });

  it("observer sees parsed parameters and passes the same notification on", () => {
    const seen: unknown[] = [];
    const { handlers } = join(observer((params) => seen.push(params["sessionId"])));
    assert.equal(handlers.agentNotifications?.["session/update"]?.(update), update);
    assert.deepEqual(seen, ["s"]);
  });

  it("shouting puts text into capitals, keeps the members around it, and leaves other updates alone", () => {
    const shout = join(shouting()).handlers.agentNotifications?.["session/update"];
    assert.deepEqual(shout?.(update)?.params?.value, {
      sessionId: "s",
      update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "QUIET", extra: 1 } },
      _meta: { a: 1 },
    });
    assert.equal(shout(textless), textless);
  });

  it("answering answers either side and forwards nothing", () => {
    const { client, successor, handlers } = join(answering("_x/ask", { yes: true }));
    const answers: Outcome[] = [];
    for (const side of [handlers.clientRequests, handlers.agentRequests]) {
      side?.["_x/ask"]?.(Request.of("_x/ask", {}), (outcome) => answers.push(outcome));
    }
    assert.deepEqual(
      answers.map(({ json }) => json.value),
      [{ yes: true }, { yes: true }],
    );
    assert.deepEqual([...client.received, ...successor.received], []);
  });

  it("dropping holds notifications of either side back", () => {
    const { handlers } = join(dropping("session/update"));
    assert.equal(handlers.agentNotifications?.["session/update"]?.(update), undefined);
    assert.ok("session/update" in (handlers.clientNotifications ?? {}));
  });

  it("offering offers its server to every session", () => {
    const server = pingServer("pinger");
    assert.deepEqual(join(offering(server)).handlers.mcpServers?.({ sessionId: undefined, cwd: "/", signal }), [
      server,
    ]);
  });

  it("adding sends a message before and after the turn, and passes the answer on", () => {
    const { client, handlers } = join(adding());
    let textAtAnswer = "";
    handlers.clientRequests?.["session/prompt"]?.(
      Request.of("session/prompt", { sessionId: "s" }),
      () => (textAtAnswer = client.text),
    );
    assert.equal(textAtAnswer, "added before\nadded after\n");
  });

  it("signing writes the order of a chain into _test/echo", () => {
    const { handlers } = join(signing("second"));
    let route: unknown;
    const request = Request.of("_test/echo", { route: ["first"], other: 1 });
    handlers.clientRequests?.["_test/echo"]?.(request, (outcome) => (route = outcome.json.value));
    assert.deepEqual(route, { route: ["first", "second"], other: 1 });
  });
});
