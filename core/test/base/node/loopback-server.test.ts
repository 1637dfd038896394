import assert from "node:assert/strict";
import { Logger } from "../../../src/base/logger.js";
import { LoopbackServer } from "../../../src/base/node/loopback-server.js";

describe("a listener on loopback", () => {
  it("keeps a connection for longer than a client does that calls a tool once its model has thought", async () => {
    await using server = new LoopbackServer(
      {
        serve: (_request, response) => {
          response.end("ok");
          return Promise.resolve();
        },
      },
      Logger.silent,
    );
    const answer = await fetch(`http://127.0.0.1:${await server.listen(0)}/`);
    assert.equal(await answer.text(), "ok");
    // The header has the seconds after which Node closes the idle connection.
    const seconds = Number(/timeout=(\d+)/.exec(answer.headers.get("keep-alive") ?? "")?.[1]);
    assert.ok(seconds > 300, String(answer.headers.get("keep-alive")));
  });
});
