import assert from "node:assert/strict";
import { fetchText, type FetchTextOptions } from "../../../src/settings/node/fetch-text.js";
import { RegistryServer } from "../../agents/registry/registry-server.js";

describe("fetchText", () => {
  let server: RegistryServer;
  beforeEach(async () => (server = await RegistryServer.open()));
  afterEach(() => server[Symbol.asyncDispose]());

  async function messageFor(path: string, options?: FetchTextOptions): Promise<string> {
    const fetched = await fetchText(server.address(path), options);
    return fetched.kind === "problem" ? fetched.message.replaceAll(server.address(""), "") : fetched.kind;
  }

  it("brings a text with its tag, and says when the text of a tag is unchanged", async () => {
    server.serve("/a", "Grüße", '"1"');
    assert.deepEqual(await fetchText(server.address("/a")), { kind: "text", text: "Grüße", etag: '"1"' });
    assert.deepEqual(await fetchText(server.address("/a"), { etag: '"1"' }), { kind: "unchanged" });
  });

  it("follows redirects, relative ones too", async () => {
    server.redirect("/a", "/b", 301);
    server.redirect("/b", server.address("/c"), 307);
    server.serve("/c", "here");
    assert.deepEqual(await fetchText(server.address("/a")), { kind: "text", text: "here" });
  });

  it("does not follow a circle of redirects, nor one to an unsafe address", async () => {
    server.redirect("/circle", "/circle");
    server.redirect("/file", "file:///etc/passwd");
    server.redirect("/plain", "http://registry.example/a");
    server.redirect("/none", "http://");
    assert.deepEqual(
      [await messageFor("/circle"), await messageFor("/file"), await messageFor("/plain"), await messageFor("/none")],
      [
        "Can't fetch /circle: more than 5 redirects.",
        "file:///etc/passwd wasn't fetched because it isn't an https address.",
        "http://registry.example/a wasn't fetched because it isn't an https address.",
        `/none redirects to "http://", which isn't a valid address.`,
      ],
    );
    assert.equal(server.requests.filter((request) => request === "GET /circle").length, 6);
  });

  it("asks no server behind plain http but this machine's", async () => {
    const fetched = await fetchText("http://registry.example/a");
    assert.equal(fetched.kind, "problem");
  });

  it("names the status of a refusal", async () => {
    assert.equal(await messageFor("/missing"), "/missing answered 404 Not Found.");
  });

  it("stops reading an answer that is too long, with or without an announced length", async () => {
    server.answer("/endless", (_, response) => {
      const more = (): void => {
        while (response.write("x".repeat(1000)));
      };
      response.on("drain", more);
      more();
    });
    assert.equal(await messageFor("/endless", { maxBytes: 10_000 }), "/endless returned more than 10000 bytes.");
    server.serve("/exact", "x".repeat(10));
    assert.equal(await messageFor("/exact", { maxBytes: 10 }), "text");
    assert.equal(await messageFor("/exact", { maxBytes: 9 }), "/exact returned more than 9 bytes.");
  });

  it("gives up on a server that never answers, and on one that stops in the middle", async () => {
    server.answer("/silent", () => undefined);
    server.answer("/stops", (_, response) => response.write("{"));
    const options = { timeoutMs: 50 };
    assert.deepEqual(
      [await messageFor("/silent", options), await messageFor("/stops", options)],
      ["Can't fetch /silent: no answer within 0.05 s.", "Can't fetch /stops: no answer within 0.05 s."],
    );
  });

  it("says why a connection breaks or is not made", async () => {
    server.answer("/breaks", (request) => request.socket.destroy());
    server.answer("/short", (_, response) => {
      response.writeHead(200, { "content-length": "100" }).write("{");
      setImmediate(() => response.destroy());
    });
    assert.match(await messageFor("/breaks"), /^Can't fetch \/breaks: .+\.$/);
    assert.match(await messageFor("/short"), /^Can't fetch \/short: .+\.$/);
    const address = server.address("/a");
    await server[Symbol.asyncDispose]();
    const fetched = await fetchText(address);
    assert.match(fetched.kind === "problem" ? fetched.message : "", /Can't fetch .*: .*ECONNREFUSED/);
  });

  it("ends when it is cancelled", async () => {
    const cancel = new AbortController();
    server.answer("/silent", () => cancel.abort());
    assert.match(await messageFor("/silent", { signal: cancel.signal }), /Can't fetch .*: .*abort/);
  });
});
