import assert from "node:assert/strict";
import { once } from "node:events";
import { PassThrough } from "node:stream";
import { readFirstBytes } from "../../src/guard/network/tls-hello.js";
import { readTarget } from "../../src/guard/network/target.js";
import { firstWord, join } from "../../src/guard/node/network/tunnel.js";

const kindOf = (text: string): string => readFirstBytes(Buffer.from(text, "latin1")).kind;

describe("the first bytes of a connection", () => {
  it("are a request of HTTP wherever a server would take them for one", () => {
    const requests = ["GET / HTTP/1.1", "\r\nGET /", "\n\r\n\t get\t/", "M-SEARCH * HTTP/1.1", "x!#$%&'*+.^_`|~9 /"];
    requests.push("GET\v/", "GET\f/", "GET\r/", "\v\fGET /");
    assert.deepEqual(
      requests.map(kindOf),
      requests.map(() => "http"),
    );
  });

  it("are not known before the first word has ended", () => {
    const parts = ["", "\r\n", "GE", "\r\nGET", "GET\r", "SSH", "PRI ", "A".repeat(255)];
    assert.deepEqual(
      parts.map(kindOf),
      parts.map(() => "incomplete"),
    );
  });

  it("are refused where they never end, or begin HTTP/2", () => {
    const wrong = [
      "\n".repeat(300),
      "A".repeat(256),
      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
      "\x15\x03".replace("\x15", "\x16").repeat(9_000),
    ];
    assert.deepEqual(
      wrong.map(kindOf),
      wrong.map(() => "broken"),
    );
  });

  it("are another protocol otherwise", () => {
    const others = [
      "SSH-2.0-OpenSSH_9.6 Debian-1\r\n",
      "\0\0\0\x08\x04\xd2\x16/",
      "\x10\x16",
      "QUIT\r\n",
      "\x80.\x01\x03\x01",
    ];
    assert.deepEqual(
      others.map(kindOf),
      others.map(() => "other"),
    );
  });

  it("are not waited for once the server is gone, and the program hears of that", async () => {
    const target = readTarget("api.example", 443) ?? assert.fail();
    const [client, server] = [new PassThrough(), new PassThrough()];
    const word = firstWord(client, server, target);
    server.destroy();
    assert.equal(await word, "pass");
    const closed = once(client, "close");
    join(client, server);
    await closed;
  });
});
