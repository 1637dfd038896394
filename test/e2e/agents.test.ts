// The stories of each agent that need one process behind the conductor. test/walks/agents.test.ts has those that walked agents lack here.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { CreateElicitationRequest, McpServer, SessionUpdate } from "@agentclientprotocol/sdk/unstable";
import { OtlpReceiver } from "#testing/node/otlp-receiver.js";
import { OAuthServer } from "#testing/node/oauth-server.js";
import type { AcpClient } from "../support/acp-client.js";
import type { AgentRecipe } from "../support/agents/agent-recipe.js";
import { agents, walkedAgents } from "../support/agents/agent-recipes.js";
import { openSession, type Route, useAgent } from "../support/agents/agent-session.js";
import { callsMcpTool, shout, testTurns } from "../support/agents/agent-turns.js";
import { conducted } from "../support/agents/routes.js";
import { runToEnd } from "../support/child.js";
import { conductorWords, throughConductor } from "../support/conductor-command.js";
import { environmentOfThisMachine } from "../support/environment.js";
import type { FakeModel } from "../support/fake-model/fake-model.js";
import { callTool, callToolWith, say, toolNames, whenOffered } from "../support/fake-model/script.js";
import { objectOf } from "../support/json.js";
import { usePackage } from "../support/packages/use-package.js";
import { pathWith, repositoryRoot } from "../support/repository.js";
import { proxyText } from "../support/scripted-programs.js";
import { totalsOfSpans, totalsOfUsage } from "../support/telemetry-totals.js";
import { useTestScope } from "../support/test-scope.js";
import { scaledMs, until } from "../support/until.js";
import { voicesOverAcp } from "../support/voices-server.js";

const dialects = ["legacy", "mid", "current"] as const;
/** A chain with one proxy of each dialect, each of which offers a server. */
const mixed: Route = {
  name: "behind proxies of all dialects",
  words: (words) =>
    throughConductor(
      words,
      dialects.map((dialect) => proxyText(dialect, "--mcp", `pinger-${dialect}`)),
    ),
};
const program = join(repositoryRoot, "core", "dist", "test", "context", "servers", "node", "odd-server.js");
const odd = { command: "node", args: [program], env: { FIXTURE: "${env:HOME}" }, cwd: "${userHome}/there" };

const skill = (name: string, marker: string): string =>
  `---\nname: ${name}\ndescription: The marker of the skill is ${marker}\n---\nDig.\n`;
const packageSkill = skill("badger-skill", "badger");
const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
/** The user's consent to the package's skill in its present form. */
const trust = {
  folders: [],
  components: [
    {
      file: "skills of npm:charts",
      component: sha256(JSON.stringify([["badger-skill/SKILL.md", sha256(packageSkill)]])),
      isAllowed: true,
    },
  ],
};

/** A rules file, a skill and a prompt that the agent does not read itself, the skill of a package, and a server of the user. */
const filesFor = (agentId: string, receiver: () => string) => ({
  workspace: {
    ".windsurfrules": "The marker of the rule is quokka.",
    ".github/prompts/hedge.prompt.md": "The marker of the command is hedgehog. $ARGUMENTS",
    "package.json": JSON.stringify({ dependencies: { charts: "1" } }),
    "node_modules/charts/package.json": JSON.stringify({ name: "charts", version: "1.0.0" }),
    "node_modules/charts/skills/badger-skill/SKILL.md": packageSkill,
  },
  home: () => ({
    [`.${/gemini/.test(agentId) ? "qwen" : "gemini"}/skills/wombat-skill/SKILL.md`]: skill("wombat-skill", "wombat"),
    "there/file.txt": "x",
    ".symposium/trust.json": JSON.stringify(trust),
    ".symposium/config.jsonc": JSON.stringify({
      mcpServers: { odd: { ...odd, callTimeoutMs: 5_000 } },
      telemetry: { endpoint: receiver() },
    }),
  }),
});

/** Agents that report the tokens of a turn. */
const counting = new Set(["claude", "codex", "opencode", "gemini", "qwen"]);
/** Agents that take messages during a turn. */
const steerable = new Set(["claude", "codex"]);

for (const recipe of agents) {
  describe(`${recipe.name} ${recipe.version}, ${mixed.name}`, function () {
    this.timeout(scaledMs(400_000));
    const forms: CreateElicitationRequest[] = [];
    let receiver: OtlpReceiver;
    before(async () => {
      receiver = await OtlpReceiver.start();
    });
    after(() => receiver[Symbol.asyncDispose]());
    const agent = useAgent(recipe, mixed, {
      files: filesFor(recipe.name, () => receiver.url),
      ...(recipe.name === "claude" && {
        answerForm: (form: CreateElicitationRequest) => {
          forms.push(form);
          return { action: "accept" as const, content: { question_0_custom: "Five times, on Mondays" } };
        },
      }),
    });
    const scope = useTestScope();

    if (!walkedAgents.includes(recipe)) testTurns(agent, scope);

    it("calls a tool that the client serves over ACP", async function () {
      const mcpServers = (client: AcpClient) => [client.offerMcpServer("voices", voicesOverAcp())];
      await callsMcpTool(await agent(this), { ...shout, mcpServers });
    });

    it("calls a tool of a proxy of each dialect", async function () {
      const { open } = await agent(this);
      const prompt = "Ping all of them.";
      const ping = (dialect: string) => callToolWith(new RegExp(`${dialect}.*mcp_ping$`, "i"), { text: dialect });
      const { model, client, sessionId } = await open({
        ...{ prompt, script: () => [...dialects.map(ping), say("Done.")], mode: recipe.mcpMode },
      });
      await client.prompt(sessionId, prompt);
      const results = resultsOf(model);
      assert.deepEqual(
        dialects.filter((dialect) => !results.includes(`pong: ${dialect}`)),
        [],
        results,
      );
    });

    it("has a rule, skills and a command of other agents in the request to its model", async function () {
      const { open } = await agent(this);
      const prompt = "Say that you are done.";
      const { model, client, sessionId } = await open({ prompt, script: () => [say("Done.")] });
      await client.prompt(sessionId, prompt);
      await client.prompt(sessionId, "/hedge tomorrow");
      const sent = JSON.stringify(model.requests.map(({ body }) => body));
      const markers = ["quokka", "wombat", "badger", "hedgehog. tomorrow"];
      assert.deepEqual(
        markers.filter((marker) => !sent.includes(marker)),
        [],
      );
    });

    it("has spans whose totals are what usage prints", async function () {
      const { home } = (await agent(this)).folder;
      await until(
        async () => [totalsOfUsage(await run(home, "usage", "--json")), totalsOfSpans(receiver)] as const,
        ([usage, spans]) => usage.turns > 0 && usage.toolCalls > 0 && isDeepStrictEqual(usage, spans),
      );
    });

    if (counting.has(recipe.name)) {
      it("has the tokens of its turns in what usage prints", async function () {
        const { home } = (await agent(this)).folder;
        const rows = await until(
          async () => JSON.parse(await run(home, "usage", "--json")) as readonly Readonly<Record<string, number>>[],
          (found) => found.length > 0,
        );
        assert.ok(
          rows.every(({ inputTokens = 0, outputTokens = 0 }) => inputTokens > 0 && outputTokens > 0),
          JSON.stringify(rows),
        );
      });
    }

    it("calls the tool of a server in config.jsonc, which runs in the folder of its entry", async function () {
      const { open } = await agent(this);
      const prompt = "Use the tool where.";
      const script = () => [callToolWith(/odd.*where$/i, {}), say("Done.")];
      const { model, client, sessionId } = await open({ prompt, script, mode: recipe.mcpMode });
      const { stopReason } = await client.prompt(sessionId, prompt);
      assert.equal(stopReason, "end_turn");
      assert.match(resultsOf(model), /\/there \S+ \d+/);
      const { traceId, parentSpanId } = await until(
        () => receiver.spans.find(({ name }) => name === "tools/call where") ?? { traceId: "", parentSpanId: "" },
        (call) => call.traceId !== "",
      );
      const turns = await until(
        () => receiver.spans.filter(({ name }) => name.startsWith("invoke_agent ")),
        // Codex makes a span of its own from TRACEPARENT, and sends that with the call.
        (found) => recipe.name === "codex" || found.some(({ spanId }) => spanId === parentSpanId),
      );
      assert.ok(turns.some((turn) => turn.traceId === traceId));
    });

    it("has the server's prompt as a slash command with an argument", async function () {
      const { open } = await agent(this);
      const { model, client, sessionId } = await open({ script: () => [say("Done.")] });
      const command = await commandNamed(client, /poem$/);
      // Qwen Code has these prompts itself, and reads their arguments as options.
      const words = recipe.name === "qwen" ? '--topic="black tea"' : 'topic="black tea"';
      const { stopReason } = await client.prompt(sessionId, `/${command} ${words}`);
      assert.equal(stopReason, "end_turn");
      assert.match(JSON.stringify(model.requests.map(({ body }) => body)), /A poem about black tea/);
    });

    it("keeps servers of one name in two sessions apart", async function () {
      const { open } = await agent(this);
      const entry = (mark: string): McpServer => {
        return { name: "twin", command: "node", args: [program], env: [{ name: "FIXTURE", value: mark }] };
      };
      const prompt = "Call the twin.";
      // OpenCode's sessions share all servers of its process, so the second one gets another name.
      const where = whenOffered(/twin_2/, callToolWith(/twin_2_where$/i, {}), callToolWith(/twin.*where$/i, {}));
      const { model, client, sessionId } = await open({
        ...{ prompt, script: () => [where, say("Done.")], mode: recipe.mcpMode, mcpServers: () => [entry("first")] },
      });
      /** The servers called so far: agents repeat results in requests for titles at any time. */
      const ask = async (id: string): Promise<readonly string[]> => {
        await client.prompt(id, prompt);
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

    it("goes on with the turn when a server changes its list, hangs and dies", async function () {
      const { open } = await agent(this);
      const prompt = "Try the tools.";
      const steps = ["grow", "hang", "die"].map((tool) => callToolWith(new RegExp(`odd.*${tool}$`, "i"), {}));
      const script = () => [...steps, say("Done.")];
      const { model, client, sessionId } = await open({ prompt, script, mode: recipe.mcpMode });
      const { stopReason } = await client.prompt(sessionId, prompt);
      const results = resultsOf(model);
      assert.deepEqual(
        [stopReason, ...[/one more/, /has not answered/, /exited with code 7/].map((said) => said.test(results))],
        ["end_turn", true, true, true],
        results,
      );
    });

    if (steerable.has(recipe.name)) {
      it("takes a message while it runs a command, and its model reads it in this turn", async function () {
        const { open } = await agent(this);
        const [prompt, steered] = ["Run the long command.", "Mind the blue door."];
        let running = "";
        let release = "";
        const { model, client, sessionId } = await open({
          prompt,
          script: (folder) => {
            [running, release] = [join(folder, "running"), join(folder, "release")];
            const command = `touch ${running}; until [ -e ${release} ]; do sleep 0.05; done; echo released`;
            return [callTool(toolNames.command, { command }), say("All ", "done.")];
          },
          mode: recipe.mode,
        });
        const steer = (text: string) =>
          client.call("_session/steering", {
            ...{ sessionId, prompt: [{ type: "text", text }], _meta: { steering: { idleBehavior: "promptRequired" } } },
          });
        const turn = client.prompt(sessionId, prompt);
        await Promise.race([until(() => existsSync(running), Boolean), turn]);
        const outcome = await steer(steered);
        await writeFile(release, "");
        const { stopReason } = await turn;
        const idle = await steer("Nobody runs.");
        const isRead = model.requests.some(({ body }) => JSON.stringify(body).includes(steered));
        assert.deepEqual(
          { outcome, stopReason, isRead, idle: idle["outcome"] },
          { outcome: { outcome: "injected" }, stopReason: "end_turn", isRead: true, idle: "promptRequired" },
        );
      });
    }

    if (recipe.name === "claude") {
      it("asks by a form with choices, previews and a field for another answer, which its model reads", async function () {
        const { open } = await agent(this);
        const preview = "const retries = 3;";
        const options = [
          { label: "Three times", description: "As before", preview },
          { label: "Never", description: "Fail at once" },
        ];
        const question = { question: "How often should it try again?", header: "Retries", multiSelect: false, options };
        const prompt = "Ask me.";
        const script = () => [callToolWith(/^AskUserQuestion$/, { questions: [question] }), say("All ", "done.")];
        const { model, client, sessionId } = await open({ prompt, script });
        const { stopReason } = await client.prompt(sessionId, prompt);
        const text = JSON.stringify(forms);
        assert.deepEqual(
          {
            stopReason,
            forms: forms.length,
            hasChoices: options.every(({ label }) => text.includes(label)),
            hasPreview: text.includes(`"_claude/askUserQuestionOption":{"preview":"${preview}"}`),
            isRead: resultsOf(model).includes("Five times, on Mondays"),
          },
          { stopReason: "end_turn", forms: 1, hasChoices: true, hasPreview: true, isRead: true },
        );
      });
    }

    it("leaves a conversation that is listed, found, shown, exported and deleted", async function () {
      const { client, folder, open } = await agent(this);
      const prompt = "Which animal is it?";
      const { sessionId } = await open({ prompt, script: () => [say("The answer is a pangolin.")] });
      await client.prompt(sessionId, prompt);
      await client.leave();
      const sessions = (...words: readonly string[]) => run(folder.home, "sessions", ...words);
      const { id, turns, cwd } = objectOf((JSON.parse(await sessions("list", "--json")) as unknown[])[0]);
      assert.deepEqual([turns, cwd], [1, folder.workspace]);
      assert.match(await sessions("search", "is a pangolin"), /turn 1, agent: .*pangolin/);
      assert.match(await sessions("show", String(id)), /> Which animal is it\?\n[^]*The answer is a pangolin\./);
      const stored = join(folder.home, ".symposium", "sessions");
      const exported = await sessions("export", String(id), "--format", "jsonl");
      assert.deepEqual(exported.split("\n"), (await readFile(join(stored, `${String(id)}.jsonl`), "utf8")).split("\n"));
      await sessions("delete", String(id));
      assert.ok(!(await readdir(stored)).includes(`${String(id)}.jsonl`));
      // For editors that have a copy, Symposium stores the deletion, without any text of the conversation.
      assert.doesNotMatch(await readFile(join(stored, "deleted.json"), "utf8"), /pangolin|animal/);
    });
  });

  describe(`${recipe.name} ${recipe.version} and a server with OAuth`, function () {
    this.timeout(scaledMs(400_000));
    const binFolder = usePackage(recipe);
    const scope = useTestScope();

    it("is signed in for its next sessions", async function () {
      await isSignedIn(scope(), recipe, binFolder(this));
    });
  });
}

async function isSignedIn(scope: AsyncDisposableStack, recipe: AgentRecipe, binFolder: string): Promise<void> {
  const vault = scope.use(await OAuthServer.start());
  const config = JSON.stringify({ mcpServers: { vault: { url: vault.url } } });
  const { model, client, home } = await openSession(
    scope,
    { recipe, binFolder, route: conducted },
    {
      script: () => [callToolWith(/whoami$/i, {}), say("Done.")],
      files: { home: { ".symposium/config.jsonc": config } },
    },
  );
  await client.update(() => /open http\S+, or run/.test(client.agentText));
  const [, address = ""] = /open (http\S+), or run/.exec(client.agentText) ?? [];
  await fetch(address);
  const readKept = () => readdir(join(home, ".symposium", "mcp-lists")).catch(() => []);
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
}

/** The output of a command of ours on the conversations and figures of this home folder. */
async function run(home: string, ...words: readonly string[]): Promise<string> {
  const env = { ...environmentOfThisMachine(), PATH: pathWith(), SYMPOSIUM_CONFIG_DIR: join(home, ".symposium") };
  const { code, stdout, stderr } = await runToEnd({ words: [...conductorWords, ...words], env, cwd: home }, 120_000);
  assert.equal(code, 0, stderr);
  return stdout;
}

/** The results of tools that the model was given, as one text. */
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
