import assert from "node:assert/strict";
import { AcpClient } from "../support/acp-client.js";
import { runToEnd } from "../support/child.js";
import { conductorWords } from "../support/conductor-command.js";
import { agentText } from "../support/scripted-programs.js";
import { commandEnvironment, createCommandFolder } from "../support/started-command.js";
import { useTestScope } from "../support/test-scope.js";
import { scaledMs } from "../support/until.js";

describe("/symposium:continue in the configured chain", function () {
  this.timeout(scaledMs(400_000));
  const scope = useTestScope();

  it("goes on in place, and in a new session of another process with the last conversation of the folder", async () => {
    const config = `{ "agent": ${JSON.stringify(agentText())}, "proxies": [] }`;
    const folder = scope().use(await createCommandFolder(config));
    const env = commandEnvironment(folder);
    const open = async (): Promise<readonly [client: AcpClient, sessionId: string]> => {
      const client = scope().use(new AcpClient({ words: [...conductorWords, "run"], env, cwd: folder.workspace }));
      await client.initialize();
      return [client, (await client.newSession()).sessionId];
    };
    const [first, firstId] = await open();
    await first.prompt(firstId, "echo the word is violet");
    await first.prompt(firstId, "/symposium:continue eliza");
    assert.match(first.agentText, /Done: Eliza[^]* goes on with this conversation/);
    await first.prompt(firstId, "I am in a hurry");
    await first[Symbol.asyncDispose]();
    const [second, secondId] = await open();
    await second.prompt(secondId, "/symposium:continue eliza");
    assert.match(second.agentText, /Done: Eliza[^]* goes on with this conversation/);
    await second.prompt(secondId, "I am here again");
    await second[Symbol.asyncDispose]();
    const words = [...conductorWords, "sessions", "export", "last", "--format", "handoff"];
    const { code, stdout, stderr } = await runToEnd({ words, env, cwd: folder.workspace }, 120_000);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /## Goal[^]*> echo the word is violet[^]*I am in a hurry[^]*I am here again/);
    assert.doesNotMatch(stdout, /symposium:continue/);
  });
});
