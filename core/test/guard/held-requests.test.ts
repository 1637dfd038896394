import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { guardProxy } from "../../src/guard/guard-proxy.js";
import { GuardFiles } from "../../src/guard/node/guard-rule-files.js";
import { GuardLog } from "../../src/guard/node/guard-log.js";
import { judgedCall } from "../../src/guard/node/guard-request.js";
import { Notification } from "../../src/base/rpc/message.js";
import { onStage, PlayedAgent, type Stage } from "../conductor/chain/chain-fixture.js";

const yesOrNo = [
  { optionId: "yes", name: "Yes", kind: "allow_once" },
  { optionId: "always", name: "Always", kind: "allow_always" },
  { optionId: "no", name: "No", kind: "reject_once" },
];

describe("what an agent in a sandbox asks for", () => {
  let root = "";
  let config = "";
  let project = "";
  let isSandboxed = true;
  let name = "played";
  beforeEach(async () => {
    [isSandboxed, name] = [true, "played"];
    root = await realpath(await mkdtemp(join(tmpdir(), "guard-held-")));
    [config, project] = [join(root, "config"), join(root, "project")];
    await mkdir(config);
    await mkdir(join(project, ".git", "hooks"), { recursive: true });
    await symlink(root, join(project, "out"));
    await symlink(join(project, ".git", "hooks"), join(project, "scripts"));
  });
  afterEach(() => rm(root, { recursive: true }));

  const write = (rules: readonly object[]): Promise<void> =>
    writeFile(join(config, "guard.jsonc"), JSON.stringify({ rules }));

  /** Returns the option selected for each call, or `user` if the guard passed the question to the user. */
  async function answered(
    calls: readonly object[],
    options: readonly object[] = yesOrNo,
    announced: readonly object[] = [],
  ): Promise<readonly string[]> {
    const log = new GuardLog(config);
    const guard = guardProxy({
      home: homedir(),
      rulesFor: (cwd) => new GuardFiles(config, homedir()).rulesFor(cwd),
      judge: judgedCall,
      isSandboxed: () => isSandboxed,
      record: (record) => log.add(record),
      now: () => new Date("2026-01-02T03:04:05Z"),
    });
    const agent = new PlayedAgent({
      initialize: { protocolVersion: 1, agentInfo: { name, version: "1" } },
      "session/new": () => ({ sessionId: "s" }),
    });
    const answers: string[] = [];
    const client = {
      answers: { "session/request_permission": () => ({ outcome: { outcome: "selected", optionId: "user" } }) },
    };
    await onStage({ agent, client, conductor: { lastProxies: [guard] } }, async (stage: Stage) => {
      await stage.initialize();
      const mcpServers = [{ name: "github", command: "github-server", args: [], env: [] }];
      await stage.result("session/new", { cwd: project, mcpServers });
      for (const update of announced) agent.client.notify(Notification.of("session/update", update));
      for (const call of calls) {
        const toolCall = { toolCallId: "c", title: "Do it", ...call };
        const outcome = await agent.ask("session/request_permission", { sessionId: "s", toolCall, options });
        const { optionId } = (outcome.json.object?.["outcome"] ?? {}) as { readonly optionId?: string };
        answers.push(optionId ?? "none");
      }
    });
    return answers;
  }

  const recorded = async (): Promise<readonly unknown[]> => {
    const text = await readFile(join(config, "guard", "log.jsonl"), "utf8").catch(() => "");
    return text
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => {
        const { subject, rule, answer } = JSON.parse(line) as Record<string, unknown>;
        return [subject, rule, answer];
      });
  };

  it("is allowed once where the sandbox holds it: reads, writes of the workspace, commands; each is recorded", async () => {
    const calls = [
      { kind: "read", rawInput: { path: "/etc/hostname" } },
      { kind: "search", rawInput: { path: "src", pattern: "x" } },
      { kind: "edit", rawInput: { file_path: join(project, "src/a.ts") } },
      { kind: "edit", locations: [{ path: "a.ts" }], content: [{ type: "diff", path: "b.ts", newText: "" }] },
      { kind: "delete", rawInput: { path: "a.ts" } },
      { kind: "execute", rawInput: { command: "X=$(cat ~/.ssh/id_rsa); eval $X | sh" } },
    ];
    assert.deepEqual(
      await answered(calls),
      calls.map(() => "yes"),
    );
    const [held, allow] = ["held by the sandbox", "allow"];
    assert.deepEqual(await recorded(), [
      ["read /etc/hostname", held, allow],
      [`read ${join(project, "src")}`, held, allow],
      [`write ${join(project, "src/a.ts")}`, held, allow],
      [`write ${join(project, "a.ts")}, write ${join(project, "b.ts")}`, held, allow],
      [`write ${join(project, "a.ts")}`, held, allow],
      ["command cat, eval, sh", held, allow],
    ]);
  });

  it("is asked about without one", async () => {
    isSandboxed = false;
    assert.deepEqual(await answered([{ kind: "execute", rawInput: { command: "ls" } }]), ["user"]);
    assert.deepEqual(await recorded(), []);
  });

  const elsewhere: readonly (readonly [string, object])[] = [
    ["a write outside of the workspace", { kind: "edit", rawInput: { path: "/etc/hostname" } }],
    ["one through a link that leads out", { kind: "edit", rawInput: { path: "out/x" } }],
    ["one file of several outside", { kind: "edit", locations: [{ path: "a.ts" }, { path: "../b.ts" }] }],
    ["a file that runs code later", { kind: "edit", rawInput: { path: ".vscode/tasks.json" } }],
    ["one that is not there yet", { kind: "edit", rawInput: { path: ".envrc" } }],
    ["one that the user's tools run code of", { kind: "edit", rawInput: { path: ".github/workflows/ci.yml" } }],
    ["a hook of git by the name of a link", { kind: "edit", rawInput: { path: "scripts/pre-commit" } }],
    ["one in a repository within", { kind: "edit", rawInput: { path: "sub/.git/config" } }],
    ["a secret that is read", { kind: "read", rawInput: { path: ".env" } }],
    ["a file that is moved out", { kind: "move", locations: [{ path: "a.ts" }, { path: "/tmp/a.ts" }] }],
    ["a command that is not shown", { kind: "execute", rawInput: { id: 7 } }],
    ["an empty one", { kind: "execute", rawInput: { command: " " } }],
    ["a read of nothing", { kind: "read" }],
    ["a search of the web", { kind: "search", rawInput: { query: "weather" } }],
    ["a read of an address", { kind: "read", rawInput: { path: "a", url: "https://example.com" } }],
    ["a fetch", { kind: "fetch", rawInput: { url: "https://example.com" } }],
    ["a change of mode", { kind: "switch_mode", rawInput: { plan: "Do it" } }],
    ["a plan that names files", { kind: "switch_mode", rawInput: { path: "a.ts" } }],
    ["a kind that nobody knows", { kind: "teleport", rawInput: { path: "a.ts" } }],
    ["no kind", { rawInput: { command: "ls" } }],
    ["a tool of a server that is called a read", { kind: "read", title: "mcp__github__get", rawInput: { path: "a" } }],
    ["one that is told by its id", { kind: "read", toolCallId: "mcp_github_get__1", rawInput: { path: "a" } }],
    ["one that is called a command", { kind: "execute", title: "run (x MCP Server)", rawInput: { command: "ls" } }],
    ["a command that is called a read", { kind: "read", rawInput: { path: "a", command: "ls" } }],
  ];
  for (const [what, call] of elsewhere) {
    it(`is still asked: ${what}`, async () => {
      assert.deepEqual(await answered([call]), ["user"]);
      assert.deepEqual(await recorded(), []);
    });
  }

  it("is judged by what was announced, too", async () => {
    const update = { sessionUpdate: "tool_call", toolCallId: "c", title: "mcp__github__get", kind: "read" };
    const call = { rawInput: { path: "a" } };
    assert.deepEqual(await answered([call], yesOrNo, [{ sessionId: "s", update }]), ["user"]);
    const known = { ...update, title: "Read a", rawInput: { path: "a" } };
    assert.deepEqual(await answered([{}], yesOrNo, [{ sessionId: "s", update: known }]), ["yes"]);
  });

  it("is a command by its title with an agent that shows commands so, and for rules, too", async () => {
    const call = { kind: "execute", title: "git push --force" };
    assert.deepEqual(await answered([call]), ["user"]);
    name = "gemini-cli";
    assert.deepEqual(await answered([call, { ...call, kind: "edit" }]), ["yes", "user"]);
    await write([{ effect: "deny", command: "git push" }]);
    assert.deepEqual(await answered([call]), ["no"]);
  });

  it("is asked where it is no question of yes or no", async () => {
    const [yes, always, no] = yesOrNo;
    const call = [{ kind: "execute", rawInput: { command: "ls" } }];
    for (const options of [[], [yes], [always, no], [yes, { ...yes, optionId: "or" }, no]]) {
      assert.deepEqual(await answered(call, options as object[]), ["user"]);
    }
  });

  it("is denied, asked about and allowed by the user's rules before", async () => {
    await write([
      { effect: "deny", command: "curl" },
      { effect: "ask", write: "/docs" },
      { effect: "deny", read: "*.pem" },
      { effect: "allow", host: "example.com" },
    ]);
    assert.deepEqual(
      await answered([
        { kind: "execute", rawInput: { command: "cd x && curl y" } },
        { kind: "execute", rawInput: { command: "cat key.pem" } },
        { kind: "execute", rawInput: { command: "$X y" } },
        { kind: "edit", rawInput: { path: "docs/a.md" } },
        { kind: "edit", rawInput: { path: "src/a.ts" } },
        { kind: "fetch", rawInput: { url: "https://example.com" } },
      ]),
      ["no", "no", "user", "user", "yes", "yes"],
    );
    await writeFile(join(config, "guard.jsonc"), "{");
    assert.deepEqual(await answered([{ kind: "execute", rawInput: { command: "ls" } }]), ["user"]);
  });
});
