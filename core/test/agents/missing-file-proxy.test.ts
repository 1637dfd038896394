import assert from "node:assert/strict";
import { missingFileProxy } from "../../src/agents/missing-file-proxy.js";
import { Logger } from "../../src/base/logger.js";
import { Outcome, Request } from "../../src/base/rpc/message.js";
import { RpcError, rpcErrorCodes } from "../../src/base/rpc/rpc-error.js";
import { RecordingPeer } from "../../testing/recording-peer.js";

describe("reading a missing file for an agent", () => {
  const missing = Outcome.error(new RpcError(rpcErrorCodes.notFound, "Resource not found: /a"));
  const denied = Outcome.error(RpcError.internal("denied"));

  async function read(agent: string, answer: Outcome): Promise<Outcome> {
    const successor = new RecordingPeer({ initialize: { agentInfo: { name: agent } } });
    const client = new RecordingPeer({ "fs/read_text_file": answer });
    const handlers = missingFileProxy().connect({ client, successor, logger: Logger.silent });
    handlers.clientRequests?.["initialize"]?.(Request.of("initialize", {}), () => undefined);
    return new Promise((resolve) =>
      handlers.agentRequests?.["fs/read_text_file"]?.(Request.of("fs/read_text_file", { path: "/a" }), resolve),
    );
  }

  it("gives an empty text to Gemini CLI, which can't create the file otherwise", async () => {
    assert.deepEqual((await read("gemini-cli", missing)).json.value, { content: "" });
  });

  it("leaves other answers and other agents' errors as they are", async () => {
    const text = Outcome.of({ content: "text" });
    assert.equal(await read("gemini-cli", text), text);
    assert.equal(await read("gemini-cli", denied), denied);
    assert.equal(await read("opencode", missing), missing);
  });
});
