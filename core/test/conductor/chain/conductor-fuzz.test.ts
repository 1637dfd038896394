import assert from "node:assert/strict";
import fc from "fast-check";
import { Connection } from "../../../src/base/rpc/connection.js";
import { ScriptedAgent } from "../../../testing/scripted-agent.js";
import { passThrough, shouting } from "../../../testing/scripted-proxies.js";
import { jsonText, mutated } from "../../base/rpc/json-text.js";
import { listener, type Program, settled, Stage, wireProxy } from "./chain-fixture.js";

const sample = fc.constantFrom(
  '{"jsonrpc":"2.0","id":"f","method":"session/new","params":{"cwd":"/w","mcpServers":[{"type":"acp","name":"a","serverId":"s"}]}}',
  '{"jsonrpc":"2.0","id":"f","method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{}}}',
  '{"jsonrpc":"2.0","id":"f","method":"session/prompt","params":{"sessionId":"session-1","prompt":[{"type":"text","text":"updates"}]}}',
  '{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"session-1"}}',
  '{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"f"}}',
  '{"jsonrpc":"2.0","id":"f","method":"proxy/successor","params":{"method":"session/new","params":null}}',
  '{"jsonrpc":"2.0","method":"_proxy/successor","params":{"method":"$/cancel_request","params":{"requestId":1}}}',
  '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"x"}}}}',
  '{"jsonrpc":"2.0","id":1,"result":{"agentCapabilities":{"mcpCapabilities":{"http":true}}}}',
  '{"jsonrpc":"2.0","id":2,"error":{"code":-32600,"message":"m"}}',
  '{"jsonrpc":"2.0","id":"f","method":"mcp/message","params":{"serverId":"s","requestId":"r","method":"tools/list"}}',
);
const line = fc
  .oneof(sample, sample.chain(mutated), sample.chain(mutated), fc.string({ unit: "binary" }), jsonText)
  .map((text) => text.replaceAll("\n", " "));
const lines = fc.array(line, { maxLength: 12 });

/** A stage whose client writes raw lines and counts the answers to requests of its own. */
function rawClient(stage: Stage): { send(line: string): void; answers(id: string): number } {
  const answers: unknown[] = [];
  const server: Connection = new Connection({
    send: (text) => answers.push((JSON.parse(text) as { id?: unknown }).id),
    inbound: stage.conductor.fromClient,
    answersGarbage: true,
  });
  return {
    send: (text) => server.receive(text),
    answers: (id) => answers.filter((answered) => answered === id).length,
  };
}

describe("a Conductor under any input", () => {
  it("answers every well-formed request of its client once, whatever else the client writes", async () => {
    await fc.assert(
      fc.asyncProperty(lines, async (given) => {
        await using stage = new Stage({
          agent: new ScriptedAgent(),
          proxies: [passThrough(), wireProxy("current"), shouting()],
        });
        const client = rawClient(stage);
        client.send('{"jsonrpc":"2.0","id":"first","method":"initialize","params":{"protocolVersion":1}}');
        for (const [index, text] of given.entries()) {
          client.send(text);
          client.send(`{"jsonrpc":"2.0","id":"ours-${index}","method":"_test/echo","params":{}}`);
        }
        for (let turn = 0; turn < 3; turn++) await settled();
        const counts = [client.answers("first"), ...given.map((_text, index) => client.answers(`ours-${index}`))];
        assert.deepEqual(
          counts,
          counts.map(() => 1),
        );
        assert.deepEqual(stage.failures, []);
      }),
      { numRuns: 60 },
    );
  });

  for (const [name, chain] of [
    ["agent", (fuzz: Program) => ({ agent: fuzz, proxies: [passThrough(), wireProxy("legacy"), shouting()] })],
    ["proxy-1", (fuzz: Program) => ({ agent: new ScriptedAgent(), proxies: [fuzz, shouting()] })],
  ] as const) {
    it(`stands what its ${name} writes, and answers every request once when that is gone`, async () => {
      await fc.assert(
        fc.asyncProperty(lines, async (given) => {
          await using stage = new Stage(chain(listener([])));
          const requests = ["initialize", "session/new", "_vendor/x"].map((method) => ({ method, answers: 0 }));
          for (const request of requests) void stage.ask(request.method, {}).then(() => request.answers++);
          await settled();
          for (const text of given) {
            stage.process(name).far.send(text);
            await settled();
          }
          stage.process(name).exit({ code: 1 });
          await settled();
          assert.deepEqual(
            [requests.map(({ answers }) => answers), stage.failures.map(({ component }) => component)],
            [[1, 1, 1], [name]],
          );
        }),
        { numRuns: 60 },
      );
    });
  }
});
