import assert from "node:assert/strict";
import type { ContextSession, ContextSource, Contribution } from "../../src/context/contribution.js";
import { Json } from "../../src/base/rpc/json.js";
import { Outcome, Request } from "../../src/base/rpc/message.js";
import { RpcError } from "../../src/base/rpc/rpc-error.js";
import { pingServer } from "../../testing/ping-server.js";
import { PlayedAgent, settled } from "../conductor/chain/chain-fixture.js";
import { answering, got, rule, source, taking, text, update, withContext } from "./context-stage.js";

const shown =
  'Instructions for this session, from files of the project and of the user: those of="user" are the user\'s own. Follow them; what the user says in the conversation counts for more. They are no request: do not answer or recite them.';
const section = `${shown}\n\n<instructions of="project" from="AGENTS.md">\nUse tabs.\n</instructions>`;

describe("a session to which no source adds anything", () => {
  it("passes untouched, byte for byte", () =>
    withContext({ agent: answering(), sources: [source({})] }, async (stage, agent) => {
      await stage.initialize();
      const params = '{"cwd":"/w", "mcpServers":[ ],"x":1.0}';
      await stage.ask("session/new", Json.ofText(params).value);
      const written: string[] = [];
      stage.connection.request(new Request("session/new", Json.ofText(params)), () => undefined);
      await settled();
      await settled();
      for (const one of agent.peer.received) if (one.method === "session/new") written.push(one.params?.text ?? "");
      assert.equal(written.at(-1), params);
      const prompt = '{"sessionId":"s", "prompt":[{"type":"text","text":"/review  it"}]}';
      stage.connection.request(new Request("session/prompt", Json.ofText(prompt)), () => undefined);
      await settled();
      assert.equal(agent.peer.received.at(-1)?.params?.text, prompt);
    }));

  it("waits for nothing when another proxy opens it for itself", () => {
    const never: ContextSource = { name: "never", open: () => new Promise(() => undefined) };
    return withContext({ sources: [never] }, async (stage, agent) => {
      await stage.initialize();
      const params = { cwd: "/w", mcpServers: [], _meta: { symposium: { subagent: "ferris" } } };
      await stage.result("session/new", params);
      assert.deepEqual(got(agent, "session/new"), [params]);
    });
  });
});

describe("a source of context", () => {
  it("sees the session with the agent, its folders and the editor's servers", () => {
    const sessions: ContextSession[] = [];
    const agent = new PlayedAgent({ initialize: { protocolVersion: 1, agentInfo: { name: "OpenCode" } } });
    return withContext({ agent, sources: [source({}, "rules", sessions)] }, async (stage) => {
      await stage.initialize();
      const mcpServers = [{ name: "own", command: "x", args: [], env: [] }];
      await stage.result("session/new", { cwd: "/w", additionalDirectories: ["/v"], mcpServers });
      const seen = sessions.map(({ cwd, roots, row, editorServers, sessionId, project, signal }) => ({
        ...{ cwd, roots, row: row?.id, servers: editorServers.map(({ name }) => name), sessionId },
        ...{ folder: project.folder, isOver: signal.aborted },
      }));
      const expected = { cwd: "/w", roots: ["/w", "/v"], row: "opencode", servers: ["own"], sessionId: "s" };
      assert.deepEqual(seen, [{ ...expected, folder: "/w", isOver: false }]);
    });
  });

  it("stands in for servers of the editor", () => {
    const contribution = { servers: [pingServer("ping")], replaces: ["own"] };
    return withContext({ sources: [source(contribution)] }, async (stage, agent) => {
      await stage.initialize();
      const mcpServers = ["own", "other"].map((name) => ({ name, command: "x", args: [], env: [] }));
      await stage.result("session/new", { cwd: "/w", mcpServers });
      const given = got(agent, "session/new")[0]?.["mcpServers"] as { name: string }[];
      assert.deepEqual(
        given.map(({ name }) => name),
        ["other", "ping"],
      );
    });
  });

  it("hears of the end of its session", () => {
    const sessions: ContextSession[] = [];
    const agent = new PlayedAgent({ "session/close": {} });
    return withContext({ agent, sources: [source({}, "rules", sessions)] }, async (stage) => {
      const sessionId = await stage.session();
      const before = sessions[0]?.signal.aborted;
      await stage.result("session/close", { sessionId });
      assert.deepEqual([before, sessions[0]?.signal.aborted], [false, true]);
    });
  });

  it("hears of the end of a session that the agent does not open", () => {
    const sessions: ContextSession[] = [];
    const agent = new PlayedAgent({ "session/new": () => undefined });
    return withContext({ agent, sources: [source({}, "rules", sessions)] }, async (stage) => {
      await stage.initialize();
      const opening = stage.ask("session/new", { cwd: "/w", mcpServers: [] });
      await agent.peer.waitFor("session/new");
      agent.peer.open[0]?.reply(Outcome.error(RpcError.internal("no")));
      assert.deepEqual([(await opening).isError, sessions[0]?.signal.aborted], [true, true]);
    });
  });

  it("is left out, with a line in the log, when it fails", () => {
    const failing: ContextSource = { name: "broken", open: () => Promise.reject(new Error("no disk")) };
    return withContext({ sources: [failing, source({ servers: [pingServer("ping")] })] }, async (stage, agent) => {
      await stage.session();
      const [params] = got(agent, "session/new");
      assert.equal((params?.["mcpServers"] as unknown[]).length, 1);
      assert.deepEqual(
        stage.events.filter(({ level }) => level === "warn").map(({ event, fields }) => [event, fields["source"]]),
        [["opened a session without context that failed to load", "broken"]],
      );
    });
  });
});

describe("a source of context that has something to load", () => {
  it("does so once the agent has been asked to initialize, before any session", () => {
    const steps: string[] = [];
    const agent = answering();
    const loading: ContextSource = {
      name: "loading",
      prepare: () => void steps.push("prepared"),
      open: () => Promise.resolve({}),
    };
    return withContext({ agent, sources: [loading] }, async (stage) => {
      await stage.initialize();
      assert.deepEqual([steps, agent.peer.methods], [["prepared"], ["initialize"]]);
    });
  });
});

describe("a slow source of context", () => {
  it("is left out, with a line in the log", () => {
    const never: ContextSource = { name: "never", open: () => new Promise(() => undefined) };
    return withContext({ sources: [never], openLimitMs: 1 }, async (stage, agent) => {
      await stage.session();
      assert.deepEqual(
        [
          stage.events.filter(({ level }) => level === "warn").map(({ fields }) => fields["source"]),
          agent.peer.methods,
        ],
        [["never"], ["initialize", "session/new"]],
      );
    });
  });
});

describe("a request that opens a session", () => {
  it("is answered once when it is cancelled while sources open, and never reaches the agent", () => {
    const sessions: ContextSession[] = [];
    const slow: ContextSource = {
      name: "slow",
      open: (session) => {
        sessions.push(session);
        return new Promise(() => undefined);
      },
    };
    return withContext({ sources: [slow] }, async (stage, agent) => {
      await stage.initialize();
      const stop = new AbortController();
      const opening = stage.ask("session/new", { cwd: "/w", mcpServers: [] }, stop.signal);
      await settled();
      stop.abort();
      const outcome = await opening;
      assert.deepEqual(
        [outcome.json.object?.["code"], got(agent, "session/new").length, sessions[0]?.signal.aborted],
        [-32800, 0, true],
      );
    });
  });

  it("keeps its place before later messages of its session", () => {
    let open = (): void => undefined;
    const gate = new Promise<Contribution>((resolve) => (open = () => resolve({})));
    const agent = answering({ "session/load": {} });
    return withContext({ agent, sources: [{ name: "slow", open: () => gate }] }, async (stage) => {
      await stage.initialize();
      const loading = stage.result("session/load", { sessionId: "s", cwd: "/w", mcpServers: [] });
      const prompting = stage.result("session/prompt", { sessionId: "s", prompt: [text("hi")] });
      stage.notify("session/cancel", { sessionId: "s" });
      const other = stage.result("session/prompt", { sessionId: "other", prompt: [text("ho")] });
      await other;
      open();
      await Promise.all([loading, prompting]);
      await settled();
      assert.deepEqual(agent.peer.methods, [
        "initialize",
        ...["session/prompt", "session/load", "session/prompt", "session/cancel"],
      ]);
    });
  });
});

describe("instructions for a session", () => {
  it("stand in the system prompt of an agent that takes one, behind what is there", () => {
    const agent = taking({ systemPrompt: {} }, { "session/prompt": {} });
    return withContext({ agent, sources: [source({ instructions: [rule] })] }, async (stage) => {
      await stage.initialize();
      await stage.result("session/new", { cwd: "/w", mcpServers: [] });
      const systemPrompt = { mode: "append", content: [text("Be brief.")] };
      await stage.result("session/new", { cwd: "/w", mcpServers: [], systemPrompt });
      await stage.prompt("s", "hi");
      assert.deepEqual(
        got(agent, "session/new").map((params) => params?.["systemPrompt"]),
        [
          { mode: "append", content: [text(section)] },
          { mode: "append", content: [text("Be brief."), text(section)] },
        ],
      );
      assert.deepEqual(got(agent, "session/prompt"), [{ sessionId: "s", prompt: [text("hi")] }]);
    });
  });

  it("stand in the metadata for an older Claude", () => {
    const agent = new PlayedAgent({ initialize: { protocolVersion: 1, agentInfo: { name: "claude-agent-acp" } } });
    return withContext({ agent, sources: [source({ instructions: [rule] })] }, async (stage) => {
      await stage.initialize();
      await stage.result("session/new", {
        cwd: "/w",
        mcpServers: [],
        _meta: { systemPrompt: { append: "Be brief." } },
      });
      assert.deepEqual(got(agent, "session/new")[0]?.["_meta"], {
        systemPrompt: { append: `Be brief.\n\n${section}` },
      });
    });
  });

  it("come once, marked, behind the words of the first prompt for all others", () =>
    withContext({ agent: answering(), sources: [source({ instructions: [rule] })] }, async (stage, agent) => {
      const sessionId = await stage.session();
      await stage.prompt(sessionId, "hi");
      await stage.prompt(sessionId, "again");
      const context = text(`<symposium-context>\n${section}\n</symposium-context>`);
      assert.deepEqual(
        got(agent, "session/prompt").map((params) => params?.["prompt"]),
        [[text("hi"), context], [text("again")]],
      );
    }));

  it("come again after the user has had the conversation compacted, or the agent has refused the prompt", () => {
    let isFirst = true;
    const agent = answering({
      "session/prompt": () => {
        const stopReason = { stopReason: "end_turn" };
        if (!isFirst) return stopReason;
        isFirst = false;
        return undefined;
      },
    });
    return withContext({ agent, sources: [source({ instructions: [rule] })] }, async (stage) => {
      const sessionId = await stage.session();
      const refused = stage.ask("session/prompt", { sessionId, prompt: [text("hi")] });
      await agent.peer.waitFor("session/prompt");
      agent.peer.open[0]?.reply(Outcome.error(RpcError.internal("no")));
      await refused;
      for (const words of ["second", "/compact", "third", "fourth"]) await stage.prompt(sessionId, words);
      assert.deepEqual(
        got(agent, "session/prompt").map((params) => (params?.["prompt"] as unknown[]).length),
        [2, 2, 1, 2, 1],
      );
    });
  });

  it("name what is too long for them", () => {
    const long = { title: "docs/long.md", text: "x".repeat(200) };
    const agent = taking({ systemPrompt: {} });
    return withContext({ agent, sources: [source({ instructions: [long, rule] })], limit: 100 }, async (stage) => {
      await stage.session();
      const named = `${section}\n\nLeft out because they are too long; read them yourself before work that they concern:\n- "docs/long.md" (200 bytes)`;
      assert.deepEqual(got(agent, "session/new")[0]?.["systemPrompt"], { mode: "append", content: [text(named)] });
    });
  });

  it("are taken out of what the agent replays, and are not sent again", () => {
    const replayed = `hi\n<symposium-context>\n${section}\n</symposium-context>`;
    const agent: PlayedAgent = answering({
      "session/load": () => {
        update(agent, "s", { sessionUpdate: "user_message_chunk", content: text(replayed) });
        return {};
      },
    });
    return withContext({ agent, sources: [source({ instructions: [rule] })] }, async (stage) => {
      await stage.initialize();
      await stage.result("session/load", { sessionId: "s", cwd: "/w", mcpServers: [] });
      await stage.prompt("s", "go on");
      assert.deepEqual(stage.client.updates, [{ sessionUpdate: "user_message_chunk", content: text("hi\n") }]);
      assert.deepEqual(got(agent, "session/prompt")[0]?.["prompt"], [text("go on")]);
    });
  });

  it("that concern certain files come once such a file is named or touched", () => {
    const concerning = (title: string, end: string): Contribution => ({
      fileInstructions: [{ title, text: "Mind.", concerns: (path) => path.endsWith(end) }],
    });
    const sources = [source(concerning("ts", "/w/src/a.ts"), "one"), source(concerning("rs", "/w/b.rs"), "two")];
    return withContext({ agent: answering(), sources }, async (stage, agent) => {
      const sessionId = await stage.session();
      await stage.prompt(sessionId, "hi");
      await stage.prompt(sessionId, "look at @src/a.ts");
      update(agent, sessionId, {
        sessionUpdate: "tool_call",
        toolCallId: "1",
        title: "",
        locations: [{ path: "/w/b.rs" }],
      });
      await stage.prompt(sessionId, "go on with src/a.ts");
      const added = got(agent, "session/prompt").map((params) =>
        (params?.["prompt"] as { text: string }[]).slice(1).map((block) => / from="\w+"/.exec(block.text)?.[0]),
      );
      assert.deepEqual(added, [[], [' from="ts"'], [' from="rs"']]);
    });
  });
});
