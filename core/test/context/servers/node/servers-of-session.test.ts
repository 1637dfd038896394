import assert from "node:assert/strict";
import { messageOf } from "../../../../src/base/symposium-error.js";
import type { McpServerEntry } from "../../../../src/base/mcp/mcp-server-entry.js";
import { RecordingPeer } from "../../../../testing/recording-peer.js";
import { awaitEnd } from "../../../base/node/surviving-processes.js";
import { never, text } from "../called-server.js";
import { HubStage, odd, program } from "./hub-stage.js";

describe("the servers that a session gets", function () {
  this.timeout(60_000);
  let stage: HubStage;
  beforeEach(() => {
    stage = new HubStage();
  });
  afterEach("no server survives its session", () => stage[Symbol.asyncDispose]());

  it("of one name stay apart in two sessions", async () => {
    const one = await stage.only(odd("x"));
    const other = await stage.only(odd("x"));
    assert.equal(one.name, other.name);
    assert.notEqual(await text(one, "where"), await text(other, "where"));
  });

  it("end with their session", async () => {
    const opened = stage.session();
    await stage.hub.open(opened, [odd("x")]);
    opened.end();
    assert.deepEqual(await awaitEnd([...stage.started]), []);
    assert.deepEqual(stage.hub.statuses.list(), []);
  });

  it("that lack a variable are left out, with its name", async () => {
    const server = odd("x", { launch: { type: "stdio", command: "${env:TEA}", args: [], env: {} } });
    assert.deepEqual((await stage.hub.open(stage.session(), [server])).servers, []);
    const [status] = stage.hub.statuses.list();
    assert.deepEqual(status?.state.kind === "failed" && status.state.reason, "${env:TEA} has no value.");
  });

  it("are given where they are meant to be, under names that every agent takes", async () => {
    const servers = [
      odd("My Server!"),
      odd("my.server"),
      odd("off", { isEnabled: false }),
      odd("codex-only", { agents: ["codex"] }),
      odd("gemini-only", { agents: ["gemini-cli"] }),
      odd("switched-off"),
    ];
    const project = {
      servers: [odd("my-server", { origin: { kind: "project" } })],
      disabledServers: ["switched-off"],
      disabledTools: [],
    };
    const editorServers = [{ type: "http", name: "my_server_3", url: "http://127.0.0.1:9/", headers: {} } as const];
    const opened = await stage.hub.open(stage.session({ agent: "gemini-cli", project, editorServers }), servers);
    assert.deepEqual(
      opened.servers.map(({ name }) => name),
      ["my_server", "my_server_2", "gemini_only", "my_server_4"],
    );
  });

  describe("of the editor", () => {
    const entry: McpServerEntry = {
      type: "stdio",
      name: "own",
      command: process.execPath,
      args: [program],
      env: { FIXTURE: "editor" },
    };

    it("stay its own where the agent takes them", async () => {
      const opened = await stage.hub.open(stage.session({ agent: "claude-code", editorServers: [entry] }), []);
      assert.deepEqual([opened.servers, opened.replaces], [[], []]);
    });

    it("become ours where the agent drops programs", async () => {
      const { servers, replaces } = await stage.hub.open(
        stage.session({ agent: "github-copilot", editorServers: [entry] }),
        [],
      );
      assert.deepEqual(replaces, ["own"]);
      assert.ok(servers[0]);
      assert.match(await text(servers[0], "where"), new RegExp(`^${stage.folder} editor `));
    });

    it("are one for all sessions where the agent has one set, and of another launch under another name", async () => {
      const client = new RecordingPeer();
      const own = stage.session({ agent: "opencode", editorServers: [entry], client });
      const again = stage.session({ agent: "opencode", editorServers: [entry], client });
      const changed = { ...entry, env: { FIXTURE: "else" } };
      const differing = stage.session({ agent: "opencode", editorServers: [changed], client });
      const [first, second, other] = await Promise.all([own, again, differing].map((one) => stage.hub.open(one, [])));
      assert.ok(first && second && other);
      const [one, same, another] = [first.servers[0], second.servers[0], other.servers[0]];
      assert.ok(one && same && another);
      assert.equal(one, same);
      assert.deepEqual([one.name, one.isShared, another.name], ["own", true, "own_2"]);
      own.end();
      assert.match(await text(same, "where"), / editor /);
      assert.match(await text(another, "where"), / else /);
    });
  });

  it("have their prompts as slash commands, which take arguments", async () => {
    const { commands } = await stage.hub.open(stage.session(), [odd("My x")]);
    const [poem] = commands?.current() ?? [];
    assert.ok(poem);
    assert.deepEqual([poem.name, poem.description, poem.hint], ["my_x:poem", "A poem", "<topic>"]);
    assert.deepEqual(await poem.expand("the sea at night", never), [
      { type: "text", text: "A poem about the sea at night" },
    ]);
    await assert.rejects(
      async () => poem.expand("", never),
      (fault) => {
        assert.match(messageOf(fault), /^\/my_x:poem needs topic\./);
        return true;
      },
    );
    assert.equal((await stage.hub.open(stage.session({ agent: "qwen-code" }), [odd("x")])).commands, undefined);
  });
});
