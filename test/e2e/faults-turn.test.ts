import assert from "node:assert/strict";
import { conductorWords, shellWords } from "../support/conductor-command.js";
import { agentText, dialects, proxyText } from "../support/scripted-programs.js";
import { failureOf, StartedCommand } from "../support/started-command.js";
import { skipBecause, useTestScope } from "../support/test-scope.js";

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
    assert.match(String(message), /was ended by SIGKILL/);
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
