import assert from "node:assert/strict";
import { scriptedClient } from "@symposium-dev/core/testing";
import { type Requirement, transcript } from "../requirement.js";

/** Parameters that come back byte for byte. */
const texts: Readonly<Record<string, string>> = {
  "64-bit integers": '{"u64":18446744073709551615,"i64":-9223372036854775808,"more":123456789012345678901234567890}',
  "spellings of numbers": '{"a":1.0,"b":1E3,"c":1e-7,"d":0.10,"e":-0,"f":-0.0e+10}',
  "escapes and unicode": '{"a":"\\u00e9\\/\\ud83d\\ude00","b":"é 漢字 🦀","c":"\\u0000\\ud800","\\u0061b":"\\\\\\""}',
  "white space": ' {  "a"\t: [ 1 , 2 ] , "b" : { } } '.trim(),
  "members twice, empty names and envelope names":
    '{"a":1,"a":2,"":0,"id":7,"method":"m","params":{"id":8},"result":null,"error":null}',
  "null, empty and nested members": '{"a":null,"b":[],"c":{},"d":[[[{"e":[null,false,true,""]}]]]}',
  depth: `${'{"a":['.repeat(400)}0${"]}".repeat(400)}`,
  "an array": "[1.0,null,{}]",
  _meta: '{"_meta":{"test.example/a":{"b":1.0},"progressToken":1}}',
};

const tenMegabytes = 10 * 1024 * 1024;

/** Requirements that a chain forwards JSON unchanged if it doesn't have to read it. */
export const rawJson: readonly Requirement[] = [
  ...Object.entries(texts).map(([name, text], index): Requirement => ({
    id: `ACP-RAW-${String(index + 1).padStart(3, "0")}`,
    tier: "mandatory",
    title: `carries parameters and results byte for byte: ${name}`,
    async check(client) {
      await client.initialize();
      assert.equal((await client.request("_test/echo", text)).text, text);
    },
  })),
  {
    id: "ACP-RAW-020",
    tier: "mandatory",
    title: "carries what some readers take for the end of a line as the same JSON: \\r, U+2028 and U+2029",
    async check(client) {
      await client.initialize();
      const text = '{"a":\r"line\u2028separator","b":"paragraph\u2029separator"}';
      assert.deepEqual(JSON.parse((await client.request("_test/echo", text)).text), JSON.parse(text));
    },
  },
  {
    id: "ACP-RAW-021",
    tier: "mandatory",
    title: "carries numbers of updates and results as they are spelled",
    async check(client) {
      const sessionId = await client.newSession();
      const { text } = await client.prompt(sessionId, "numbers");
      assert.match(
        text,
        /"u64":18446744073709551615,"i64":-9223372036854775808,"float":1\.0,"exponent":1E3,"small":0\.10/,
      );
      assert.match(transcript(client, sessionId).join(), /"used":1\.0,"size":18446744073709551615/);
    },
  },
  {
    id: "ACP-RAW-022",
    tier: "mandatory",
    title: "carries requests without parameters",
    async check(client) {
      await client.initialize();
      assert.equal((await client.request("_test/echo")).text, "null");
      assert.ok((await client.receivedByAgent()).includes('{"kind":"request","method":"_test/echo"}'));
    },
  },
  {
    id: "ACP-RAW-023",
    tier: "mandatory",
    title: "knows a method that is written with escapes",
    async check(client) {
      await client.initialize();
      const line = '{"jsonrpc":"2.0","id":"escaped","m\\u0065thod":"_te\\u0073t/echo","params":{"a":1.0}}';
      assert.match(await client.exchange(line, "escaped"), /"result":\{"a":1\.0\}/);
    },
  },
  {
    id: "ACP-RAW-024",
    tier: "mandatory",
    title: "carries a request and a result of 10 MB",
    async check(client) {
      await client.initialize();
      const params = JSON.stringify({ text: "x".repeat(tenMegabytes) });
      const { text } = await client.request("_test/echo", params);
      assert.ok(text === params, `${text.length} characters came back`);
    },
  },
  {
    id: "ACP-RAW-025",
    tier: "mandatory",
    title: "carries an update and a request to the client of 10 MB",
    async check(client) {
      const sessionId = await client.newSession();
      client.peer = scriptedClient({ answers: { "_test.example/large": { size: "large" } } });
      await client.prompt(sessionId, `oversize ${tenMegabytes} update`, `oversize ${tenMegabytes} request`);
      const sizes = client.peer.received.map(({ params }) => Math.round((params?.text.length ?? 0) / 1024 / 1024));
      assert.deepEqual(sizes, [10, 10, 0]);
    },
  },
];
