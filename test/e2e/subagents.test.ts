import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { AcpClient } from "../support/acp-client.js";
import { agentCommand } from "../support/agents/agent-command.js";
import { agents } from "../support/agents/agent-recipes.js";
import { runToEnd } from "../support/child.js";
import { conductorWords, throughConductor } from "../support/conductor-command.js";
import { startFakeModel } from "../support/fake-model/fake-model.js";
import { callToolWith, say, whenOffered } from "../support/fake-model/script.js";
import { usePackage } from "../support/packages/use-package.js";
import { pathWith } from "../support/repository.js";
import { createRunFolder } from "../support/run-folder.js";
import { useTestScope } from "../support/test-scope.js";
import { scaledMs } from "../support/until.js";

const delegating = /^(Agent|Task)$/;
const task = { description: "Write the note", prompt: "Write note.txt.", subagent_type: "general-purpose" };

for (const recipe of agents.filter(({ name }) => name === "claude")) {
  describe(`sub-agents of ${recipe.name} ${recipe.version}, through the conductor`, function () {
    this.timeout(scaledMs(400_000));
    const binFolder = usePackage(recipe);
    const scope = useTestScope();

    it("are announced, work in sessions of their own, ask there, and are kept with their parent's conversation", async function () {
      const folder = scope().use(await createRunFolder(recipe.name));
      const note = join(folder.workspace, "note.txt");
      const model = scope().use(
        await startFakeModel({
          script: [
            whenOffered(delegating, callToolWith(delegating, task), recipe.createsFile(note)),
            whenOffered(delegating, say("The note is there."), say("I wrote it.")),
          ],
        }),
      );
      const { words, env } = await agentCommand(recipe, binFolder(this), folder, model.url);
      let asked: string | undefined;
      let parent: string;
      let seen: readonly (readonly [string, string])[];
      let announced: readonly (readonly [string, string])[];
      {
        await using client = new AcpClient({
          words: throughConductor(words),
          env,
          cwd: folder.workspace,
          capabilities: { subagents: {} },
        });
        await client.initialize();
        if (recipe.authMethod !== undefined) await client.authenticate(recipe.authMethod);
        parent = (await client.newSession()).sessionId;
        if (recipe.mode !== undefined) await client.setMode(parent, recipe.mode);
        await client.prompt(parent, "Have the note written.");
        asked = client.permissionRequests[0]?.sessionId;
        seen = client.updates.map(({ sessionUpdate }, index) => [client.updatedSessions[index] ?? "", sessionUpdate]);
        announced = client.updates.flatMap((update) =>
          update.sessionUpdate === "subagent_update" ? [[update.sessionId, update.state?.state ?? ""] as const] : [],
        );
      }
      // The sub-agent has sub-agents, too; the last of them does the work.
      const children = new Set(announced.map(([id]) => id));
      assert.ok(children.size > 0 && !children.has(parent));
      assert.ok(asked !== undefined && children.has(asked), `${String(asked)} has asked`);
      assert.ok(existsSync(note));
      assert.deepEqual(
        [...new Set(announced.filter(([, state]) => state === "idle").map(([id]) => id))].length,
        children.size,
      );
      const ofChild = seen.filter(([session]) => session === asked).map(([, kind]) => kind);
      assert.ok(ofChild.includes("tool_call") && ofChild.includes("agent_message_chunk"), ofChild.join());
      const { stdout } = await runToEnd(
        {
          words: [...conductorWords, "sessions", "show", "last"],
          cwd: folder.workspace,
          env: { ...env, PATH: pathWith() },
        },
        120_000,
      );
      assert.match(stdout, /- Sub-agent: Write the note \(end_turn\)\n/);
      assert.match(stdout, /\n {2}- .*note\.txt.*\(.*completed\)\n/);
      assert.match(stdout, /The note is there\./);
    });
  });
}
