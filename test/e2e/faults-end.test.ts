import assert from "node:assert/strict";
import { join } from "node:path";
import { agentText, dialects, proxyText } from "../support/scripted-programs.js";
import { conductorWords, shellWords } from "../support/conductor-command.js";
import { repositoryRoot } from "../support/repository.js";
import { failureOf, StartedCommand } from "../support/started-command.js";
import { skipBecause, useTestScope } from "../support/test-scope.js";
import { constants } from "node:os";

const failed = { code: 1, signal: null };
const mcpServer = join(repositoryRoot, "test", "dist", "support", "programs", "mcp-server.js");

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
    const initialized = started.client.initialize();
    const eager = started.client.request("session/new", { cwd: "/", mcpServers: [] });
    const answers = [failureOf(await initialized), failureOf(await eager)];
    for (const { message } of answers)
      assert.match(String(message), /is not an ACP proxy.*Pass an agent with --agent\./);
    await started.endsCleanly(failed);
    assert.match(started.client.child.stderrTail, /is not an ACP proxy/);
  });

  it("is said to be an MCP server where a real one is given with --agent, and where it belongs", async () => {
    const started = await runWith("--agent", shellWords(["node", mcpServer]), "--proxy", "sparkle");
    const { message } = failureOf(await started.client.initialize());
    assert.match(String(message), /is an MCP server, not an ACP agent\. Give it to the agent: in the editor's/);
    await started.endsCleanly(failed);
  });

  it("is refused by name when it is the same proxy twice", async () => {
    for (const [words, remedy] of [
      [["--proxy", "sparkle", "--proxy", "defaults"], /--proxy names "sparkle" twice\. "defaults" already includes it/],
      [["--proxy", "cargo", "--proxy", "cargo"], /--proxy names "cargo" twice\. Name each proxy once\./],
    ] as const) {
      const started = await runWith(...words, "--agent", "eliza");
      assert.deepEqual(await started.ended(), { code: 2, signal: null });
      assert.match(started.client.child.stderrTail, remedy);
    }
  });

  it("is given up after --startup-timeout, which the error names", async () => {
    const started = await runWith("--startup-timeout", "0.5", "--agent", agentText("--never-answer"));
    const { message } = failureOf(await started.client.initialize());
    assert.match(String(message), /did not answer initialize within 0\.5 s\..* or raise --startup-timeout\.$/);
    await started.endsCleanly(failed);
  });

  it("has a remedy that names where the user has written it", async () => {
    const started = await runWith("--agent", "/no/such/agent");
    const { message } = failureOf(await started.client.initialize());
    assert.match(String(message), /Correct the path in --agent\.$/);
    await started.endsCleanly(failed);
    const inVsCode = await runWith("--agent", "/no/such/agent");
    const clientInfo = { name: "symposium-vscode", version: "1" };
    const answer = await inVsCode.client.request("initialize", { protocolVersion: 1, clientInfo });
    assert.match(String(failureOf(answer).message), /Correct the path in VS Code's settings\.$/);
    await inVsCode.endsCleanly(failed);
    const config = JSON.stringify({ agent: "/no/such/agent", proxies: [] });
    const configured = await StartedCommand.start(scope(), ["run"], { config });
    assert.match(
      String(failureOf(await configured.client.initialize()).message),
      /Correct the path in config\.jsonc\.$/,
    );
    await configured.endsCleanly(failed);
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

const stubborn = ["--ignore-eof", "--ignore-sigterm"];
const stubbornProxy = ["--proxy", proxyText("mid", ...stubborn)];
const agentWithDaemon = shellWords([
  "node",
  join(repositoryRoot, "test", "dist", "support", "programs", "agent-with-daemon.js"),
  ...stubborn,
]);

describe("the end of the command", () => {
  before(function () {
    if (process.platform !== "linux") skipBecause(this, "processes are counted in /proc");
  });
  const scope = useTestScope();
  const runWith = (...words: readonly string[]) => StartedCommand.start(scope(), ["run-with", ...words]);

  it("comes with exit code 0 when the editor leaves while nothing is open", async () => {
    const started = await runWith(
      "--proxy",
      proxyText("legacy"),
      "--proxy",
      proxyText("current"),
      "--agent",
      agentText(),
    );
    await started.client.newSession();
    started.client.endInput();
    await started.endsCleanly({ code: 0, signal: null });
  });

  it("comes with exit code 0 when the editor leaves before initialize", async () => {
    const started = await runWith("--agent", agentText());
    started.client.endInput();
    await started.endsCleanly({ code: 0, signal: null });
  });

  it("comes when the editor leaves during a turn, which is answered", async () => {
    const started = await runWith("--proxy", proxyText("mid"), "--agent", agentText());
    const { client } = started;
    const turn = client.prompt(await client.newSession(), "hang");
    client.endInput();
    await started.endsCleanly({ code: 0, signal: null });
    assert.doesNotMatch((await turn).text, /never answered/);
  });

  it("ends components that ignore the end of their input and SIGTERM, and their children", async () => {
    const started = await runWith(...stubbornProxy, "--agent", agentText(...stubborn));
    const { client } = started;
    await client.prompt(await client.newSession(), "child");
    assert.match(client.peer.text, /^child \d+\n$/);
    client.endInput();
    await started.endsCleanly({ code: 0, signal: null });
  });

  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
    it(`is orderly at ${signal}, during a turn, with a daemon below the agent`, async () => {
      const started = await runWith("--proxy", proxyText("current"), "--agent", agentWithDaemon);
      const { client } = started;
      const turn = client.prompt(await client.newSession(), "child", "hang");
      await client.peer.waitFor("session/update");
      assert.equal((await started.processes(/setTimeout/)).length, 2);
      started.signal(signal);
      await started.endsCleanly({ code: 128 + constants.signals[signal], signal: null });
      assert.doesNotMatch((await turn).text, /never answered/);
    });
  }

  it("ends at once at a second signal, and still leaves nothing", async () => {
    const started = await runWith(...stubbornProxy, "--agent", agentWithDaemon, "--log", "info");
    const { client } = started;
    await client.prompt(await client.newSession(), "child");
    started.signal("SIGINT");
    started.signal("SIGTERM");
    // The system may deliver two waiting signals in either order.
    const { code, signal } = await started.ended();
    assert.ok(code === 128 + constants.signals.SIGINT || code === 128 + constants.signals.SIGTERM);
    await started.endsCleanly({ code, signal });
    // An orderly end waits for each component and logs its end.
    assert.match(client.child.stderrTail, /process: started/);
    assert.doesNotMatch(client.child.stderrTail, /process: ended/);
  });

  it("leaves nothing after SIGKILL, not even a daemon of an agent that ignores everything", async () => {
    const started = await runWith(...stubbornProxy, "--agent", agentWithDaemon);
    const { client } = started;
    const turn = client.prompt(await client.newSession(), "child", "hang");
    await client.peer.waitFor("session/update");
    assert.ok((await started.processes(/./)).length >= 5);
    started.signal("SIGKILL");
    await started.endsCleanly({ code: null, signal: "SIGKILL" });
    assert.match((await turn).text, /never answered/);
  });

  it("leaves nothing of a chain in a chain after SIGKILL", async () => {
    const inner = shellWords([...conductorWords, "run-with", ...stubbornProxy]);
    const started = await runWith("--proxy", inner, "--agent", agentText(...stubborn));
    await started.client.newSession();
    started.signal("SIGKILL");
    await started.endsCleanly({ code: null, signal: "SIGKILL" });
  });
});
