import assert from "node:assert/strict";
import { Request } from "../../../src/base/rpc/message.js";
import { shouting } from "../../../testing/scripted-proxies.js";
import { listener, onStage, settled, wireProxy } from "./chain-fixture.js";

describe("an external agent", () => {
  it("may not use the envelopes of proxies", async () => {
    const lines: string[] = [];
    await onStage({ agent: listener(lines) }, async (stage) => {
      void stage.ask("initialize", {});
      await settled();
      const agent = stage.process("agent");
      for (const method of ["proxy/successor", "_proxy/successor", "proxy/initialize", "_proxy/initialize"])
        agent.far.send(JSON.stringify({ jsonrpc: "2.0", id: method, method, params: { method: "fs/read_text_file" } }));
      agent.far.send('{"jsonrpc":"2.0","method":"proxy/successor","params":{"method":"session/update"}}');
      await settled();
      const codes = lines.slice(1).map((line) => (JSON.parse(line) as { error: { code: number } }).error.code);
      assert.deepEqual([codes, stage.client.received], [[-32600, -32600, -32600, -32600], []]);
    });
  });

  it("may not mark its questions as ones of ours", async () => {
    const lines: string[] = [];
    await onStage({ agent: listener(lines) }, async (stage) => {
      void stage.ask("initialize", {});
      await settled();
      const agent = stage.process("agent");
      const marked = '"symposium/mustAsk":true,"symposium/own\\u0041nswers":true';
      for (const meta of [`{${marked}}`, `{"kept":1.0,${marked}}`, '{"kept":1.0}', `{${marked}},"_meta":{${marked}}`])
        agent.far.send(
          `{"jsonrpc":"2.0","id":1,"method":"session/request_permission","params":{"x":1.0,"_meta":${meta}}}`,
        );
      await settled();
      assert.deepEqual(
        stage.client.received.map(({ params }) => params?.text),
        ["{}", '{"kept":1}', '{"kept":1.0}', `{${marked}},"_meta":{}`].map((meta) => `{"x":1.0,"_meta":${meta}}`),
      );
      // Of several members of a name the last one counts.
      assert.deepEqual(
        stage.client.received.map(({ params }) => params?.object?.["_meta"]),
        [{}, { kept: 1 }, { kept: 1 }, {}],
      );
    });
  });

  it("keeps the order of updates and answers of one burst", async () => {
    const lines: string[] = [];
    await onStage(
      { agent: listener(lines), proxies: [wireProxy("current"), shouting(), wireProxy("legacy")] },
      async (stage) => {
        const order: string[] = [];
        const initialized = stage.ask("initialize", {});
        while (lines.length === 0) await settled();
        const agent = stage.process("agent");
        agent.far.send('{"jsonrpc":"2.0","id":1,"result":{}}');
        await initialized;
        const isDone = new Promise<void>((resolve) => {
          for (const method of ["a", "b"]) {
            stage.connection.request(new Request(method), () => {
              if (order.push(`${method} after ${stage.client.received.length}`) === 2) resolve();
            });
          }
        });
        while (lines.length < 3) await settled();
        const update = '{"jsonrpc":"2.0","method":"session/update","params":{"update":{}}}';
        for (const line of [
          update,
          '{"jsonrpc":"2.0","id":3,"result":1}',
          update,
          update,
          '{"jsonrpc":"2.0","id":2,"result":1}',
          update,
        ])
          agent.far.send(line);
        await isDone;
        await settled();
        assert.deepEqual([order, stage.client.received.length], [["b after 1", "a after 3"], 4]);
      },
    );
  });

  it("that sends a line over the limit fails the request that it answers, and goes on", async () => {
    await onStage({ agent: listener([]) }, async (stage) => {
      const initialized = stage.error("initialize", {});
      await settled();
      const agent = stage.process("agent");
      agent.handlers.oversize({ head: '{"jsonrpc":"2.0","id":1,"result":"x', tail: 'x"}', bytes: 2_000_000 });
      assert.match(String((await initialized)["message"]), /2000000 bytes exceeds the limit of 1000000/);
      const next = stage.result("_test/echo", {});
      await settled();
      agent.far.send('{"jsonrpc":"2.0","id":2,"result":"alive"}');
      assert.deepEqual([await next, stage.failures], ["alive", []]);
    });
  });
});
