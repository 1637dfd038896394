import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { agentCommand } from "../support/agents/agent-command.js";
import { claude, codex, copilot, gemini, opencode, qwen, writtenText } from "../support/agents/agent-recipes.js";
import { runToEnd } from "../support/child.js";
import { conductorWords, shellWords } from "../support/conductor-command.js";
import { startFakeModel } from "../support/fake-model/fake-model.js";
import { say } from "../support/fake-model/script.js";
import { HostWindow } from "../support/host-window.js";
import { arrayOf, objectOf, stringOf } from "../support/json.js";
import { usePackage } from "../support/packages/use-package.js";
import { commandEnvironment, createCommandFolder } from "../support/started-command.js";
import { survivingProcesses } from "../support/surviving-processes.js";
import { useTestScope } from "../support/test-scope.js";
import { poll, scaledMs, until } from "../support/until.js";

const limitMs = 60_000;
const fileName = "greeting.txt";

for (const recipe of [claude, codex, copilot, gemini, opencode, qwen]) {
  describe(`${recipe.name} ${recipe.version} in the host`, function () {
    this.timeout(scaledMs(400_000));
    const binFolder = usePackage(recipe);
    const scope = useTestScope();

    it("keeps its question when everything is closed, and goes on when another window answers it", async function () {
      const folder = scope().use(await createCommandFolder(JSON.stringify({ proxies: [] })));
      const file = join(folder.workspace, fileName);
      const script = [recipe.createsFile(file), say("All done.")];
      const model = scope().use(await startFakeModel({ script }));
      const { words, env } = await agentCommand(recipe, binFolder(this), folder, model.url);
      const host = async (...given: readonly string[]): Promise<string> => {
        const options = { env: commandEnvironment(folder), cwd: folder.workspace };
        return (await runToEnd({ words: [...conductorWords, "host", ...given], ...options }, limitMs)).stdout;
      };
      const session = async (): Promise<readonly unknown[]> => {
        const { sessions } = objectOf(JSON.parse(await host("status", "--json")));
        const [{ state, isAttached } = {}] = arrayOf(sessions).map(objectOf);
        return [state, isAttached];
      };
      scope().defer(async () => {
        await host("stop");
        assert.deepEqual(await survivingProcesses(folder.root), new Map());
      });
      const openWindow = async (): Promise<HostWindow> => {
        const window = new HostWindow(folder, shellWords(words), undefined, env);
        scope().use(window.client);
        await window.client.initialize();
        if (recipe.authMethod !== undefined)
          await window.client.request("authenticate", { methodId: recipe.authMethod });
        return window;
      };

      const first = await openWindow();
      const sessionId = await first.open();
      if (recipe.mode !== undefined) await first.client.request("session/set_mode", { sessionId, modeId: recipe.mode });
      void first.prompt(sessionId, `Create ${fileName}.`);
      await first.asked();
      await first.client[Symbol.asyncDispose]();
      assert.deepEqual(await poll(session, ([, isAttached]) => isAttached === false, limitMs), ["waiting", false]);

      const second = await openWindow();
      await second.load(sessionId);
      await second.asked();
      const [question] = second.peer.open;
      const options = arrayOf(objectOf(question?.request.params?.value)["options"]).map(objectOf);
      second.answer(stringOf(options.find(({ kind }) => kind === "allow_once")?.["optionId"]));
      await until(
        () => second.peer.text,
        (text) => text.includes("All done."),
        limitMs,
      );
      assert.equal((await readFile(file, "utf8")).trim(), writtenText);
      await poll(session, ([state]) => state === "idle", limitMs);
      assert.deepEqual(await session(), ["idle", true]);
      const shown = second.peer.text;
      assert.equal(shown.split("All done.").length, 2, `shown twice: ${shown}`);
      assert.equal(objectOf(await second.prompt(sessionId, "Go on."))["stopReason"], "end_turn");
      assert.match(second.peer.text.slice(shown.length), /All done\./);
    });
  });
}
