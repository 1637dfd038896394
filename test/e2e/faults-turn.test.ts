import assert from "node:assert/strict";
import { conductorWords, shellWords } from "../support/conductor-command.js";
import { agentText, dialects, proxyText } from "../support/scripted-programs.js";
import { failureOf, StartedCommand } from "../support/started-command.js";
import { skipBecause, useTestScope } from "../support/test-scope.js";
import { scriptedClient } from "@symposium-dev/core/testing";
import { objectOf } from "../support/json.js";

const crashingProxy = proxyText("mid", "--crash-on", "session/prompt");
const nestedText = shellWords([...conductorWords, "run-with", "--proxy", crashingProxy]);
const failed = { code: 1, signal: null };

describe("a component that ends in the middle of a turn", () => {
  const scope = useTestScope();
  const runWith = (...words: readonly string[]) => StartedCommand.start(scope(), ["run-with", ...words]);

  it("has every open request answered once, with its exit code and the end of its stderr", async () => {
    const { client, command } = await parts(runWith("--agent", agentText()));
    const [one, other] = [await client.newSession(), await client.newSession()];
    const waiting = client.prompt(other, "wait_for_cancel");
    // Prompts of two sessions may reach the agent in any order.
    await client.peer.waitFor("session/update");
    const crashing = client.prompt(one, "stderr the last words", "echo before", "crash 3");
    for (const answer of [await crashing, await waiting]) {
      const { message, data } = failureOf(answer);
      assert.match(String(message), /exited with code 3/);
      assert.deepEqual([data["component"], data["exitCode"], data["signal"]], ["agent-main", 3, null]);
      assert.match(String(data["stderr"]), /the last words\nscripted crash with code 3/);
    }
    assert.equal(client.peer.text, "waiting\nbefore\n");
    await command.endsCleanly(failed);
  });

  it("is named with the signal that ended it", async function () {
    if (process.platform !== "linux") skipBecause(this, "the process is found in /proc");
    const { client, command } = await parts(runWith("--proxy", proxyText("mid"), "--agent", agentText()));
    const sessionId = await client.newSession();
    const waiting = client.prompt(sessionId, "wait_for_cancel");
    await client.peer.waitFor("session/update");
    const [agent, ...others] = await command.processes(/^\S*node \S*agent-main\.js/);
    assert.ok(agent !== undefined && others.length === 0);
    process.kill(agent, "SIGKILL");
    const { message, data } = failureOf(await waiting);
    assert.match(String(message), /was stopped by SIGKILL/);
    assert.deepEqual([data["exitCode"], data["signal"]], [null, "SIGKILL"]);
    await command.endsCleanly(failed);
  });

  for (const dialect of dialects) {
    for (const position of [0, 1, 2]) {
      it(`is named when it is proxy ${position + 1} of 3, a ${dialect} one`, async () => {
        const chain = [0, 1, 2].flatMap((place) => [
          "--proxy",
          place === position ? proxyText(dialect, "--crash-on", "session/prompt") : proxyText(dialect),
        ]);
        const { client, command } = await parts(runWith(...chain, "--agent", agentText()));
        const { message, data } = failureOf(await client.prompt(await client.newSession(), "wait_for_cancel"));
        const name = ["proxy-main", "proxy-main (2)", "proxy-main (3)"][position];
        assert.equal(data["component"], name);
        assert.ok(String(message).replaceAll('"', "").startsWith(`${name} exited with code 9`), String(message));
        assert.equal(data["exitCode"], 9);
        assert.match(String(data["stderr"]), /scripted crash on session\/prompt/);
        await command.endsCleanly(failed);
      });
    }
  }

  it("is named when a proxy exits on a message from the agent", async () => {
    const chain = ["--proxy", proxyText("legacy"), "--proxy", proxyText("current", "--crash-on", "session/update")];
    const { client, command } = await parts(runWith(...chain, "--agent", agentText()));
    const { data } = failureOf(await client.prompt(await client.newSession(), "stream 100 40", "wait_for_cancel"));
    assert.equal(data["exitCode"], 9);
    await command.endsCleanly(failed);
  });

  for (const [how, command] of [
    ["exits with 0 and says nothing", "exit_silently"],
    ["exits after half a line", "truncated"],
  ] as const) {
    it(`fails the turn when it ${how}`, async () => {
      const { client, command: started } = await parts(runWith("--agent", agentText()));
      const { message, data } = failureOf(await client.prompt(await client.newSession(), "echo before", command));
      assert.match(String(message), /exited with code 0/);
      assert.equal(data["exitCode"], 0);
      assert.equal(client.peer.text, "before\n");
      await started.endsCleanly(failed);
    });
  }

  it("fails the turn when the end of the chain is reached through another conductor", async () => {
    const { client, command } = await parts(runWith("--proxy", nestedText, "--agent", agentText()));
    const { data } = failureOf(await client.prompt(await client.newSession(), "wait_for_cancel"));
    assert.match(String(data["stderr"]), /scripted crash on session\/prompt/);
    await command.endsCleanly(failed);
  });
});

async function parts(starting: Promise<StartedCommand>) {
  const command = await starting;
  return { command, client: command.client };
}

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
