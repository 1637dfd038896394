import assert from "node:assert/strict";
import { Logger } from "../../../src/base/logger.js";
import type { ProxyHandlers } from "../../../src/conductor/chain/proxy.js";
import { type Outcome, Request } from "../../../src/base/rpc/message.js";
import { serverRequests } from "../../../src/context/servers/server-requests.js";
import { ServerStatuses, type ServerState } from "../../../src/context/servers/server-status.js";
import { RecordingPeer } from "../../../testing/recording-peer.js";

describe("requests about MCP servers", () => {
  const list = "_symposium/mcpServers/list";
  const restart = "_symposium/mcpServers/restart";
  let statuses: ServerStatuses;
  let client: RecordingPeer;
  let handlers: ProxyHandlers;
  let restarts: number;
  beforeEach(() => {
    statuses = new ServerStatuses();
    client = new RecordingPeer();
    restarts = 0;
    handlers = serverRequests(statuses).connect({ client, successor: new RecordingPeer(), logger: Logger.silent });
  });
  afterEach(() => handlers[Symbol.asyncDispose]?.());

  const add = (name: string, state: ServerState): Disposable =>
    statuses.add({
      origin: { kind: "user", file: "/home/config.jsonc" },
      type: "stdio",
      originalName: name,
      status: () => ({ state, tools: [{ name: "read", bytes: 20, isLeftOut: false }], prompts: [] }),
      restart: () => restarts++,
    });
  function ask(method: string, params: object = {}): unknown {
    let answer: Outcome | undefined;
    handlers.clientRequests?.[method]?.(Request.of(method, params), (outcome) => (answer = outcome));
    return answer?.json.value;
  }

  it("list each server once with its worst state, in how many sessions it is, and what it has", () => {
    add("files", { kind: "ready" });
    add("files", { kind: "failed", reason: "It died." });
    assert.deepEqual(ask(list), {
      servers: [
        {
          name: "files",
          origin: { kind: "user", file: "/home/config.jsonc" },
          type: "stdio",
          state: { kind: "failed", reason: "It died." },
          tools: [{ name: "read", bytes: 20, isLeftOut: false }],
          prompts: [],
          sessions: 2,
        },
      ],
    });
  });

  it("restart a server in all sessions, and name one that nobody has", () => {
    add("files", { kind: "ready" });
    add("files", { kind: "ready" });
    add("other", { kind: "ready" });
    assert.deepEqual([ask(restart, { name: "files" }), restarts], [{}, 2]);
    const { code, message } = ask(restart, { name: "nobody" }) as { code: number; message: string };
    assert.equal(code, -32602);
    assert.match(message, /No session has an MCP server named "nobody"/);
    assert.equal((ask(restart) as { code: number }).code, -32602);
  });

  it("tell whoever has asked for the list of changes, many at once as one, and nobody else", async () => {
    add("early", { kind: "ready" });
    ask(list);
    const heardMethods: string[] = [];
    const heard = new Promise<void>((resolve) => {
      client.notify = ({ method }) => {
        heardMethods.push(method);
        resolve();
      };
    });
    using _files = add("files", { kind: "starting" });
    statuses.changed();
    await heard;
    assert.deepEqual(heardMethods, ["_symposium/mcpServers/changed"]);
  });
});
