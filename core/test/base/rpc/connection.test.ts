import assert from "node:assert/strict";
import fc from "fast-check";
import { Json } from "../../../src/base/rpc/json.js";
import { Notification, Outcome, Request } from "../../../src/base/rpc/message.js";
import { RpcError } from "../../../src/base/rpc/rpc-error.js";
import { later, wire } from "./connection-fixture.js";
import { idText, jsonText } from "./json-text.js";

const gone = Outcome.error(RpcError.internal("gone"));

describe("Connection", () => {
  it("gives outgoing requests ids of its own and brings each answer to its request", () => {
    const { connection, sent } = wire();
    const answers: string[] = [];
    connection.request(Request.of("a", 1), (outcome) => answers.push(`a ${outcome.json.text}`));
    connection.request(Request.of("b", 2), (outcome) => answers.push(`b ${outcome.json.text}`));
    connection.receive('{"jsonrpc":"2.0","id":2,"result":null}');
    connection.receive('{"jsonrpc":"2.0","id":"1","error":{"code":1.0,"message":"m"}}');
    assert.deepEqual(
      { sent, answers },
      {
        sent: ['{"jsonrpc":"2.0","id":1,"method":"a","params":1}', '{"jsonrpc":"2.0","id":2,"method":"b","params":2}'],
        answers: ["b null", 'a {"code":1.0,"message":"m"}'],
      },
    );
  });

  it("answers with the neighbour's id as it was written, whatever it is", () => {
    fc.assert(
      fc.property(idText, jsonText, (id, result) => {
        const { connection, sent } = wire({ m: Outcome.result(Json.ofText(result)) });
        connection.receive(`{"jsonrpc":"2.0","id": ${id} ,"method":"m"}`);
        assert.deepEqual(sent, [`{"jsonrpc":"2.0","id":${id},"result":${result}}`]);
      }),
    );
  });

  it("carries requests, answers and notifications from one hop to the next with nothing changed but the id", () => {
    const near = wire();
    const far = wire({}, { inbound: near.connection });
    far.connection.receive(
      '{"id":1.0,"x":[1.0],"jsonrpc":"2.0","method":"m\\u0021","params":{"n":18446744073709551615}}',
    );
    far.connection.receive('{"method":"n","jsonrpc":"2.0","_meta":{ }}');
    near.connection.receive('{"trace":"t","id":1,"jsonrpc":"2.0","error":{"code":-7,"message":"","data":[1.0]}}');
    assert.deepEqual(
      { toAgent: near.sent, toClient: far.sent },
      {
        toAgent: [
          '{"id":1,"x":[1.0],"jsonrpc":"2.0","method":"m\\u0021","params":{"n":18446744073709551615}}',
          '{"method":"n","jsonrpc":"2.0","_meta":{ }}',
        ],
        toClient: ['{"trace":"t","id":1.0,"jsonrpc":"2.0","error":{"code":-7,"message":"","data":[1.0]}}'],
      },
    );
  });

  it("skips an answer that it does not wait for, and a second answer", () => {
    const { connection, skipped, sent } = wire();
    let answers = 0;
    connection.request(new Request("a"), () => answers++);
    for (const id of ["7", "1", "1", "null"]) connection.receive(`{"jsonrpc":"2.0","id":${id},"result":1}`);
    assert.deepEqual({ answers, skipped: skipped.length, sent: sent.length }, { answers: 1, skipped: 3, sent: 1 });
  });

  it("answers a request once, however often its handler replies", () => {
    const { connection, inbound, sent } = wire({ m: later });
    connection.receive('{"jsonrpc":"2.0","id":1,"method":"m"}');
    const reply = inbound.open[0]?.reply;
    reply?.(Outcome.of("first"));
    reply?.(Outcome.of("second"));
    assert.deepEqual(sent, ['{"jsonrpc":"2.0","id":1,"result":"first"}']);
  });

  it("answers both of two requests with one id", () => {
    const { connection, inbound, sent } = wire({ m: later });
    connection.receive('{"jsonrpc":"2.0","id":null,"method":"m","params":[1]}');
    connection.receive('{"jsonrpc":"2.0","id":null,"method":"m","params":[2]}');
    for (const { request, reply } of [...inbound.open]) reply(Outcome.result(request.params ?? Json.null));
    assert.deepEqual(sent, ['{"jsonrpc":"2.0","id":null,"result":[1]}', '{"jsonrpc":"2.0","id":null,"result":[2]}']);
  });

  it("hands an answer on before notifications that came after it", () => {
    const { connection, inbound } = wire();
    const order: string[] = [];
    connection.request(new Request("a"), () => order.push(`answer after ${inbound.received.length}`));
    connection.receive('{"jsonrpc":"2.0","method":"n"}');
    connection.receive('{"jsonrpc":"2.0","id":1,"result":1}');
    connection.receive('{"jsonrpc":"2.0","method":"n"}');
    assert.deepEqual([order, inbound.received.length], [["answer after 1"], 2]);
  });
});

describe("cancellation over a Connection", () => {
  it("is sent once, with the id of this hop, and not when the answer was there first", () => {
    const { connection, sent } = wire();
    const first = connection.request(new Request("a"), () => undefined);
    const second = connection.request(new Request("b"), () => undefined);
    connection.receive('{"jsonrpc":"2.0","id":1,"result":1}');
    first();
    second();
    second();
    connection.receive('{"jsonrpc":"2.0","id":2,"result":1}');
    second();
    assert.deepEqual(sent.slice(2), ['{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":2}}']);
  });

  it("reaches the request that it names and goes no further", () => {
    const { connection, inbound } = wire({ a: later, b: later });
    const cancel = (params: string): void =>
      connection.receive(`{"jsonrpc":"2.0","method":"$/cancel_request"${params}}`);
    connection.receive('{"jsonrpc":"2.0","id":"x\\u0031","method":"a"}');
    connection.receive('{"jsonrpc":"2.0","id":1,"method":"b"}');
    cancel(',"params":{"requestId":2}');
    cancel(',"params":{"_meta":{"requestId":1},"id":1,"requestId" : "x\\u0031"}');
    cancel(',"params":{}');
    cancel("");
    inbound.open[0]?.reply(Outcome.of(1));
    cancel(',"params":{"requestId":"x\\u0031"}');
    assert.deepEqual(
      inbound.received.map(({ kind, method }) => [kind, method]),
      [
        ["request", "a"],
        ["request", "b"],
        ["cancel", "a"],
      ],
    );
  });

  it("is a cancellation of the next hop's own", () => {
    const near = wire();
    const far = wire({}, { inbound: near.connection });
    near.connection.request(new Request("own"), () => undefined);
    far.connection.receive('{"jsonrpc":"2.0","id":"a","method":"m"}');
    far.connection.receive('{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"a"}}');
    assert.equal(near.sent.at(-1), '{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":2}}');
  });
});

describe("the end of a Connection", () => {
  it("answers what waits and what is asked later, and cancels what the neighbour asked", () => {
    const { connection, inbound, sent } = wire({ m: later });
    const answers: string[] = [];
    connection.receive('{"jsonrpc":"2.0","id":5,"method":"m"}');
    const cancel = connection.request(new Request("a"), (outcome) => answers.push(`a ${outcome.json.text}`));
    connection.close(gone);
    connection.close(Outcome.of("again"));
    connection.request(new Request("b"), (outcome) => answers.push(`b ${outcome.json.text}`))();
    cancel();
    connection.notify(new Notification("n"));
    inbound.open[0]?.reply(Outcome.of("late"));
    connection.receive('{"jsonrpc":"2.0","id":1,"result":1}');
    connection.receive('{"jsonrpc":"2.0","id":6,"method":"m"}');
    const error = '{"code":-32603,"message":"gone"}';
    assert.deepEqual(
      { answers, sent, received: inbound.received.map(({ kind }) => kind) },
      {
        answers: [`a ${error}`, `b ${error}`],
        sent: ['{"jsonrpc":"2.0","id":1,"method":"a"}'],
        received: ["request", "cancel"],
      },
    );
  });
});
