import assert from "node:assert/strict";
import { RecordingPeer } from "@symposium-dev/core/testing";
import { Outcome } from "@symposium-dev/core";
import { objectOf } from "../../support/json.js";
import { type Requirement, saidLines } from "../requirement.js";

/** Lines that are no messages, with the code and the id that they are answered with. */
const badLines: readonly (readonly [line: string, code: number, id: unknown])[] = [
  ["not json", -32700, null],
  ['{"jsonrpc":"2.0","id":1,"method":"_test/echo"', -32700, null],
  ['{"jsonrpc":"2.0","id":1,"method":"_test/echo","params":{]}}', -32700, null],
  ["[]", -32600, null],
  ['[{"jsonrpc":"2.0","id":1,"method":"_test/echo"}]', -32600, null],
  ['"text"', -32600, null],
  ["7", -32600, null],
  ["null", -32600, null],
  ['{"jsonrpc":"1.0","id":"old","method":"_test/echo"}', -32600, "old"],
  ['{"id":"none","method":"_test/echo"}', -32600, "none"],
  ['{"jsonrpc":"2.0","id":"number","method":5}', -32600, "number"],
  ['{"jsonrpc":"2.0","id":"scalar","method":"_test/echo","params":"text"}', -32600, "scalar"],
  ['{"jsonrpc":"2.0","id":"nothing"}', -32600, "nothing"],
];

/** JSON texts of ids, which come back as they are spelled. */
const ids = ["0", "-1", "1.5", "9007199254740993", '""', '"a-b"', '"\\u00e9 \\"quoted\\""', '"7"', "null"];

/** JSON-RPC itself. */
export const wire: readonly Requirement[] = [
  {
    id: "ACP-RPC-001",
    tier: "mandatory",
    title: "answers what is no message with -32700 or -32600, and stays usable",
    async check(client) {
      await client.initialize();
      for (const [line, code, id] of badLines) {
        const answer = objectOf(JSON.parse(await client.exchange(line, id)));
        assert.equal(objectOf(answer["error"])["code"], code, line);
      }
      assert.equal((await client.request("_test/echo", { usable: true })).text, '{"usable":true}');
    },
  },
  {
    id: "ACP-RPC-002",
    tier: "mandatory",
    title: "answers ids of every kind as they are spelled",
    async check(client) {
      await client.initialize();
      for (const id of ids) {
        const line = `{"jsonrpc":"2.0","id":${id},"method":"_test/echo","params":{"spelled":1.0}}`;
        const answer = await client.exchange(line, JSON.parse(id));
        assert.equal(answer, `{"jsonrpc":"2.0","id":${id},"result":{"spelled":1.0}}`);
      }
    },
  },
  {
    id: "ACP-RPC-003",
    tier: "mandatory",
    title: "takes lines that end with CR LF, blank lines, and lines that come in pieces",
    async check(client) {
      await client.initialize();
      const line = '{"jsonrpc":"2.0","id":"pieces","method":"_test/echo","params":{"text":"é🦀"}}';
      const answer = client.exchange("\r\n\n", "pieces");
      for (const byte of Buffer.from(`${line}\r\n`)) client.write(Buffer.of(byte));
      assert.match(await answer, /"text":"é🦀"/);
    },
  },
  {
    id: "ACP-RPC-004",
    tier: "mandatory",
    title: "ignores answers to requests that it never sent",
    async check(client) {
      await client.initialize();
      client.send('{"jsonrpc":"2.0","id":"unasked","result":{}}');
      client.send('{"jsonrpc":"2.0","id":4711,"error":{"code":1,"message":"unasked"}}');
      assert.equal((await client.request("_test/echo", { usable: true })).text, '{"usable":true}');
    },
  },
  {
    id: "ACP-RPC-005",
    tier: "mandatory",
    title: "answers 500 requests that are open at once, each with its own answer",
    async check(client) {
      await client.initialize();
      const numbers = Array.from({ length: 500 }, (_, index) => index);
      const answers = await Promise.all(numbers.map((number) => client.request("_test/echo", { number })));
      assert.deepEqual(
        answers.map(({ text }) => text),
        numbers.map((number) => `{"number":${number}}`),
      );
    },
  },
  {
    id: "ACP-RPC-006",
    tier: "mandatory",
    title: "keeps sessions apart whose turns run at once",
    async check(client) {
      const sessionIds = await Promise.all(Array.from({ length: 5 }, () => client.newSession()));
      const turns = sessionIds.map((id) =>
        client.prompt(id, `echo ${id}`, "stream 50 20", "permission allow", `echo ${id}`),
      );
      const answers = await Promise.all(turns);
      assert.deepEqual(
        answers.map(({ text }) => text),
        sessionIds.map(() => '{"stopReason":"end_turn"}'),
      );
      for (const id of sessionIds)
        assert.deepEqual(
          saidLines(client, id).filter((line) => line === id),
          [id, id],
        );
    },
  },
  {
    id: "ACP-RPC-007",
    tier: "mandatory",
    title: "gives the agent the answers of the client, whatever their order",
    async check(client) {
      const sessionIds = await Promise.all(Array.from({ length: 4 }, () => client.newSession()));
      const peer = new RecordingPeer({ "_test.example/question": () => undefined });
      client.peer = peer;
      const turns = sessionIds.map((id) => client.prompt(id, "callbacks"));
      while (peer.open.length < sessionIds.length) await client.request("_test/echo", {});
      for (const { request, reply } of [...peer.open].reverse()) {
        reply(Outcome.of({ for: request.params?.object?.["sessionId"] }));
      }
      await Promise.all(turns);
      const said = sessionIds.map((id) => saidLines(client, id));
      assert.deepEqual(
        said,
        sessionIds.map((id) => [`_test.example/question result {"for":"${id}"}`]),
      );
    },
  },
];
