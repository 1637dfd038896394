import assert from "node:assert/strict";
import { agentText, dialects, proxyText } from "../support/scripted-programs.js";
import { failureOf, StartedCommand } from "../support/started-command.js";
import { useTestScope } from "../support/test-scope.js";

const failed = { code: 1, signal: null };

describe("a component that does not start", () => {
  const scope = useTestScope();
  const runWith = (...words: readonly string[]) => StartedCommand.start(scope(), ["run-with", ...words]);

  it("is named with its command and the next step when the agent's program does not exist", async () => {
    const started = await runWith("--agent", "no-such-agent --acp");
    const { message, data } = failureOf(await started.client.initialize());
    assert.match(String(message), /"?no-such-agent"? could not be started \(ENOENT\)\. "no-such-agent" is not on PATH/);
    const { component, exitCode, signal, startError, stderr } = data;
    assert.deepEqual(
      { component, exitCode, signal, startError, stderr },
      { component: "no-such-agent", exitCode: null, signal: null, startError: "ENOENT", stderr: "" },
    );
    assert.match(String(data["hint"]), /is not on PATH: install it/);
    await started.endsCleanly(failed);
    assert.match(started.client.child.stderrTail, /no-such-agent/);
  });

  it("is named when a proxy's program does not exist, and the agent ends with the chain", async () => {
    const proxies = ["--proxy", proxyText("current"), "--proxy", "./no-such-proxy x"];
    const started = await runWith(...proxies, "--agent", agentText("--ignore-eof"));
    const { data } = failureOf(await started.client.initialize());
    assert.match(String(data["component"]), /no-such-proxy/);
    assert.equal(data["startError"], "ENOENT");
    await started.endsCleanly(failed);
  });

  for (const proxies of [[], ...dialects.map((dialect) => [dialect])]) {
    it(`tells exit code and stderr of an agent that exits at once, behind ${proxies.join() || "no"} proxy`, async () => {
      const chain = proxies.flatMap((dialect) => ["--proxy", proxyText(dialect)]);
      const started = await runWith(...chain, "--agent", agentText("--die-at-initialize", "7"));
      const initialized = started.client.initialize();
      const eager = started.client.request("session/new", { cwd: "/", mcpServers: [] });
      for (const answer of [await initialized, await eager]) {
        const { message, data } = failureOf(answer);
        assert.match(String(message), /exited with code 7/);
        assert.deepEqual([data["exitCode"], data["signal"]], [7, null]);
        assert.match(String(data["stderr"]), /scripted death at initialize/);
      }
      await started.endsCleanly(failed);
    });
  }

  it("says which program is no proxy when an agent stands in a proxy's place", async () => {
    const started = await runWith("--proxy", agentText(), "--agent", agentText());
    const { message } = failureOf(await started.client.initialize());
    assert.match(String(message), /is not an ACP proxy/);
    started.client.endInput();
    await started.endsCleanly({ code: 0, signal: null });
  });

  it("is given up after startupTimeoutMs when it never answers initialize", async () => {
    const config = JSON.stringify({ agent: agentText("--never-answer"), proxies: [], startupTimeoutMs: 1000 });
    const started = await StartedCommand.start(scope(), ["run"], { config });
    const { message, data } = failureOf(await started.client.initialize());
    assert.match(String(message), /did not answer initialize within 1 s\..*"startupTimeoutMs" in config\.jsonc/);
    assert.equal(data["startupTimeoutMs"], 1000);
    await started.endsCleanly(failed);
  });
});
