import assert from "node:assert/strict";
import { Json, Logger } from "@symposium-dev/core";
import { LoopbackMcpBridge } from "@symposium-dev/core/node";
import { type EditorTool, EditorTools } from "../../../src/features/editor-tools/editor-tools.js";

const textSchema = { type: "object", properties: { text: { type: "string" } }, required: ["text"] };

function tool(name: string, ...tags: readonly string[]): EditorTool {
  return { name, description: `Does ${name}.`, inputSchema: textSchema, tags };
}

interface ToolList {
  readonly tools: readonly { readonly name: string; readonly title?: string }[];
}

describe("the tools of the editor", () => {
  let tools: EditorTool[] = [];
  let choice: "off" | "mcp" | "all" = "mcp";
  let invoke: (name: string, input: object, signal: AbortSignal) => Promise<readonly unknown[]>;
  let offered: EditorTools;
  beforeEach(() => {
    tools = [
      tool("mcp_files_read", "mcp"),
      tool("lint_project"),
      tool("vscode_searchExtensions"),
      tool("copilot_readFile"),
      tool("run_in_terminal"),
    ];
    choice = "mcp";
    invoke = (name, input) => Promise.resolve([{ value: `${name} ${JSON.stringify(input)}` }]);
    offered = new EditorTools({
      source: {
        get tools() {
          return tools;
        },
        contributed: new Set(["lint_project", "vscode_searchExtensions", "copilot_readFile"]),
        invoke: (...words) => invoke(...words),
      },
      choice: () => choice,
      version: "1.0.0",
      bridge: new LoopbackMcpBridge(undefined, Logger.silent),
      checkMs: 1,
    });
  });
  afterEach(() => offered[Symbol.asyncDispose]());

  async function call(method: string, params: object = {}, signal = new AbortController().signal): Promise<unknown> {
    const { json } = await offered.server.call(method, Json.of(params), { signal, notify: () => undefined });
    return json.value;
  }
  const names = async (): Promise<readonly string[]> =>
    ((await call("tools/list")) as ToolList).tools.map(({ name }) => name);
  const use = (name: string, args: object = { text: "hi" }, signal?: AbortSignal): Promise<unknown> =>
    call("tools/call", { name, arguments: args }, signal);

  it("are those of its MCP servers or also those of extensions, as the user chooses, and never those of its own chat", async () => {
    assert.deepEqual(await names(), ["mcp_files_read"]);
    choice = "all";
    assert.deepEqual(await names(), ["mcp_files_read", "lint_project"]);
    choice = "off";
    assert.deepEqual(await names(), []);
  });

  it("run in the editor with the agent's arguments, under names that model services take", async () => {
    const long = `mcp_files_${"very_".repeat(9)}long`;
    tools = [tool(long, "mcp"), tool("mcp_files_read", "mcp")];
    const { tools: listed } = (await call("tools/list")) as ToolList;
    const [first] = listed;
    assert.ok(first && first.name.length <= 45, first?.name);
    assert.equal(first.title, long);
    assert.deepEqual(await use(first.name), { content: [{ type: "text", text: `${long} {"text":"hi"}` }] });
    assert.match(JSON.stringify(await use("mcp_files_read", { text: 3 })), /text.*string/);
  });

  it("give texts and pictures, and say why they could not", async () => {
    invoke = () => Promise.resolve([{ value: "Done." }, { mimeType: "image/png", data: "aGk=" }]);
    await names();
    assert.deepEqual(await use("mcp_files_read"), {
      content: [
        { type: "text", text: "Done." },
        { type: "image", mimeType: "image/png", data: "aGk=" },
      ],
    });
    invoke = () => Promise.reject(new Error("The disk is full."));
    assert.deepEqual(await use("mcp_files_read"), {
      content: [{ type: "text", text: "The disk is full." }],
      isError: true,
    });
  });

  it("are cancelled in the editor when the agent gives the call up", async () => {
    await names();
    const controller = new AbortController();
    const aborted = new Promise<void>((resolve) => {
      invoke = (_name, _input, signal) =>
        new Promise((_, reject) =>
          signal.addEventListener("abort", () => {
            resolve();
            reject(new Error("Canceled"));
          }),
        );
    });
    const running = use("mcp_files_read", { text: "hi" }, controller.signal);
    controller.abort();
    await aborted;
    assert.match(JSON.stringify(await running), /Request cancelled/);
  });

  it("are listed anew for whoever listens, since the editor does not tell of changes", async () => {
    await names();
    const heard = new Promise<string>((resolve) => offered.server.subscribe?.(resolve));
    tools = [...tools, tool("mcp_files_write", "mcp")];
    assert.equal(await heard, "notifications/tools/list_changed");
    assert.deepEqual(await names(), ["mcp_files_read", "mcp_files_write"]);
  });

  it("are one server of the user's, behind a token, and none where the user wants none", async () => {
    choice = "off";
    assert.deepEqual(await offered.servers(), {});
    choice = "mcp";
    const { vscode_tools: entry } = (await offered.servers()) as {
      vscode_tools: { url: string; headers: Record<string, string> };
    };
    assert.deepEqual(await offered.servers(), { vscode_tools: entry });
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} });
    const ask = (headers: Record<string, string>): Promise<Response> =>
      fetch(entry.url, {
        method: "POST",
        headers: { "Content-Type": "application/json", Accept: "application/json", ...headers },
        body,
      });
    assert.equal((await ask({})).status, 401);
    assert.match(await (await ask(entry.headers)).text(), /"mcp_files_read"/);
  });
});
