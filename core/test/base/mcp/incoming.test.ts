import assert from "node:assert/strict";
import { answerLine, readIncoming } from "../../../src/base/mcp/mcp-endpoint.js";
import { mcpError, mcpResult } from "../../../src/base/mcp/mcp-server.js";

describe("readIncoming", () => {
  /** The kind, and what of the text it keeps. */
  function read(text: string): readonly unknown[] {
    const received = readIncoming(text);
    if (received.kind === "answer") return [received.kind];
    if (received.kind === "fault") return [received.kind, received.id, received.outcome.json.object?.["code"]];
    const { method, id, params } = received.call;
    return [received.kind, method, id, params?.text];
  }

  it("keeps ids and parameters as they were written", () => {
    assert.deepEqual(
      [read('{"id":1.0,"method":"m","params":{"a":1.0}}'), read(' {"method":"n"}\n'), read('{"id":1,"result":1}')],
      [["call", "m", "1.0", '{"a":1.0}'], ["call", "n", undefined, undefined], ["answer"]],
    );
  });

  it("has a fault to answer for whatever is no message, also where only the parameters are no JSON", () => {
    const texts = [
      "{",
      "[]",
      "1",
      '{"id":1}',
      '{"id":1,"method":2}',
      '{"id":1,"method":"m","params":{x}}',
      '{"id":1e}',
    ];
    assert.deepEqual(texts.map(read), [
      ["fault", "null", -32700],
      ["fault", "null", -32600],
      ["fault", "null", -32600],
      ["fault", "1", -32600],
      ["fault", "1", -32600],
      ["fault", "null", -32700],
      ["fault", "null", -32700],
    ]);
  });
});

describe("answerLine", () => {
  it("repeats the id as it was written", () => {
    assert.deepEqual(
      [answerLine("1.0", mcpResult(null)), answerLine('"a"', mcpError(1, "m"))],
      ['{"jsonrpc":"2.0","id":1.0,"result":null}', '{"jsonrpc":"2.0","id":"a","error":{"code":1,"message":"m"}}'],
    );
  });
});
