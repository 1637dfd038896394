import assert from "node:assert/strict";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { guardProxy } from "../../src/guard/guard-proxy.js";
import { parseGuardFile } from "../../src/guard/guard-rule.js";
import { GuardFiles } from "../../src/guard/node/guard-rule-files.js";
import { GuardLog } from "../../src/guard/node/guard-log.js";
import { judgedCall } from "../../src/guard/node/guard-request.js";
import type { McpServer } from "../../src/base/mcp/mcp-server.js";
import { Json } from "../../src/base/rpc/json.js";
import { Notification } from "../../src/base/rpc/message.js";
import { offering } from "../../testing/scripted-proxies.js";
import { onStage, PlayedAgent, type Stage } from "../conductor/chain/chain-fixture.js";
import { searched, server, tool } from "../context/servers/tool-search-fixture.js";

const options = [
  { optionId: "yes", name: "Yes", kind: "allow_once" },
  { optionId: "no", name: "No", kind: "reject_once" },
];
const quiet = { signal: new AbortController().signal, notify: () => undefined };

describe("rules about tools of MCP servers", () => {
  let root = "";
  beforeEach(async () => {
    root = await realpath(await mkdtemp(join(tmpdir(), "guard-tools-")));
    await mkdir(join(root, "config"));
  });
  afterEach(() => rm(root, { recursive: true }));

  /** The servers of the session as the agent got them. */
  let given: unknown;
  /** Calls that the servers received. */
  const called: string[] = [];
  beforeEach(() => called.splice(0));
  const github = (name = "github"): McpServer =>
    server(
      name,
      ["get_issue", "delete_repo"].map((one) =>
        tool(one, one, {
          inputSchema: { properties: { id: { type: "number" }, path: { type: "string" } } },
          call: (args) => {
            called.push(`${name}/${one} ${JSON.stringify(args)}`);
            return Promise.resolve("done");
          },
        }),
      ),
    );

  async function withRules(
    rules: readonly object[],
    servers: readonly McpServer[],
    body: (stage: Stage, agent: PlayedAgent) => Promise<void>,
    { abilities = {}, permits }: { abilities?: object; permits?: "allow_once" | "reject_once" } = {},
  ): Promise<void> {
    await writeFile(join(root, "config", "guard.jsonc"), JSON.stringify({ rules }));
    const files = new GuardFiles(join(root, "config"), homedir());
    const log = new GuardLog(join(root, "config"));
    const guard = guardProxy({
      home: homedir(),
      rulesFor: (cwd) => files.rulesFor(cwd),
      judge: judgedCall,
      isSandboxed: () => false,
      record: (record) => log.add(record),
      now: () => new Date("2026-01-02T03:04:05Z"),
    });
    const agent = new PlayedAgent({
      initialize: { protocolVersion: 1, agentCapabilities: { mcpCapabilities: { http: true, ...abilities } } },
      "session/new": ({ params }) => {
        given = params?.object?.["mcpServers"];
        return { sessionId: "s" };
      },
      "session/close": {},
    });
    const proxies = servers.map((one) => offering(one, `offers ${one.name}`));
    const client = permits === undefined ? {} : { permits };
    await onStage({ agent, proxies, client, conductor: { lastProxies: [guard] } }, async (stage) => {
      await stage.initialize();
      await stage.result("session/new", { cwd: root, mcpServers: [] });
      await body(stage, agent);
    });
  }

  /** Calls a tool as an agent does at our bridge: its text, with `failed: ` before it where it was refused. */
  async function callBridged(stage: Stage, from: string, name: string, args: object = {}): Promise<string> {
    const exposed = stage.bridge.exposed.get(from);
    assert.ok(exposed, `${from} was not exposed`);
    const { json } = await exposed.call("tools/call", Json.of({ name, arguments: args }), quiet);
    const { content, isError } = json.object as { content: [{ text: string }]; isError?: boolean };
    return `${isError === true ? "failed: " : ""}${content[0].text}`;
  }

  const asked = (stage: Stage): readonly string[] =>
    stage.client.received
      .filter(({ method }) => method === "session/request_permission")
      .map(({ params }) => String((params?.object?.["toolCall"] as { title?: unknown }).title));

  it("hold at the bridge, whether the agent has asked or not, and say why", async () => {
    const rules = [{ effect: "deny", mcp: "github/delete_*", reason: "People delete." }];
    await withRules(rules, [github(), github("gitlab")], async (stage) => {
      const place = join(root, "config", "guard.jsonc");
      assert.equal(
        await callBridged(stage, "github", "delete_repo"),
        `failed: This is refused by a rule (${place}:1). People delete. Do not try to do it in another way.`,
      );
      assert.equal(await callBridged(stage, "github", "get_issue"), "done");
      assert.equal(await callBridged(stage, "gitlab", "delete_repo"), "done");
      assert.deepEqual(called, ["github/get_issue {}", "gitlab/delete_repo {}"]);
      const [record] = await new GuardLog(join(root, "config")).last(5);
      assert.deepEqual([record?.subject, record?.answer, record?.session], ["mcp github/delete_repo", "deny", "s"]);
    });
  });

  it("hold for a server that has another name in the session than its user's, and for capitals", async () => {
    const renamed = Object.assign(github("github_2"), { originalName: "GitHub" });
    await withRules([{ effect: "deny", mcp: "github/DELETE_repo" }], [renamed], async (stage) => {
      assert.match(await callBridged(stage, "github_2", "delete_repo"), /^failed: This is refused/);
      assert.deepEqual(called, []);
    });
  });

  it("hold behind the search for tools: the tool that is really called counts", async () => {
    const search = await searched([github(), github("gitlab")]);
    await withRules([{ effect: "deny", mcp: "github/delete_repo" }], [search], async (stage) => {
      for (const name of ["github.delete_repo", "mcp__github__delete_repo", "github-delete_repo"]) {
        assert.match(await callBridged(stage, search.name, "call_tool", { name }), /^failed: This is refused/, name);
        assert.match(await callBridged(stage, search.name, name), /^failed: This is refused/, name);
      }
      assert.equal(await callBridged(stage, search.name, "call_tool", { name: "gitlab.delete_repo" }), "done");
      assert.deepEqual(called, ["gitlab/delete_repo {}"]);
    });
  });

  it("hold for agents that speak MCP over ACP themselves", async () => {
    await withRules(
      [{ effect: "deny", mcp: "*/delete_repo" }],
      [github()],
      async (stage, agent) => {
        const [{ serverId }] = given as [{ serverId: string }];
        const meta = {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientCapabilities": {},
        };
        const params = { name: "delete_repo", arguments: {}, _meta: meta };
        const outcome = await agent.ask("mcp/message", { serverId, requestId: "1", method: "tools/call", params });
        assert.match(outcome.json.text, /This is refused by a rule/);
        assert.deepEqual([called, stage.bridge.log], [[], []]);
        await stage.result("session/close", { sessionId: "s" });
        for (const method of ["mcp/message", "mcp/connect", "_mcp/message"]) {
          const late = await agent.ask(method, { serverId, requestId: "2", method: "tools/call", params });
          assert.equal(late.json.object?.["code"], -33001, method);
        }
        assert.deepEqual(stage.client.methods, [], "nothing passes by the rules when the session is over");
      },
      { abilities: { acp: true } },
    );
  });

  it("about files hold for what a tool is given: reading is refused, and where only writing is, the user is asked", async () => {
    const rules = [
      { effect: "deny", read: ".env" },
      { effect: "deny", write: "/ci" },
    ];
    await withRules(
      rules,
      [github()],
      async (stage) => {
        assert.match(
          await callBridged(stage, "github", "get_issue", { path: ".env" }),
          /^failed: This is refused by a/,
        );
        assert.match(await callBridged(stage, "github", "get_issue", { path: "ci/x.yml" }), /^failed: .* by the user/);
        assert.deepEqual(asked(stage), ["Call get_issue of the MCP server github"]);
      },
      { permits: "reject_once" },
    );
  });

  it("that ask have the user asked once for a call, by the agent or by us, with its arguments", async () => {
    await withRules([{ effect: "ask", mcp: "github/*" }], [github()], async (stage, agent) => {
      const toolCall = {
        toolCallId: "c",
        title: "mcp__github__get_issue",
        kind: "other",
        rawInput: { id: 1, path: "a" },
      };
      const outcome = await agent.ask("session/request_permission", { sessionId: "s", toolCall, options });
      assert.deepEqual(outcome.json.value, { outcome: { outcome: "selected", optionId: "yes" } });
      assert.equal(await callBridged(stage, "github", "get_issue", { path: "a", id: 1 }), "done");
      assert.deepEqual(asked(stage), ["mcp__github__get_issue"], "who has allowed it is not asked again");
      assert.equal(await callBridged(stage, "github", "get_issue", { id: 2 }), "done");
      assert.equal(await callBridged(stage, "github", "get_issue", { id: 1, path: "a" }), "done");
      assert.equal(asked(stage).length, 3, "what was allowed was one call");
    });
  });

  it("have what was allowed in a turn, and not done in it, asked about again", async () => {
    await withRules([{ effect: "ask", mcp: "github/*" }], [github()], async (stage, agent) => {
      const toolCall = { toolCallId: "c", title: "mcp__github__get_issue", kind: "other", rawInput: { id: 1 } };
      await agent.ask("session/request_permission", { sessionId: "s", toolCall, options });
      await stage.ask("session/prompt", { sessionId: "s", prompt: [] });
      assert.equal(await callBridged(stage, "github", "get_issue", { id: 1 }), "done");
      assert.equal(asked(stage).length, 2);
    });
  });

  it("have the user asked once for what a sub-agent calls, too", async () => {
    await withRules([{ effect: "ask", mcp: "github/*" }], [github()], async (stage, agent) => {
      for (const [sessionId, child] of [
        ["s", "child"],
        ["child", "grandchild"],
      ]) {
        const update = { sessionUpdate: "subagent_update", sessionId: child };
        agent.client.notify(Notification.of("session/update", { sessionId, update }));
      }
      const toolCall = { toolCallId: "c", title: "mcp__github__get_issue", kind: "other", rawInput: { id: 1 } };
      await agent.ask("session/request_permission", { sessionId: "grandchild", toolCall, options });
      assert.equal(await callBridged(stage, "github", "get_issue", { id: 1 }), "done");
      assert.deepEqual(asked(stage), ["mcp__github__get_issue"]);
    });
  });

  it("answer what an agent asks: deny for all that a name may mean, allow for one tool alone", async () => {
    const rules = [
      { effect: "allow", mcp: ["github/get_issue", "a/*"] },
      { effect: "deny", mcp: "github/delete_repo" },
    ];
    await withRules(rules, [github()], async (stage, agent) => {
      const answer = async (title: string, rawInput: object = {}, kind = "other"): Promise<unknown> => {
        const before = asked(stage).length;
        const toolCall = { toolCallId: title, title, kind, rawInput };
        const { json } = await agent.ask("session/request_permission", { sessionId: "s", toolCall, options });
        const { outcome } = json.value as { outcome: { optionId: string } };
        return asked(stage).length > before ? "asked" : outcome.optionId;
      };
      assert.deepEqual(
        {
          allowed: await answer("mcp__github__get_issue"),
          given: await answer("mcp__github__get_issue", { path: "a.ts" }),
          denied: await answer("delete_repo (github MCP Server)"),
          execute: await answer("github-delete_repo", {}, "execute"),
          other: await answer("github_get_issues"),
          ambiguous: await answer("mcp__a__b__c"),
          command: await answer("mcp__github__get_issue", { command: "rm -r x" }),
          edit: await answer("github/get_issue", { path: "a.ts" }, "edit"),
          secret: await answer("mcp__github__get_issue", { path: ".env" }),
        },
        {
          allowed: "yes",
          given: "yes",
          denied: "no",
          execute: "no",
          other: "asked",
          ambiguous: "asked",
          command: "asked",
          edit: "asked",
          secret: "asked",
        },
      );
    });
  });

  it("have to name a server and a tool", () => {
    for (const mcp of ["github", "/x", "github/", "git hub/ x", "**/x"]) {
      const { problems } = parseGuardFile(JSON.stringify({ rules: [{ effect: "deny", mcp }] }), {
        file: "g",
        isOfProject: false,
      });
      assert.match(problems.join("\n"), /The tool pattern ".*" is invalid\. Use SERVER\/TOOL/, mcp);
    }
  });
});
