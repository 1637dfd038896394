import * as quirks from "../../../src/agents/agent-quirks.js";
import assert from "node:assert/strict";
import { posix } from "node:path";
import { sandboxProxy } from "../../../src/guard/sandbox/sandbox-proxy.js";
import type { McpOutcome } from "../../../src/base/mcp/mcp-server.js";
import { editorEditsProxy } from "../../../src/extensions/editor-edits/edits-through-editor-proxy.js";
import { Json } from "../../../src/base/rpc/json.js";
import { Notification, Outcome, Request } from "../../../src/base/rpc/message.js";
import { ask } from "../../../src/base/rpc/peer.js";
import { RpcError } from "../../../src/base/rpc/rpc-error.js";
import type { scriptedClient } from "../../../testing/scripted-client.js";
import { PlayedAgent, Stage } from "../../conductor/chain/chain-fixture.js";

const claudeName = "@agentclientprotocol/claude-agent-acp";
const takesFiles = { fs: { readTextFile: true, writeTextFile: true } };

interface EditorOptions {
  /** Texts of files in the editor, by path. */
  readonly files?: Map<string, string>;
  /** Texts of files on disk, by path; the editor's texts by default. */
  readonly disk?: ReadonlyMap<string, string>;
  readonly agentName?: string;
  /** The agent runs in a sandbox that is open for `/w`. */
  readonly isSandboxed?: boolean;
  readonly capabilities?: unknown;
  /** More answers of the editor. */
  readonly answers?: NonNullable<Parameters<typeof scriptedClient>[0]>["answers"];
}

/** The proxy between a client and an agent that says it is Claude. */
class EditorStage {
  readonly agent: PlayedAgent;
  readonly stage: Stage;
  readonly files: Map<string, string>;
  /** How often the proxy has waited for the editor. */
  waits = 0;

  constructor(private readonly options: EditorOptions = {}) {
    const { files = new Map<string, string>(), agentName = claudeName, answers } = options;
    this.files = files;
    const agentInfo = { name: agentName, version: "1.0.0" };
    const mcpCapabilities = { http: true };
    this.agent = new PlayedAgent({
      initialize: { protocolVersion: 1, agentInfo, agentCapabilities: { mcpCapabilities } },
    });
    const services = {
      readText: (path: string) => Promise.resolve((options.disk ?? files).get(path)),
      wait: () => {
        this.waits++;
        return Promise.resolve();
      },
    };
    const proxies = [editorEditsProxy(services, "1", quirks), ...(options.isSandboxed === true ? [sandboxOfW] : [])];
    this.stage = new Stage({ proxies, agent: this.agent, client: { files, ...(answers && { answers }) } });
  }

  /** Opens a session; the parameters that reached the agent. */
  async open(params: object = {}): Promise<Readonly<Record<string, unknown>>> {
    await this.stage.initialize(this.options.capabilities ?? takesFiles);
    await this.stage.result("session/new", { cwd: "/w", mcpServers: [], ...params });
    const opened = this.agent.peer.received.find(({ method }) => method === "session/new");
    return opened?.params?.object ?? {};
  }

  /** Calls a tool and returns its answer as text. */
  async call(name: string, args: object): Promise<string> {
    if (this.stage.bridge.exposed.size === 0) await this.open();
    const server = this.stage.bridge.exposed.get("editor-edits");
    const context = { signal: new AbortController().signal, notify: () => undefined, cancel: () => undefined };
    const params = Json.of({ name, arguments: args });
    const outcome: McpOutcome | undefined = await server?.call("tools/call", params, context);
    return outcome === undefined ? "no server" : textOf(outcome);
  }
}

const sandboxOfW = sandboxProxy({
  agent: () => ({
    ...{ workspaceRoots: ["/w"], canRestart: false, restart: () => Promise.resolve(), settle: () => undefined },
  }),
  ...{
    refusedRoot: () => undefined,
    isCovered: () => true,
    placeOf: (path) => posix.normalize(path),
    opened: () => undefined,
  },
});

/** The texts of a tool's result. */
function textOf({ json }: McpOutcome): string {
  const content = json.object?.["content"];
  const blocks = Array.isArray(content) ? content : [];
  return blocks.map((block: unknown) => String(Json.of(block).object?.["text"])).join("\n");
}

const edit = { file_path: "/w/poem", old_string: "violets", new_string: "lilies" };

describe("editor-edits", () => {
  it("leaves Claude's own tools out of a session, besides those that the client leaves out", async () => {
    const stage = new EditorStage();
    const options = { model: "m1", disallowedTools: ["Bash"] };
    const { _meta } = await stage.open({ _meta: { claudeCode: { options } } });
    const disallowedTools = ["Bash", "Write", "Edit", "MultiEdit"];
    assert.deepEqual(_meta, { claudeCode: { options: { model: "m1", disallowedTools } } });
    assert.deepEqual([...stage.stage.bridge.exposed.keys()], ["editor-edits"]);
  });

  it("does nothing for another agent, nor for an editor without files", async () => {
    for (const options of [{ agentName: "OpenCode" }, { capabilities: { fs: { readTextFile: true } } }]) {
      const stage = new EditorStage(options);
      assert.deepEqual(await stage.open(), { cwd: "/w", mcpServers: [] });
    }
  });

  it("creates, replaces, edits and reads files through the editor", async () => {
    const stage = new EditorStage();
    const file_path = "/w/poem";
    assert.deepEqual(
      [
        await stage.call("write", { file_path, content: "roses\n" }),
        await stage.call("write", { file_path, content: "roses\nviolets\n" }),
        await stage.call("edit", edit),
        await stage.call("read", { file_path }),
      ],
      ["Created /w/poem.", "Replaced the text of /w/poem.", "Changed /w/poem.", "roses\nlilies\n"],
    );
    assert.deepEqual(stage.files, new Map([["/w/poem", "roses\nlilies\n"]]));
  });

  it("writes in the session that the tool belongs to", async () => {
    const stage = new EditorStage();
    await stage.call("write", { file_path: "/w/poem", content: "roses" });
    const write = stage.stage.client.received.find(({ method }) => method === "fs/write_text_file");
    assert.deepEqual(write?.params?.value, { sessionId: "s", path: "/w/poem", content: "roses" });
  });

  it("edits every place only when it is told to", async () => {
    const stage = new EditorStage({ files: new Map([["/w/poem", "violets, violets"]]) });
    assert.match(await stage.call("edit", edit), /occurs 2 times in \/w\/poem\. Include more of the surrounding text/);
    assert.equal(await stage.call("edit", { ...edit, replace_all: true }), "Changed /w/poem.");
    assert.equal(stage.files.get("/w/poem"), "lilies, lilies");
  });

  it("takes the new text as it is", async () => {
    const stage = new EditorStage({ files: new Map([["/w/poem", "violets"]]) });
    await stage.call("edit", { ...edit, new_string: "$& costs $1" });
    assert.equal(stage.files.get("/w/poem"), "$& costs $1");
  });

  it("waits for an editor that has not noticed a change on the disk yet", async () => {
    const files = new Map([["/w/poem", "old"]]);
    const stage = new EditorStage({
      files,
      disk: new Map([["/w/poem", "violets"]]),
      answers: {
        "fs/read_text_file": () => {
          if (stage.waits === 2 && files.get("/w/poem") === "old") files.set("/w/poem", "violets");
          return { content: files.get("/w/poem") };
        },
      },
    });
    assert.equal(await stage.call("edit", edit), "Changed /w/poem.");
    assert.deepEqual([stage.waits, files.get("/w/poem")], [2, "lilies"]);
  });

  it("goes by the user's unsaved text, and says that there is some when a place is not in it", async () => {
    const files = new Map([["/w/poem", "unsaved violets"]]);
    const stage = new EditorStage({ files, disk: new Map([["/w/poem", "violets, as saved"]]) });
    assert.match(
      await stage.call("edit", { ...edit, old_string: "as saved" }),
      /old_string was not found in \/w\/poem\. The user has unsaved changes in it/,
    );
    assert.equal(await stage.call("edit", edit), "Changed /w/poem.");
    assert.equal(files.get("/w/poem"), "unsaved lilies");
  });

  it("knows a new file by an editor that has an empty text for it, without waiting", async () => {
    const stage = new EditorStage({ answers: { "fs/read_text_file": { content: "" } } });
    assert.match(await stage.call("write", { file_path: "/w/poem", content: "roses" }), /^Created/);
    assert.match(await stage.call("edit", { ...edit, file_path: "/w/other" }), /does not exist/);
    assert.equal(stage.waits, 0);
  });

  it("asks before it writes what makes tools run programs, by whatever spelling, and nothing else", async () => {
    const titles: string[] = [];
    let optionId = "reject";
    const stage = new EditorStage({
      answers: {
        "session/request_permission": ({ params }) => {
          const toolCall = params?.object?.["toolCall"];
          titles.push(String(Json.of(toolCall).object?.["title"]));
          return { outcome: { outcome: "selected", optionId } };
        },
      },
    });
    const write = (path: string): Promise<string> => stage.call("write", { file_path: path, content: "x" });
    for (const path of ["/w/.git/config", "/w/a/../.GIT/hooks/x", "/w/.vscode/tasks.json", "/w/.env"]) {
      assert.match(await write(path), /The user did not allow writing /);
    }
    assert.deepEqual([stage.files.size, titles.length], [0, 4]);
    assert.match(titles[0] ?? "", /^Write \/w\/\.git\/config, which belongs to Git's own data/);
    optionId = "allow";
    assert.match(await write("/w/.envrc"), /^Created/);
    assert.match(await write("/w/src/main.ts"), /^Created/);
    assert.equal(titles.length, 5);
  });

  it("reaches no file that the agent's sandbox keeps from it", async () => {
    const files = new Map([["/home/key", "violets"]]);
    const stage = new EditorStage({ files, isSandboxed: true });
    assert.match(await stage.call("read", { file_path: "/w/../home/key" }), /outside this session's folders/);
    for (const file_path of ["/home/bin/ls", "/w/.git/hooks/pre-commit", "/w/.envrc"]) {
      assert.match(await stage.call("write", { file_path, content: "x" }), /This agent can't use "[^"]+": /);
    }
    assert.match(await stage.call("edit", { ...edit, file_path: "/home/key" }), /This agent can't use/);
    assert.match(await stage.call("write", { file_path: "/w/poem", content: "x" }), /^Created/);
    assert.deepEqual([...files.keys()], ["/home/key", "/w/poem"]);
    assert.equal(files.get("/home/key"), "violets");
  });

  it("takes other line ends on the disk for the same text", async () => {
    const files = new Map([["/w/poem", "roses\nviolets\n"]]);
    const stage = new EditorStage({ files, disk: new Map([["/w/poem", "\uFEFFroses\r\nviolets\r\n"]]) });
    await stage.call("edit", edit);
    assert.equal(stage.waits, 0);
  });

  it("keeps the line ends of a file that has no others", async () => {
    const files = new Map([
      ["/w/poem", "roses\r\nviolets\r\n"],
      ["/w/mixed", "roses\nviolets\r\n"],
    ]);
    const stage = new EditorStage({ files });
    const lines = { old_string: "roses\nviolets", new_string: "roses\nlilies\npoppies" };
    assert.equal(await stage.call("edit", { file_path: "/w/poem", ...lines }), "Changed /w/poem.");
    assert.equal(await stage.call("edit", { file_path: "/w/mixed", ...lines }), "Changed /w/mixed.");
    assert.deepEqual([...files.values()], ["roses\r\nlilies\r\npoppies\r\n", "roses\nlilies\npoppies\r\n"]);
  });

  it("counts a file as written that cannot be read back", async () => {
    const refusal = Outcome.error(new RpcError(-32602, "gone"));
    let hasWritten = false;
    const stage = new EditorStage({
      answers: {
        "fs/read_text_file": () => (hasWritten ? refusal : { content: "" }),
        "fs/write_text_file": () => {
          hasWritten = true;
          return {};
        },
      },
    });
    assert.equal(await stage.call("write", { file_path: "/w/poem", content: "roses" }), "Created /w/poem.");
  });

  it("says that the editor has formatted a file on saving", async () => {
    const files = new Map<string, string>();
    const stage = new EditorStage({
      files,
      answers: {
        "fs/write_text_file": ({ params }) => {
          files.set("/w/poem", `${String(params?.object?.["content"])}\n`);
          return {};
        },
      },
    });
    assert.match(
      await stage.call("write", { file_path: "/w/poem", content: "roses" }),
      /^Created \/w\/poem\. The editor formatted it on save/,
    );
  });

  it("says why the editor refuses, and that a file is not there", async () => {
    const refusal = Outcome.error(new RpcError(-32602, "invalid path"));
    const stage = new EditorStage({ answers: { "fs/write_text_file": refusal } });
    assert.match(
      await stage.call("write", { file_path: "/elsewhere", content: "" }),
      /The editor refused \/elsewhere: invalid path\. An editor can access only the files of its project/,
    );
    assert.match(await stage.call("edit", edit), /\/w\/poem does not exist\. Use `write` to create it\./);
  });

  it("shows a call of its tools as an edit with its difference, and leaves all others as they were", async () => {
    const stage = new EditorStage();
    await stage.open();
    const rawInput = { file_path: "/w/poem", content: "roses" };
    const own = {
      sessionUpdate: "tool_call",
      toolCallId: "1",
      title: "mcp__editor-edits__write",
      kind: "other",
      rawInput,
      _meta: { claudeCode: { toolName: "mcp__editor-edits__write" } },
    };
    const other = { sessionUpdate: "tool_call", toolCallId: "2", title: "asks of mcp__editor-edits__write" };
    for (const update of [own, other]) {
      stage.agent.client.notify(Notification.of("session/update", { sessionId: "s", update }));
    }
    assert.deepEqual(stage.stage.client.updates, [
      {
        ...own,
        kind: "edit",
        title: "Write /w/poem",
        locations: [{ path: "/w/poem" }],
        content: [{ type: "diff", path: "/w/poem", oldText: null, newText: "roses" }],
      },
      other,
    ]);
  });

  describe("of OpenCode, which writes the disk beside the editor", () => {
    const options = ["allow_once", "allow_always", "reject_once"].map((kind) => ({ optionId: kind, kind, name: kind }));
    /** The editor's file once the agent has the answer to its question. */
    async function fileAfter(
      optionId: string,
      oldText: string | null,
      file?: string,
      path = "/w/poem",
    ): Promise<string | undefined> {
      const isSandboxed = true;
      const stage = new EditorStage({
        agentName: "OpenCode",
        isSandboxed,
        files: new Map(file === undefined ? [] : [[path, file]]),
        answers: { "session/request_permission": { outcome: { outcome: "selected", optionId } } },
      });
      await stage.open();
      const content = [{ type: "diff", path, oldText, newText: "roses\n" }];
      const toolCall = { toolCallId: "1", kind: "edit", content };
      const question = Request.of("session/request_permission", { sessionId: "s", toolCall, options });
      const answer = await ask(stage.agent.client, question);
      assert.deepEqual(answer.json.value, { outcome: { outcome: "selected", optionId } });
      const written = stage.files.get(path);
      const own = Request.of("fs/write_text_file", { sessionId: "s", path, content: "as the disk has it" });
      for (let time = 1; time <= 2; time++) await ask(stage.agent.client, own);
      const { received } = stage.stage.client;
      // Of what was written for the agent, its first own request is answered here; all others reach the editor.
      assert.equal(received.filter(({ method }) => method === own.method).length, path === "/w/poem" ? 2 : 0);
      return written;
    }

    it("has the editor write what was allowed before the agent hears of it", async () => {
      assert.equal(await fileAfter("allow_once", ""), "roses\n");
      assert.equal(await fileAfter("allow_always", null), "roses\n");
      assert.equal(await fileAfter("allow_once", "violets\n", "violets\n"), "roses\n");
    });

    it("writes nothing that the agent's sandbox keeps from it, whatever the user allows", async () => {
      assert.equal(await fileAfter("allow_once", "violets\n", "violets\n", "/home/.bashrc"), "violets\n");
    });

    it("writes nothing that was not allowed, nor over a text that the question did not show", async () => {
      assert.equal(await fileAfter("reject_once", "violets\n", "violets\n"), "violets\n");
      assert.equal(await fileAfter("allow_once", "violets\n", "violets, unsaved\n"), "violets, unsaved\n");
      assert.equal(await fileAfter("allow_once", "", "violets\n"), "violets\n");
    });
  });
});
