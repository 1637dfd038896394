import assert from "node:assert/strict";
import { constants } from "node:os";
import { join } from "node:path";
import { conductorWords, shellWords } from "../support/conductor-command.js";
import { repositoryRoot } from "../support/repository.js";
import { agentText, proxyText } from "../support/scripted-programs.js";
import { StartedCommand } from "../support/started-command.js";
import { skipBecause, useTestScope } from "../support/test-scope.js";

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
    // An orderly end waits for each component, and says so.
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
