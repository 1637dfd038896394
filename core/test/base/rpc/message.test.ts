import assert from "node:assert/strict";
import { Frame } from "../../../src/base/rpc/frame.js";
import { Json } from "../../../src/base/rpc/json.js";
import { Notification, Outcome, Request } from "../../../src/base/rpc/message.js";
import { RpcError } from "../../../src/base/rpc/rpc-error.js";

function frame(text: string): Frame {
  const scanned = Frame.scan(text);
  assert.ok(scanned);
  return scanned;
}

describe("Request and Notification", () => {
  it("are written anew when they were made here", () => {
    assert.deepEqual(
      [
        Request.of("m", { a: 1 }).textWithId('"x"'),
        new Request("m").textWithId("1"),
        Notification.of("n", null).text,
        new Notification('a"b', Json.ofText("[1.0]")).text,
      ],
      [
        '{"jsonrpc":"2.0","id":"x","method":"m","params":{"a":1}}',
        '{"jsonrpc":"2.0","id":1,"method":"m"}',
        '{"jsonrpc":"2.0","method":"n","params":null}',
        '{"jsonrpc":"2.0","method":"a\\"b","params":[1.0]}',
      ],
    );
  });

  it("keep their text, unknown members included, when they came over the wire", () => {
    const text = '{"x":[1.0],"id":1,"method":"m","params":{"a" : 18446744073709551615}}';
    const request = new Request("m", undefined, frame(text));
    assert.deepEqual(
      [request.textWithId('"y"'), request.params?.text, new Notification("m", undefined, frame(text)).text],
      ['{"x":[1.0],"id":"y","method":"m","params":{"a" : 18446744073709551615}}', '{"a" : 18446744073709551615}', text],
    );
  });

  it("tell null parameters from none", () => {
    assert.deepEqual(
      ['{"method":"m","params":null}', '{"method":"m"}'].map(
        (text) => new Notification("m", undefined, frame(text)).params?.text,
      ),
      ["null", undefined],
    );
  });
});

describe("Outcome", () => {
  it("is written with the id it answers", () => {
    assert.deepEqual(
      [
        Outcome.of(null).textWithId("1"),
        Outcome.result(Json.ofText("1.0")).textWithId('"a"'),
        Outcome.error(new RpcError(-1, "no", { a: 1 })).textWithId("null"),
        Outcome.errorJson(Json.ofText('{"code":-1}')).textWithId("2"),
      ],
      [
        '{"jsonrpc":"2.0","id":1,"result":null}',
        '{"jsonrpc":"2.0","id":"a","result":1.0}',
        '{"jsonrpc":"2.0","id":null,"error":{"code":-1,"message":"no","data":{"a":1}}}',
        '{"jsonrpc":"2.0","id":2,"error":{"code":-1}}',
      ],
    );
  });

  it("keeps the text of a response, extra members included", () => {
    const outcome = Outcome.ofFrame(frame('{"id":7,"error":{"code":1.0,"message":"m","data":null},"trace":"t"}'));
    assert.deepEqual(
      [outcome.isError, outcome.json.text, outcome.textWithId("8")],
      [
        true,
        '{"code":1.0,"message":"m","data":null}',
        '{"id":8,"error":{"code":1.0,"message":"m","data":null},"trace":"t"}',
      ],
    );
  });

  it("is a result where a response has one beside a null error", () => {
    const outcomes = [
      '{"id":1,"result":{"a":1},"error":null}',
      '{"id":1,"result":null,"error":{"code":1}}',
      '{"id":1,"error":null}',
    ].map((text) => Outcome.ofFrame(frame(text)));
    assert.deepEqual(
      outcomes.map(({ isError, json }) => [isError, json.text]),
      [
        [false, '{"a":1}'],
        [true, '{"code":1}'],
        [true, "null"],
      ],
    );
  });
});
