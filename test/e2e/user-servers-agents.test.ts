import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { McpServer, SessionUpdate } from "@agentclientprotocol/sdk/unstable";
import { OAuthServer } from "#core/testing/node/oauth-server.js";
import type { AcpClient } from "../support/acp-client.js";
import { agents } from "../support/agents/agent-recipes.js";
import type { AgentRecipe } from "../support/agents/agent-recipe.js";
import type { FakeModel } from "../support/fake-model/fake-model.js";
import { callToolWith, say, whenOffered } from "../support/fake-model/script.js";
import { usePackage } from "../support/packages/use-package.js";
import { repositoryRoot } from "../support/repository.js";
import { scaledMs, until } from "../support/until.js";
import { useTestScope } from "../support/test-scope.js";
import { openSession } from "../support/agents/agent-session.js";
import { conducted } from "../support/agents/routes.js";

const program = join(repositoryRoot, "core", "dist", "test", "servers", "node", "odd-server.js");

function configOf(mcpServers: object): string {
  return JSON.stringify({ mcpServers });
}

function resultsOf({ requests }: FakeModel): string {
  return requests.flatMap(({ toolResults }) => toolResults.map(({ text }) => text)).join("\n");
}

/** The name of a slash command, once the session has it. */
async function commandNamed(client: AcpClient, pattern: RegExp): Promise<string> {
  const find = (update: SessionUpdate): string | undefined =>
    update.sessionUpdate === "available_commands_update"
      ? update.availableCommands.find(({ name }) => pattern.test(name))?.name
      : undefined;
  return find(await client.update((update) => find(update) !== undefined)) ?? "";
}

for (const recipe of agents) describeAgent(recipe);

function describeAgent(recipe: AgentRecipe): void {
  describe(`${recipe.name} ${recipe.version} and a server of config.jsonc`, function () {
    this.timeout(scaledMs(400_000));
    const binFolder = usePackage(recipe);
    const scope = useTestScope();

    it("calls its tool, which runs in the folder of its entry", async function () {
      const odd = { command: "node", args: [program], env: { FIXTURE: "${env:HOME}" }, cwd: "${userHome}/there" };
      const config = configOf({ odd });
      const agent = { recipe, binFolder: binFolder(this), route: conducted };
      const { model, client, sessionId } = await openSession(scope(), agent, {
        script: () => [callToolWith(/where$/i, {}), say("Done.")],
        mode: recipe.mcpMode,
        files: { home: { ".symposium/config.jsonc": config, "there/file.txt": "x" } },
      });
      const { stopReason } = await client.prompt(sessionId, "Use the tool where.");
      assert.equal(stopReason, "end_turn");
      assert.match(resultsOf(model), /\/there \S+ \d+/);
    });

    it("has its prompt as a slash command, with an argument", async function () {
      const agent = { recipe, binFolder: binFolder(this), route: conducted };
      const { model, client, sessionId } = await openSession(scope(), agent, {
        script: () => [say("Done.")],
        files: { home: { ".symposium/config.jsonc": configOf({ odd: { command: "node", args: [program] } }) } },
      });
      const command = await commandNamed(client, /poem$/);
      // Qwen Code has them itself, and reads their arguments as options.
      const words = recipe.name === "qwen" ? '--topic="black tea"' : 'topic="black tea"';
      const { stopReason } = await client.prompt(sessionId, `/${command} ${words}`);
      assert.equal(stopReason, "end_turn");
      assert.match(JSON.stringify(model.requests.map(({ body }) => body)), /A poem about black tea/);
    });

    it("goes on with the turn when it changes its list, hangs and dies", async function () {
      const odd = { command: "node", args: [program], callTimeoutMs: 5_000 };
      const agent = { recipe, binFolder: binFolder(this), route: conducted };
      const steps = ["grow", "hang", "die"].map((tool) => callToolWith(new RegExp(`${tool}$`, "i"), {}));
      const { model, client, sessionId } = await openSession(scope(), agent, {
        script: () => [...steps, say("Done.")],
        mode: recipe.mcpMode,
        files: { home: { ".symposium/config.jsonc": configOf({ odd }) } },
      });
      const { stopReason } = await client.prompt(sessionId, "Try the tools.");
      const results = resultsOf(model);
      assert.deepEqual(
        [stopReason, ...[/one more/, /has not answered/, /exited with code 7/].map((said) => said.test(results))],
        ["end_turn", true, true, true],
        results,
      );
    });

    it("keeps those of one name in two sessions apart", async function () {
      const agent = { recipe, binFolder: binFolder(this), route: conducted };
      const entry = (mark: string): McpServer => {
        return { name: "odd", command: "node", args: [program], env: [{ name: "FIXTURE", value: mark }] };
      };
      // OpenCode's sessions have all servers of its process, so that the second one has another name.
      const where = whenOffered(/odd_2/, callToolWith(/odd_2_where$/i, {}), callToolWith(/where$/i, {}));
      const { model, client, sessionId } = await openSession(scope(), agent, {
        script: () => [where, say("Done.")],
        mode: recipe.mcpMode,
        mcpServers: () => [entry("first")],
      });
      /** Who has been called so far: agents repeat results in requests for titles, which come when they like. */
      const ask = async (id: string): Promise<readonly string[]> => {
        await client.prompt(id, "Use the tool where.");
        return ["first", "second"].filter((mark) => resultsOf(model).includes(` ${mark} `));
      };
      const openSecond = async (): Promise<string> => {
        const { sessionId: second } = await client.newSession([entry("second")]);
        if (recipe.mcpMode !== undefined) await client.setMode(second, recipe.mcpMode);
        return second;
      };
      const isShared = recipe.name === "opencode";
      const early = isShared ? await ask(sessionId) : await ask(await openSecond());
      const late = isShared ? await ask(await openSecond()) : await ask(sessionId);
      assert.deepEqual([early, late], [[isShared ? "first" : "second"], ["first", "second"]]);
    });

    it("is signed in to one that wants OAuth, for its sessions from then on", async function () {
      const vault = scope().use(await OAuthServer.start());
      const agent = { recipe, binFolder: binFolder(this), route: conducted };
      const { model, client, workspace } = await openSession(scope(), agent, {
        script: () => [callToolWith(/whoami$/i, {}), say("Done.")],
        files: { home: { ".symposium/config.jsonc": configOf({ vault: { url: vault.url } }) } },
      });
      await client.update(() => /open http\S+, or run/.test(client.agentText));
      const [, address = ""] = /open (http\S+), or run/.exec(client.agentText) ?? [];
      await fetch(address);
      const lists = join(workspace, "..", "home", ".symposium", "mcp-lists");
      const readKept = (): Promise<readonly string[]> => readdir(lists).catch(() => []);
      await until(readKept, (names) => names.some((name) => name.endsWith(".json")));
      const { sessionId } = await client.newSession();
      if (recipe.mcpMode !== undefined) await client.setMode(sessionId, recipe.mcpMode);
      const { stopReason } = await client.prompt(sessionId, "Use the tool whoami.");
      assert.equal(stopReason, "end_turn");
      assert.match(resultsOf(model), /You are signed in\./);
      const sent = JSON.stringify(model.requests.map(({ body }) => body));
      assert.deepEqual(
        vault.given.filter((secret) => sent.includes(secret)),
        [],
      );
    });
  });
}
