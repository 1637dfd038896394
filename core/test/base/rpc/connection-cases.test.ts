import assert from "node:assert/strict";
import { Connection } from "../../../src/base/rpc/connection.js";
import { type Outcome, Request } from "../../../src/base/rpc/message.js";
import type { Peer } from "../../../src/base/rpc/peer.js";

const deaf: Peer = { request: () => () => undefined, notify: () => undefined };

describe("Connection at the edges of the wire", () => {
  for (const answersGarbage of [true, false]) {
    it(`survives a method name with an escape that JSON does not have (answersGarbage: ${answersGarbage})`, () => {
      const sent: string[] = [];
      const skipped: string[] = [];
      const connection = new Connection({
        send: (line) => sent.push(line),
        inbound: deaf,
        answersGarbage,
        onSkipped: (reason) => skipped.push(reason),
      });
      connection.receive('{"jsonrpc":"2.0","id":1,"method":"session\\x2fnew","params":{}}');
      assert.deepEqual(
        { answers: sent.length, skipped: skipped.length },
        { answers: answersGarbage ? 1 : 0, skipped: 1 },
      );
    });
  }

  it("cancels by requestId when the parameters have a member named id too", () => {
    let isCancelled = false;
    const connection = new Connection({
      send: () => undefined,
      inbound: { request: () => () => (isCancelled = true), notify: () => undefined },
      answersGarbage: false,
    });
    connection.receive('{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{}}');
    connection.receive('{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":3,"id":"trace-7"}}');
    assert.equal(isCancelled, true);
  });

  it("takes an answer with a result and a null error as a result", () => {
    const outcomes: Outcome[] = [];
    const connection = new Connection({ send: () => undefined, inbound: deaf, answersGarbage: false });
    connection.request(Request.of("initialize", {}), (outcome) => outcomes.push(outcome));
    connection.receive('{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1},"error":null}');
    assert.deepEqual(
      outcomes.map((outcome) => [outcome.isError, outcome.json.text]),
      [[false, '{"protocolVersion":1}']],
    );
  });
});
