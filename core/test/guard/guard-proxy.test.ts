import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, realpath, rm, stat, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { guardProxy } from "../../src/guard/guard-proxy.js";
import { GuardFiles } from "../../src/guard/node/guard-rule-files.js";
import { GuardLog } from "../../src/guard/node/guard-log.js";
import { judgedCall } from "../../src/guard/node/guard-request.js";
import { onStage, PlayedAgent, type Stage } from "../conductor/chain/chain-fixture.js";

const options = [
  { optionId: "yes", name: "Yes", kind: "allow_once" },
  { optionId: "always", name: "Always", kind: "allow_always" },
  { optionId: "no", name: "No", kind: "reject_once" },
];

describe("an agent behind the guard", () => {
  let root = "";
  let config = "";
  let project = "";
  beforeEach(async () => {
    root = await realpath(await mkdtemp(join(tmpdir(), "guard-")));
    [config, project] = [join(root, "config"), join(root, "project")];
    await mkdir(config);
    await mkdir(join(project, ".symposium"), { recursive: true });
    await mkdir(join(project, ".git"));
  });
  afterEach(() => rm(root, { recursive: true }));

  const write = (folder: string, rules: readonly object[]): Promise<void> =>
    writeFile(join(folder, "guard.jsonc"), JSON.stringify({ rules }));

  async function withGuard(
    body: (stage: Stage, agent: PlayedAgent) => Promise<void>,
    answers: NonNullable<ConstructorParameters<typeof Stage>[0]>["client"] = {},
    delayed: () => Promise<void> = () => Promise.resolve(),
    name = "played",
  ): Promise<void> {
    const files = new GuardFiles(config, homedir());
    const log = new GuardLog(config);
    const guard = guardProxy({
      home: homedir(),
      rulesFor: async (cwd) => {
        await delayed();
        return files.rulesFor(cwd);
      },
      judge: judgedCall,
      isSandboxed: () => false,
      record: (record) => log.add(record),
      now: () => new Date("2026-01-02T03:04:05Z"),
    });
    const agent = new PlayedAgent({
      initialize: { protocolVersion: 1, agentInfo: { name, version: "1" } },
      "session/new": ({ params }) => ({ sessionId: params?.object?.["cwd"] === project ? "s" : "other" }),
    });
    await onStage({ agent, client: answers, conductor: { lastProxies: [guard] } }, async (stage) => {
      await stage.initialize();
      await stage.result("session/new", { cwd: project, mcpServers: [] });
      await body(stage, agent);
    });
  }

  async function permission(agent: PlayedAgent, rawInput: object, kind = "execute"): Promise<unknown> {
    const toolCall = { toolCallId: "c", title: "Do it", kind, rawInput };
    return (await agent.ask("session/request_permission", { sessionId: "s", toolCall, options })).json.value;
  }

  const selected = (optionId: string): object => ({ outcome: { outcome: "selected", optionId } });
  /** The parameters of what the user was asked. */
  const asked = (stage: Stage): readonly Readonly<Record<string, unknown>>[] =>
    stage.client.received
      .filter(({ method }) => method === "session/request_permission")
      .map(({ params }) => params?.object ?? {});

  it("is answered by the rules, and everything else by the editor, as it was asked", async () => {
    await write(config, [
      { effect: "deny", command: "git push", reason: "CI pushes." },
      { effect: "allow", command: "npm test" },
    ]);
    await withGuard(async (stage, agent) => {
      assert.deepEqual(await permission(agent, { command: "git push" }), selected("no"));
      assert.deepEqual(await permission(agent, { command: "npm test" }), selected("yes"));
      assert.equal(asked(stage).length, 0);
      assert.deepEqual(await permission(agent, { command: "git pull" }), selected("yes"));
      const toolCall = { toolCallId: "c", title: "Do it", kind: "execute", rawInput: { command: "git pull" } };
      assert.deepEqual(asked(stage), [{ sessionId: "s", toolCall, options }]);
    });
  });

  it("has the user asked where a rule says so: no remembered answer stands in for that", async () => {
    await write(config, [{ effect: "ask", command: "npm publish" }]);
    await withGuard(async (stage, agent) => {
      await permission(agent, { command: "npm publish" });
      assert.deepEqual(
        asked(stage).map(({ _meta, options: offered }) => ({ _meta, offered })),
        [{ _meta: { "symposium/mustAsk": true }, offered: options.filter(({ kind }) => kind !== "allow_always") }],
        "an answer for always would have the agent not ask again",
      );
    });
  });

  it("is judged by what it announced of a call where its request says less", async () => {
    await write(config, [{ effect: "deny", command: "curl" }]);
    await withGuard(async (_stage, agent) => {
      const { Notification } = await import("../../src/base/rpc/message.js");
      const update = { sessionUpdate: "tool_call", toolCallId: "c", title: "x", rawInput: { command: "curl x" } };
      agent.client.notify(Notification.of("session/update", { sessionId: "s", update }));
      const outcome = await agent.ask("session/request_permission", {
        sessionId: "s",
        toolCall: { toolCallId: "c" },
        options,
      });
      assert.deepEqual(outcome.json.value, selected("no"));
    });
  });

  it("is judged so in a session that has rules, also after another one was opened that has none", async () => {
    await write(join(project, ".symposium"), [{ effect: "deny", command: "curl" }]);
    await withGuard(async (stage, agent) => {
      await stage.result("session/new", { cwd: root, mcpServers: [] });
      await permission(agent, { command: "ls" }, "execute");
      const { Notification } = await import("../../src/base/rpc/message.js");
      const update = { sessionUpdate: "tool_call", toolCallId: "c", title: "x", rawInput: { command: "curl x" } };
      agent.client.notify(Notification.of("session/update", { sessionId: "s", update }));
      const toolCall = { toolCallId: "c" };
      const outcome = await agent.ask("session/request_permission", { sessionId: "s", toolCall, options });
      assert.deepEqual(outcome.json.value, selected("no"));
    });
  });

  it("meets the rules of a repository while it still loads a session there", async () => {
    await write(join(project, ".symposium"), [{ effect: "deny", read: ".env" }]);
    await withGuard(async (stage, agent) => {
      await stage.ask("session/load", { sessionId: "loaded", cwd: project, mcpServers: [] });
      const read = await agent.ask("fs/read_text_file", { sessionId: "loaded", path: join(project, ".env") });
      assert.match(read.json.text, /refused by a rule/);
    });
  });

  it("is cancelled where it offers no way to refuse, and never allowed for longer than once", async () => {
    await write(config, [
      { effect: "deny", command: "curl" },
      { effect: "allow", command: "ls" },
    ]);
    await withGuard(async (stage, agent) => {
      const ask = async (command: string, kinds: readonly string[]): Promise<unknown> => {
        const offered = options.filter(({ kind }) => kinds.includes(kind));
        const toolCall = { toolCallId: "c", title: "x", kind: "execute", rawInput: { command } };
        return (await agent.ask("session/request_permission", { sessionId: "s", toolCall, options: offered })).json
          .value;
      };
      assert.deepEqual(await ask("curl x", ["allow_once"]), { outcome: { outcome: "cancelled" } });
      await ask("ls", ["allow_always"]);
      assert.equal(asked(stage).length, 1);
    });
  });

  it("may not write, read or run through the editor what a rule refuses, and is told why", async () => {
    await write(config, [
      { effect: "deny", read: ".env", reason: "Secrets stay here." },
      { effect: "ask", write: "/ci" },
      { effect: "deny", command: "curl" },
    ]);
    const files = new Map([[join(project, "a.ts"), "text"]]);
    await withGuard(
      async (stage, agent) => {
        const { json, isError } = await agent.ask("fs/read_text_file", { sessionId: "s", path: join(project, ".env") });
        assert.ok(isError);
        assert.match(json.text, /refused by a rule \(.*guard\.jsonc:1\)\. Secrets stay here\./);
        const terminal = { sessionId: "s", command: "sh", args: ["-c", "curl x"] };
        assert.ok((await agent.ask("terminal/create", terminal)).isError);
        const read = await agent.ask("fs/read_text_file", { sessionId: "s", path: join(project, "a.ts") });
        assert.deepEqual(read.json.value, { content: "text" });
        const place = join(project, "ci", "x.yml");
        const written = await agent.ask("fs/write_text_file", { sessionId: "s", path: place, content: "new" });
        assert.equal(written.isError, true, "the user has rejected it");
        assert.deepEqual([asked(stage).length, files.has(place)], [1, false]);
      },
      { files, permits: "reject_once" },
    );
  });

  it("runs what a rule has asked about only when the user has seen all of it", async () => {
    await write(config, [{ effect: "ask", command: "rm" }]);
    await withGuard(
      async (stage, agent) => {
        const terminal = { sessionId: "s", command: "sh", args: ["-ec", "rm -r \u202ex"], cwd: "/tmp" };
        const env = [{ name: "PATH", value: "/evil" }];
        assert.ok((await agent.ask("terminal/create", { ...terminal, env })).isError);
        const shown = JSON.stringify(asked(stage).map(({ toolCall }) => toolCall));
        for (const text of ["Run sh -ec 'rm -r ‹U+202E›x'", "In /tmp.", "With PATH=/evil."]) {
          assert.ok(shown.includes(text), shown);
        }
      },
      { permits: "reject_once" },
    );
  });

  it("writes files in the order in which it has asked, however long the rules take", async () => {
    const path = join(project, "a.ts");
    const files = new Map([[path, ""]]);
    let first: () => void = () => undefined;
    const released = new Promise<void>((resolve) => (first = resolve));
    let asked = 0;
    const delayed = async (): Promise<void> => {
      // The first time is for the session that opens.
      if (++asked === 2) await released;
    };
    await withGuard(
      async (_stage, agent) => {
        const writes = ["one", "two"].map((content) =>
          agent.ask("fs/write_text_file", { sessionId: "s", path, content }),
        );
        setImmediate(first);
        await Promise.all(writes);
        assert.equal(files.get(path), "two");
      },
      { files },
      delayed,
    );
  });

  it("has everything asked where the user's rules are a device or a folder, which is not read", async () => {
    await mkdir(join(config, "guard.jsonc"));
    await withGuard(async (stage, agent) => {
      await permission(agent, { command: "ls" });
      assert.deepEqual(asked(stage)[0]?.["_meta"], { "symposium/mustAsk": true });
      assert.match(JSON.stringify(stage.events), /it isn't a file of at most/);
    });
  });

  it("meets the rules of its repository, which may only tighten, and rules that change while it runs", async () => {
    await write(join(project, ".symposium"), [
      { effect: "deny", command: "npm publish" },
      { effect: "allow", command: "ls" },
    ]);
    await withGuard(async (stage, agent) => {
      assert.deepEqual(await permission(agent, { command: "npm publish" }), selected("no"));
      await permission(agent, { command: "ls" });
      assert.equal(asked(stage).length, 1, "a repository allows nothing");
      await write(config, [{ effect: "deny", command: "ls" }]);
      assert.deepEqual(await permission(agent, { command: "ls" }), selected("no"));
    });
  });

  it("has everything asked while the user's own rules cannot be read, and that is said", async () => {
    await writeFile(join(config, "guard.jsonc"), '{"rules": [{"effect": "deny", "comand": "rm"}]}');
    await withGuard(async (stage, agent) => {
      await permission(agent, { command: "ls" });
      const [request] = asked(stage);
      assert.deepEqual(request?.["_meta"], { "symposium/mustAsk": true });
      assert.match(JSON.stringify(stage.events), /guard\.jsonc:1:\d+: A rule has no \\*"comand/);
    });
  });

  it("calls an agent in its record as rules do", async () => {
    await write(config, [{ effect: "deny", command: "curl" }]);
    const body = async (_stage: Stage, agent: PlayedAgent): Promise<void> => {
      await permission(agent, { command: "curl x" });
      assert.deepEqual(
        (await new GuardLog(config).last(1)).map(({ agent: name }) => name),
        ["opencode"],
      );
    };
    await withGuard(body, {}, undefined, "OpenCode");
  });

  it("leaves a line for each decision, without contents, that nobody else can read", async () => {
    await write(config, [{ effect: "deny", command: "curl" }]);
    await withGuard(async (_stage, agent) => {
      await permission(agent, { command: "curl -H 'token: geheim' x" });
      const log = new GuardLog(config);
      assert.deepEqual(await log.last(10), [
        {
          time: "2026-01-02T03:04:05.000Z",
          agent: "played",
          session: "s",
          subject: "command curl",
          rule: `${join(config, "guard.jsonc")}:1`,
          answer: "deny",
        },
      ]);
      assert.doesNotMatch(await readFile(log.file, "utf8"), /geheim/);
      if (process.platform !== "win32") assert.equal((await stat(log.file)).mode & 0o077, 0);
    });
  });
});
