import assert from "node:assert/strict";
import { BoundedFetch } from "../../../../src/context/servers/node/bounded-fetch.js";

describe("BoundedFetch", () => {
  it("ends the connection when a refusal to sign in is too long, and hands on the object that it came as", async () => {
    let faults = 0;
    const refusal = new Response(new Blob(["x".repeat(2_000)]), { status: 401 });
    const bounded = new BoundedFetch({
      fetch: () => Promise.resolve(refusal),
      maxMessageBytes: 1_000,
      onFault: () => faults++,
    });
    const given = await bounded.fetch("https://server.example/mcp");
    assert.equal(given, refusal);
    await assert.rejects(given.text(), /more than 1000 bytes/);
    assert.deepEqual([faults, bounded.fault?.message], [1, "it sent a message of more than 1000 bytes."]);
  });

  it("hands on the text of a refusal to sign in", async () => {
    const fetch = (): Promise<Response> => Promise.resolve(new Response("The token is too old.", { status: 401 }));
    const bounded = new BoundedFetch({ fetch, maxMessageBytes: 1_000, onFault: () => assert.fail() });
    assert.equal(await (await bounded.fetch("https://server.example/mcp")).text(), "The token is too old.");
  });
});
