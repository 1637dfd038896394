import assert from "node:assert/strict";
import { type WireDialect, type WireDialectName, wireDialects } from "../../testing/wire-dialect.js";
import { PartProcess } from "./part-process.js";

const names = Object.keys(wireDialects) as WireDialectName[];

/** Starts the proxy and takes it through the handshake as a conductor would. */
async function started(dialect: WireDialectName, ...args: string[]): Promise<PartProcess> {
  const proxy = new PartProcess("proxy-main", "--dialect", dialect, ...args);
  proxy.send({ id: "greeting", method: wireDialects[dialect].initialize, params: { protocolVersion: 1 } });
  await answerNext(proxy, `"method":"initialize"`, '{"protocolVersion":1}');
  await proxy.answer("greeting");
  return proxy;
}

/** The line of the proxy, past or future, that holds `part`. */
async function line(proxy: PartProcess, part: string): Promise<string> {
  await proxy.message((message) => JSON.stringify(message).includes(part));
  return proxy.lines.find((it) => it.includes(part)) ?? "";
}

/** Answers the proxy's own request whose line holds `part`, with a raw result. */
async function answerNext(proxy: PartProcess, part: string, result: string): Promise<string> {
  const request = await line(proxy, part);
  proxy.sendText(`{"jsonrpc":"2.0","id":${idOf(request)},"result":${result}}`);
  return request;
}

function idOf(text: string): string {
  return JSON.stringify((JSON.parse(text) as { id: unknown }).id);
}

/** An envelope from the successor. */
function wrapped(dialect: WireDialect, method: string, params: string, id?: string): string {
  const member = id === undefined ? "" : `"id":${id},`;
  return `{"jsonrpc":"2.0",${member}"method":"${dialect.successor}","params":{"method":"${method}","params":${params}}}`;
}

for (const name of names) {
  const dialect = wireDialects[name];
  describe(`the scripted proxy as a process, dialect ${name}`, () => {
    it("initialises its successor with the same parameters before it answers", async () => {
      await using proxy = new PartProcess("proxy-main", "--dialect", name);
      proxy.sendText(
        `{"jsonrpc":"2.0","id":"g","method":"${dialect.initialize}","params":{"protocolVersion":1,"x":1.0}}`,
      );
      const sent = await answerNext(proxy, "initialize", '{"protocolVersion":1,"y":2.0}');
      assert.ok(
        sent.includes(
          `"method":"${dialect.successor}","params":{"method":"initialize","params":{"protocolVersion":1,"x":1.0}}`,
        ),
        sent,
      );
      await proxy.answer("g");
      assert.equal(proxy.lines.at(-1), '{"jsonrpc":"2.0","id":"g","result":{"protocolVersion":1,"y":2.0}}');
    });

    it("passes requests, notifications, results and errors both ways as raw text", async () => {
      await using proxy = await started(name);
      proxy.sendText('{"jsonrpc":"2.0","id":"a","method":"_x/down","params":{"n":18446744073709551615,"f":1.0}}');
      const down = await answerNext(proxy, "_x/down", '{"r":1.0}');
      assert.ok(
        down.includes(
          `"method":"${dialect.successor}","params":{"method":"_x/down","params":{"n":18446744073709551615,"f":1.0}}`,
        ),
      );
      proxy.sendText(wrapped(dialect, "fs/read_text_file", '{"n":2.0}', '"up-1"'));
      const up = await line(proxy, "fs/read_text_file");
      assert.ok(up.includes('"method":"fs/read_text_file","params":{"n":2.0}'));
      proxy.sendText(`{"jsonrpc":"2.0","id":${idOf(up)},"error":{"code":-32002,"message":"no","data":{"f":1.0}}}`);
      proxy.sendText(wrapped(dialect, "session/update", '{"q":1.0}'));
      proxy.sendText('{"jsonrpc":"2.0","method":"_x/note"}');
      await line(proxy, "_x/note");
      assert.deepEqual(
        proxy.lines.filter(
          (it) => !it.includes("initialize") && !it.includes('"greeting"') && it !== down && it !== up,
        ),
        [
          '{"jsonrpc":"2.0","id":"a","result":{"r":1.0}}',
          '{"jsonrpc":"2.0","id":"up-1","error":{"code":-32002,"message":"no","data":{"f":1.0}}}',
          '{"jsonrpc":"2.0","method":"session/update","params":{"q":1.0}}',
          `{"jsonrpc":"2.0","method":"${dialect.successor}","params":{"method":"_x/note"}}`,
        ],
      );
    });

    it("cancels on each hop with that hop's id, in both directions", async () => {
      await using proxy = await started(name);
      proxy.send({ id: "a", method: "session/prompt", params: {} });
      proxy.sendText(wrapped(dialect, "terminal/wait_for_exit", "{}", '"b"'));
      const ids = [idOf(await line(proxy, "session/prompt")), idOf(await line(proxy, "terminal/wait"))];
      for (const requestId of ["a", "b"]) proxy.send({ method: "$/cancel_request", params: { requestId } });
      proxy.send({ method: "_x/barrier" });
      await line(proxy, "_x/barrier");
      assert.deepEqual(
        proxy.lines.filter((it) => it.includes("cancel_request")),
        ids.map((id) => `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":${id}}}`),
      );
    });

    it("refuses an envelope without a method and one inside another", async () => {
      await using proxy = await started(name);
      const missing = await proxy.request(1, dialect.successor, { params: {} });
      const twice = await proxy.request(2, dialect.successor, { method: dialect.successor, params: { method: "x" } });
      assert.deepEqual(
        [missing, twice].map(({ error }) => (error as { code: number }).code),
        [-32602, -32600],
      );
    });

    it("shouts, signs, crashes on a method, and stops reading when told so", async () => {
      await using proxy = await started(name, "--shout", "--name", "loud", "--crash-on", "session/prompt");
      proxy.sendText(wrapped(dialect, "session/update", '{"update":{"content":{"type":"text","text":"hi"}}}'));
      assert.ok(await line(proxy, '"HI"'));
      proxy.send({ id: "e", method: "_test/echo", params: { route: ["first"] } });
      assert.ok((await line(proxy, "_test/echo")).includes('{"route":["first","loud"]}'));
      proxy.send({ id: "p", method: "session/prompt", params: {} });
      assert.deepEqual([await proxy.exited(), proxy.stderr], [9, "scripted crash on session/prompt\n"]);
      await using deaf = await started(name, "--stop-reading");
      while (deaf.sendText("x".repeat(100_000)));
      deaf.endInput();
      deaf.signal("SIGTERM");
      assert.equal(await deaf.exited(), "SIGTERM");
    });

    it("leaves with 0 when its input ends", async () => {
      await using proxy = await started(name);
      proxy.endInput();
      assert.equal(await proxy.exited(), 0);
    });
  });
}

describe("a wrong greeting", () => {
  it("makes a legacy proxy exit with 1", async () => {
    await using proxy = new PartProcess("proxy-main", "--dialect", "legacy");
    proxy.send({ id: 1, method: "proxy/initialize", params: { protocolVersion: 1 } });
    assert.equal(await proxy.exited(), 1);
    assert.deepEqual([proxy.lines, proxy.stderr], [[], 'Error: Invalid request: "expected `initialize` request"\n']);
  });

  it("is refused by a mid and by a current proxy, which stay usable", async () => {
    const refusals: unknown[] = [];
    for (const [name, greeting] of [
      ["mid", "proxy/initialize"],
      ["current", "_proxy/initialize"],
    ] as const) {
      await using proxy = new PartProcess("proxy-main", "--dialect", name);
      refusals.push((await proxy.request(1, greeting, { protocolVersion: 1 }))["error"]);
      proxy.send({ id: 2, method: wireDialects[name].initialize, params: {} });
      await answerNext(proxy, '"method":"initialize"', "{}");
      await proxy.answer(2);
    }
    assert.deepEqual(refusals, [
      { code: -32601, message: "Method not found: proxy/initialize", data: { method: "proxy/initialize" } },
      { code: -32600, message: "Invalid request", data: "expected `proxy/initialize` request" },
    ]);
  });

  it("of an unknown dialect on the command line ends the process with 2", async () => {
    await using proxy = new PartProcess("proxy-main", "--dialect", "future");
    assert.equal(await proxy.exited(), 2);
    assert.match(proxy.stderr, /known: legacy, mid, current/);
  });
});
