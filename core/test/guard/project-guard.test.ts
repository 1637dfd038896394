import assert from "node:assert/strict";
import type { AgentStart } from "../../src/agents/project-starts/agent-starts.js";
import { type ApprovalState, Approvals, type AskedContent } from "../../src/settings/project/approvals.js";
import { projectGuard } from "../../src/guard/project-guard.js";
import { Outcome } from "../../src/base/rpc/message.js";
import { RpcError } from "../../src/base/rpc/rpc-error.js";
import type { Command } from "../../src/base/command.js";
import { FolderTrust, type TrustStore } from "../../src/settings/trust/folder-trust.js";
import type { ProjectAnswer } from "../../src/settings/trust/trust-record.js";
import { onStage, PlayedAgent, settled, type Stage } from "../conductor/chain/chain-fixture.js";

const permission = "session/request_permission";
const chosen = (optionId: string): Outcome => Outcome.of({ outcome: { outcome: "selected", optionId } });
const server: AgentStart = { file: "/w/.mcp.json", key: "mcpServers.x", value: { command: "evil" } };
const claude = { protocolVersion: 1, agentInfo: { name: "@agentclientprotocol/claude-agent-acp" } };
const content = { "mcpServers.docs": '{"command":"docs"}' };

interface SetUp {
  readonly agent?: PlayedAgent;
  readonly starts?: readonly AgentStart[];
  readonly asked?: AskedContent;
  readonly command?: Command;
  readonly trusted?: readonly string[];
  /** By the question's title. */
  readonly answer?: (title: string) => Outcome | undefined;
  readonly kept?: ProjectAnswer[];
  readonly refused?: string[];
}

const askedOf = (digest: string, given: Readonly<Record<string, string>> = content): AskedContent => ({
  project: { repository: "/w/.git", folder: "" },
  files: ["/w/.symposium/config.jsonc"],
  content: given,
  digest,
});

/** A chain with the guard before its agent, and what the user was asked. */
async function guarded(
  { agent, starts = [], asked, command, trusted = [], answer, kept = [], refused = [] }: SetUp,
  body: (given: {
    stage: Stage;
    agent: PlayedAgent;
    questions: () => { title: string; text: string }[];
  }) => Promise<void>,
): Promise<void> {
  const played = agent ?? new PlayedAgent({ initialize: claude, "session/prompt": { stopReason: "end_turn" } });
  const folders = [...trusted];
  const store: TrustStore = {
    realPath: (folder) => Promise.resolve(folder),
    has: (folder) => Promise.resolve(folders.includes(folder)),
    add: (folder) => Promise.resolve(void folders.push(folder)),
    isRefused: (folder) => Promise.resolve(refused.includes(folder)),
    refuse: (folder) => Promise.resolve(void refused.push(folder)),
  };
  const approvals = new Approvals({
    answerAboutProject: () => Promise.resolve(kept.at(-1)),
    keepProjectAnswer: (one) => Promise.resolve(void kept.push(one)),
  });
  const guard = projectGuard({
    trust: new FolderTrust(store),
    approvals,
    inspect: async () => asked && { asked, state: (await approvals.stateOf(asked)) satisfies ApprovalState },
    findStarts: () => Promise.resolve(starts),
    ...(command && { command }),
    inherited: () => undefined,
  });
  const asks: { title: string; text: string }[] = [];
  const client = {
    answers: {
      [permission]: (request: { readonly params?: { readonly object: unknown } | undefined }) => {
        const { toolCall } = request.params?.object as {
          toolCall: { title: string; content: { content: { text: string } }[] };
        };
        asks.push({ title: toolCall.title, text: toolCall.content[0]?.content.text ?? "" });
        return answer ? answer(toolCall.title) : chosen("none");
      },
    },
  };
  await onStage({ agent: played, client, conductor: { lastProxies: [guard] } }, async (stage) => {
    await stage.initialize();
    await body({ stage, agent: played, questions: () => asks });
  });
}

const got = (agent: PlayedAgent, method: string): unknown[] =>
  agent.peer.received.filter((one) => one.method === method).map(({ params }) => params?.object);

const newSession = { cwd: "/w", mcpServers: [] };
const prompt = { sessionId: "s", prompt: [{ type: "text", text: "hi" }] };

describe("what comes right behind a request that opens a session", () => {
  it("overtakes it nowhere, while it is judged whether that may be opened", () => {
    const agent = new PlayedAgent({
      initialize: claude,
      "session/load": {},
      "session/set_mode": {},
      "session/prompt": { stopReason: "end_turn" },
    });
    return guarded({ agent, starts: [server], trusted: ["/w"] }, async ({ stage }) => {
      const answers = [
        stage.result("session/load", { sessionId: "s", ...newSession }),
        stage.result("session/set_mode", { sessionId: "s", modeId: "plan" }),
        stage.result("session/prompt", prompt),
      ];
      stage.notify("session/cancel", { sessionId: "s" });
      await Promise.all(answers);
      await settled();
      assert.deepEqual(agent.peer.methods, [
        "initialize",
        "session/load",
        "session/set_mode",
        "session/prompt",
        "session/cancel",
      ]);
    });
  });

  it("is answered when it is given up, once", () =>
    guarded({ starts: [server], trusted: ["/w"] }, async ({ stage, agent }) => {
      const stop = new AbortController();
      const loading = stage.ask("session/new", newSession, stop.signal);
      stop.abort();
      assert.equal((await loading).isError, true);
      await settled();
      assert.deepEqual(agent.peer.methods, ["initialize"]);
    }));
});

describe("what an agent would start by itself", () => {
  it("is switched off in a folder that nobody trusts, and asked about in the first turn, which waits", () =>
    guarded({ starts: [server], answer: () => chosen("trust-always") }, async ({ stage, agent, questions }) => {
      await stage.result("session/new", newSession);
      assert.deepEqual(got(agent, "session/new"), [
        { ...newSession, _meta: { claudeCode: { options: { settingSources: ["user"] } } } },
      ]);
      assert.deepEqual(questions(), []);
      await stage.result("session/prompt", prompt);
      const [question] = questions();
      assert.equal(question?.title, "Trust the folder /w?");
      assert.match(
        question.text,
        /^Claude Code would start.*\n\n- \/w\/\.mcp\.json: mcpServers\.x \{"command":"evil"\}\n/s,
      );
      await stage.result("session/prompt", prompt);
      await stage.result("session/new", newSession);
      assert.deepEqual([questions().length, got(agent, "session/new").at(-1)], [1, newSession]);
    }));

  it("stays as it is in a trusted folder, and where there is nothing of it", async () => {
    for (const given of [{ starts: [server], trusted: ["/w"] }, { starts: [] }]) {
      await guarded(given, async ({ stage, agent, questions }) => {
        await stage.result("session/new", newSession);
        await stage.result("session/prompt", prompt);
        assert.deepEqual([got(agent, "session/new"), questions()], [[newSession], []]);
      });
    }
  });

  it("stays off where the user says no, says nothing, or cannot be asked, and the turn goes on", async () => {
    const refusal = Outcome.error(RpcError.methodNotFound(permission));
    for (const [answer, times] of [
      [chosen("trust-no"), 1],
      [chosen("trust-never"), 1],
      [Outcome.of({ outcome: { outcome: "cancelled" } }), 2],
      [refusal, 2],
    ] as const) {
      await guarded({ starts: [server], answer: () => answer }, async ({ stage, agent, questions }) => {
        for (const _ of [1, 2]) {
          await stage.result("session/new", newSession);
          assert.deepEqual(await stage.result("session/prompt", prompt), { stopReason: "end_turn" });
        }
        const opened = got(agent, "session/new") as { _meta?: unknown }[];
        assert.equal(opened.filter(({ _meta }) => _meta !== undefined).length, 2);
        assert.equal(questions().length, times);
      });
    }
  });

  it("is switched off by the environment of the process, and else no session opens there", async () => {
    const agent = (): PlayedAgent =>
      new PlayedAgent({ initialize: { protocolVersion: 1, agentInfo: { name: "OpenCode" } } });
    const command = { command: "opencode", args: ["acp"], env: {} };
    const off = { ...command, env: { OPENCODE_DISABLE_PROJECT_CONFIG: "1" } };
    const starts = [{ file: "/w/opencode.json", key: "mcp.x", value: { command: ["evil"] } }];
    await guarded({ agent: agent(), starts, command }, async ({ stage }) => {
      const outcome = await stage.ask("session/new", newSession);
      const { message } = outcome.json.object as { message: string };
      assert.match(message, /^OpenCode would start.*mcp\.x \{"command":\["evil"\]\}.*symposium-acp-agent trust \/w/s);
    });
    const played = agent();
    await guarded({ agent: played, starts, command: off }, async ({ stage }) => {
      await stage.result("session/new", newSession);
      assert.deepEqual(got(played, "session/new"), [newSession]);
    });
  });

  it("is not asked about in a session that a proxy opens for itself", () =>
    guarded({ starts: [server] }, async ({ stage, questions, agent }) => {
      await stage.result("session/new", { ...newSession, _meta: { symposium: { subagent: "ferris" } } });
      await stage.result("session/prompt", prompt);
      const [opened] = got(agent, "session/new") as { _meta: { claudeCode?: unknown } }[];
      assert.notEqual(opened?._meta.claudeCode, undefined);
      assert.deepEqual(questions(), []);
    }));
});

describe("a project's configuration", () => {
  it("is asked about in the first turn, once for each content, with what has changed", async () => {
    const kept: ProjectAnswer[] = [];
    const answer = (): Outcome => chosen("project-allow");
    await guarded({ asked: askedOf("1"), kept, answer }, async ({ stage, questions, agent }) => {
      await stage.result("session/new", newSession);
      await stage.result("session/prompt", prompt);
      await stage.result("session/new", newSession);
      await stage.result("session/prompt", prompt);
      assert.deepEqual(
        [questions().map(({ title }) => title), got(agent, "session/prompt").length],
        [["Allow this project's configuration?"], 2],
      );
      assert.match(questions()[0]?.text ?? "", /\+ mcpServers\.docs: \{"command":"docs"\}/);
    });
    assert.deepEqual(kept, [{ repository: "/w/.git", folder: "", digest: "1", entries: content }]);
    const changed = askedOf("2", { "mcpServers.docs": '{"command":"evil"}' });
    await guarded({ asked: changed, kept, answer }, async ({ stage, questions }) => {
      await stage.result("session/new", newSession);
      await stage.result("session/prompt", prompt);
      const [{ title, text } = { title: "", text: "" }] = questions();
      assert.equal(title, "Allow the changes to this project's configuration?");
      assert.match(text, /~ mcpServers\.docs: \{"command":"evil"\}\n\n {2}before: \{"command":"docs"\}/);
    });
  });

  for (const [optionId, state] of [
    ["project-once", "approved"],
    ["project-no", "refused"],
    ["project-never", "never"],
    ["none", "unasked"],
  ] as const) {
    it(`is ${state} after the answer ${optionId}`, async () => {
      const kept: ProjectAnswer[] = [];
      const approvals = new Approvals({
        answerAboutProject: () => Promise.resolve(kept.at(-1)),
        keepProjectAnswer: (one) => Promise.resolve(void kept.push(one)),
      });
      const asked = askedOf("1");
      await onStage({ client: { answers: { [permission]: chosen(optionId) } } }, async (stage) => {
        const asker = { client: stage.client, sessionId: "s", signal: new AbortController().signal };
        assert.equal(await approvals.ask(asked, asker), state);
      });
      assert.equal(await approvals.stateOf(asked), state);
      assert.deepEqual(kept, optionId === "project-never" ? [asked.project] : []);
    });
  }

  it("is not asked about any more in a turn that is cancelled, which ends", () =>
    guarded({ asked: askedOf("1"), answer: () => undefined }, async ({ stage, agent }) => {
      await stage.result("session/new", newSession);
      const ended = stage.result("session/prompt", prompt);
      await settled();
      stage.notify("session/cancel", { sessionId: "s" });
      assert.deepEqual(await ended, { stopReason: "cancelled" });
      assert.deepEqual(got(agent, "session/prompt"), []);
    }));

  it("leaves prompts untouched where there is nothing to ask", () =>
    guarded({}, async ({ stage, agent }) => {
      await stage.result("session/new", newSession);
      await stage.result("session/prompt", prompt);
      assert.deepEqual(got(agent, "session/prompt"), [prompt]);
    }));
});
