import assert from "node:assert/strict";
import { Json, Outcome } from "@symposium-dev/core";
import { scriptedClient, type ScriptedClientOptions } from "@symposium-dev/core/testing";
import type { RawClient } from "../../support/raw-client.js";
import { type Requirement, saidLines, transcript } from "../requirement.js";

/** Runs one command with a client that answers in this way; returns what the agent said of the answers. */
async function lines(
  client: RawClient,
  command: string,
  options: ScriptedClientOptions = {},
): Promise<readonly string[]> {
  const sessionId = await client.newSession();
  client.peer = scriptedClient(options);
  await client.prompt(sessionId, command);
  return saidLines(client, sessionId);
}

const permissions = [
  ["allow_once", "option-3"],
  ["allow_always", "option-1"],
  ["reject_once", "option-2"],
  ["reject_always", "option-4"],
] as const;

const oddResult = '{ "n":18446744073709551615, "f":1.0,"u":"\\u00e9","nested":{"a":[null,{}]},"a":1,"a":2 }';
const oddError = '{"code":-32002,"message":"Resource not found","data":{"path":"/x","n":1E3},"extra":1.0}';

/** Requirements for the agent's requests to the client. */
export const clientCalls: readonly Requirement[] = [
  ...permissions.map(([kind, optionId], index): Requirement => ({
    id: `ACP-PERMISSION-00${index + 1}`,
    tier: "mandatory",
    title: `asks for permission and gets the choice ${kind}`,
    async check(client) {
      const said = await lines(client, "permission", { permits: kind });
      const result = `{"outcome":{"outcome":"selected","optionId":"${optionId}"}}`;
      assert.deepEqual(said, [`session/request_permission result ${result}`]);
    },
  })),
  {
    id: "ACP-PERMISSION-005",
    tier: "mandatory",
    title: "asks for permission and hears that the client cancelled",
    async check(client) {
      const said = await lines(client, "permission", { permits: "cancelled" });
      assert.deepEqual(said, ['session/request_permission result {"outcome":{"outcome":"cancelled"}}']);
    },
  },
  {
    id: "ACP-PERMISSION-006",
    tier: "mandatory",
    title: "shows the tool call and all options as the agent wrote them",
    async check(client) {
      const sessionId = await client.newSession();
      await client.prompt(sessionId, "permission allow");
      return transcript(client, sessionId);
    },
  },
  {
    id: "ACP-FS-001",
    tier: "capability",
    title: "reads and writes files of the client",
    async check(client) {
      const files = new Map([["/project/in.txt", "some text\n"]]);
      const said = await lines(client, "fs /project/in.txt /project/out.txt", { files });
      assert.deepEqual(said, ['fs/read_text_file result {"content":"some text\\n"}', "fs/write_text_file result {}"]);
      assert.equal(files.get("/project/out.txt"), "SOME TEXT\n");
    },
  },
  {
    id: "ACP-FS-002",
    tier: "capability",
    title: "gives the agent the client's error byte for byte",
    async check(client) {
      const answers = { "fs/read_text_file": Outcome.errorJson(Json.ofText(oddError)) };
      const said = await lines(client, "fs /x /y", { answers });
      assert.equal(said[0], `fs/read_text_file error ${oddError}`);
    },
  },
  {
    id: "ACP-TERMINAL-001",
    tier: "capability",
    title: "runs a terminal of the client from its creation to its release",
    async check(client) {
      const sessionId = await client.newSession();
      await client.prompt(sessionId, "terminal node --version");
      const methods = client.peer.received.filter(({ kind }) => kind === "request").map(({ method }) => method);
      const calls = ["create", "output", "wait_for_exit", "output", "kill", "release"];
      assert.deepEqual(
        methods,
        calls.map((call) => `terminal/${call}`),
      );
      return transcript(client, sessionId);
    },
  },
  ...["accept", "decline", "cancel"].map((action, index): Requirement => ({
    id: `ACP-ELICITATION-00${index + 1}`,
    tier: "capability",
    title: `elicits a form and a visit, and hears ${action}`,
    async check(client) {
      const sessionId = await client.newSession();
      const answer = action === "accept" ? { action, content: { answer: "yes" } } : { action };
      client.peer = scriptedClient({ answers: { "elicitation/create": answer } });
      await client.prompt(sessionId, "elicitation");
      const said = `elicitation/create result ${JSON.stringify(answer)}`;
      assert.deepEqual(saidLines(client, sessionId), [said, said]);
      assert.ok(client.peer.methods.includes("elicitation/complete"));
      return transcript(client, sessionId);
    },
  })),
  {
    id: "ACP-EXT-001",
    tier: "mandatory",
    title: "carries unknown requests and notifications to the client, and its result back, byte for byte",
    async check(client) {
      const sessionId = await client.newSession();
      const result = Outcome.result(Json.ofText(oddResult));
      client.peer = scriptedClient({ answers: { "_test.example/question": result } });
      await client.prompt(sessionId, "callbacks");
      assert.deepEqual(saidLines(client, sessionId), [`_test.example/question result ${oddResult}`]);
      return transcript(client, sessionId);
    },
  },
  {
    id: "ACP-EXT-002",
    tier: "mandatory",
    title: "gives the agent the client's -32601 for a method that it does not know",
    async check(client) {
      const [said = ""] = await lines(client, "callbacks");
      assert.match(said, /^_test\.example\/question error \{"code":-32601,/);
      return [said];
    },
  },
  {
    id: "ACP-EXT-003",
    tier: "mandatory",
    title: "gives back the agent's -32601 for a method that it does not know",
    async check(client) {
      await client.initialize();
      const { isError, text } = await client.request("_vendor.example/unknown", { a: 1 });
      assert.equal(isError, true);
      assert.match(text, /^\{"code":-32601,/);
      return [text];
    },
  },
  {
    id: "ACP-EXT-004",
    tier: "mandatory",
    title: "carries unknown notifications to the agent byte for byte, in order with requests",
    async check(client) {
      await client.initialize();
      client.notify("_vendor.example/remark", oddResult);
      client.notify("unknown/without-params");
      const received = await client.receivedByAgent();
      const first = `{"kind":"notification","method":"_vendor.example/remark","params":${oddResult}}`;
      assert.ok(received.includes(`${first},{"kind":"notification","method":"unknown/without-params"}`));
    },
  },
];
