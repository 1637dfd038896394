import assert from "node:assert/strict";
import { scriptedClient } from "@symposium-dev/core/testing";
import { objectOf } from "../support/json.js";
import { agentText, proxyText } from "../support/scripted-programs.js";
import { failureOf, StartedCommand } from "../support/started-command.js";
import { useTestScope } from "../support/test-scope.js";

const left = { code: 0, signal: null };
const limit = 100_000;
const excess = 200_000;

describe("a component that breaks the rules of the wire", () => {
  const scope = useTestScope();
  const run = (settings: object) =>
    StartedCommand.start(scope(), ["run"], {
      config: JSON.stringify({ agent: agentText(), proxies: [], ...settings }),
    });

  it("has its lines skipped that are no messages", async () => {
    const started = await run({});
    const { client } = started;
    const { text } = await client.prompt(await client.newSession(), "garbage");
    assert.equal(text, '{"stopReason":"end_turn"}');
    assert.equal(client.peer.text, "before the garbage\nafter the garbage\n");
    client.endInput();
    await started.endsCleanly(left);
  });

  it("has a result over the limit replaced with an error that names the setting", async () => {
    const started = await run({ maxMessageBytes: limit });
    const { client } = started;
    const sessionId = await client.newSession();
    const { isError, text } = await client.prompt(sessionId, `oversize ${excess} result`);
    assert.equal(isError, true);
    assert.match(text, /exceeds the limit of 100000\. Raise \\"maxMessageBytes\\" in config\.jsonc/);
    assert.equal((await client.prompt(sessionId, "echo goes on")).text, '{"stopReason":"end_turn"}');
    client.endInput();
    await started.endsCleanly(left);
  });

  it("has its request over the limit refused, an update over the limit left out, and goes on", async () => {
    const started = await run({ maxMessageBytes: limit });
    const { client } = started;
    client.peer = scriptedClient({ answers: { "_test.example/large": {} } });
    const commands = [`oversize ${excess} update`, `oversize ${excess} request`, "echo goes on"];
    const { text } = await client.prompt(await client.newSession(), ...commands);
    assert.equal(text, '{"stopReason":"end_turn"}');
    assert.match(client.peer.text, /^_test\.example\/large error .*exceeds the limit of 100000.*\ngoes on\n$/);
    assert.equal(client.peer.methods.includes("_test.example/large"), false);
    client.endInput();
    await started.endsCleanly(left);
  });

  it("does not get a message of the editor over the limit, which is answered", async () => {
    const started = await run({ maxMessageBytes: limit });
    const { client } = started;
    await client.initialize();
    const { value } = await client.request("_test/echo", { text: "x".repeat(excess) });
    assert.equal(objectOf(value)["code"], -32600);
    assert.match(String(objectOf(value)["message"]), /exceeds the limit of 100000/);
    assert.equal((await client.request("_test/echo", { usable: true })).text, '{"usable":true}');
    client.endInput();
    await started.endsCleanly(left);
  });
});

describe("a component that stops reading", () => {
  const scope = useTestScope();
  const filler = { text: "x".repeat(1024 * 1024) };

  for (const [who, components] of [
    ["the agent", { agent: agentText(), proxies: [] }],
    ["a proxy", { agent: agentText(), proxies: [deafProxy()] }],
  ] as const) {
    it(`is given up after stallTimeoutMs when it is ${who}`, async () => {
      const config = JSON.stringify({ ...components, stallTimeoutMs: 1000 });
      const started = await StartedCommand.start(scope(), ["run"], { config });
      const { client } = started;
      await client.initialize();
      if (who === "the agent") await client.prompt(await client.newSession(), "stop_reading");
      const answers = await Promise.all([1, 2, 3].map(() => client.request("_test/echo", filler)));
      for (const answer of answers) {
        const { message, data } = failureOf(answer);
        assert.match(String(message), /has not read its input for 1 s.*"stallTimeoutMs" in config\.jsonc/);
        assert.equal(data["stalledMs"], 1000);
      }
      await started.endsCleanly({ code: 1, signal: null });
    });
  }
});

/** An entry of config.jsonc for a proxy that takes nothing after initialize. */
function deafProxy(): object {
  const [command = "", ...args] = proxyText("current", "--stop-reading").split(" ");
  return { name: "deaf", enabled: true, distribution: { local: { command, args } } };
}
