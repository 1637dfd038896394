import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { Logger } from "../../../../src/base/logger.js";
import { OpenAiServer } from "../../../../src/models/openai/node/openai-server.js";

describe("a request that is too large", () => {
  it("is refused with 413, whether or not its length is announced", async () => {
    const service = { models: [], answer: () => Promise.reject(new Error("not to be asked")) };
    const logger = new Logger(() => undefined);
    await using server = new OpenAiServer({ service, token: "token", logger, maxBodyBytes: 16 });
    const port = await server.listen(0);
    const head = ["POST /v1/chat/completions HTTP/1.1", "Host: 127.0.0.1", "Authorization: Bearer token"];
    for (const body of [
      "Content-Length: 32\r\n\r\n",
      `Transfer-Encoding: chunked\r\n\r\n20\r\n${"x".repeat(32)}\r\n`,
    ]) {
      const socket = connect(port, "127.0.0.1").setEncoding("utf8");
      socket.write(`${head.join("\r\n")}\r\n${body}`);
      let heard = "";
      socket.on("data", (text) => (heard += String(text)));
      await once(socket, "close");
      assert.match(heard, /^HTTP\/1\.1 413 [^]*"code":"request_too_large"/);
    }
  });
});
