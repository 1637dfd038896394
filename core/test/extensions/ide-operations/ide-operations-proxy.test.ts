import assert from "node:assert/strict";
import type { Adapter, Proxy } from "../../../src/conductor/chain/proxy.js";
import { ideOperationsCapability } from "../../../src/base/ide-operations/capability.js";
import { type IdeOperations, operationsOf } from "../../../src/base/ide-operations/ide-operations.js";
import type { LanguageServers } from "../../../src/base/ide-operations/lsp-adapter-module.js";
import { ready } from "../../../src/base/ide-operations/operation-state.js";
import { ideOperationNames } from "../../../src/base/ide-operations/wire.js";
import type { McpServer } from "../../../src/base/mcp/mcp-server.js";
import { ideOperationsProxy } from "../../../src/extensions/ide-operations/ide-operations-proxy.js";
import { ideOperationsServer } from "../../../src/extensions/ide-operations/ide-operations-server.js";
import { languageServerAdapter } from "../../../src/extensions/ide-operations/language-server-adapter.js";
import { asObject, Json } from "../../../src/base/rpc/json.js";
import type { Request } from "../../../src/base/rpc/message.js";
import { trusting } from "../../../testing/scripted-client.js";
import { FolderTrust } from "../../../src/settings/trust/folder-trust.js";
import { Stage } from "../../conductor/chain/chain-fixture.js";
import { IdeWorkspace, workspaceFolder } from "./ide-workspace.js";

const hover = "_symposium/ideOperations/hover";

/** Language servers of a workspace in memory; notes what is opened and let go. */
class Servers {
  readonly log: string[] = [];
  readonly adapter: Adapter = languageServerAdapter((folder) => this.open(folder));

  constructor(
    readonly workspace = new IdeWorkspace(),
    private readonly trust = trusting(),
  ) {}

  open(folder: string): Promise<LanguageServers> {
    this.log.push(`open ${folder}`);
    const { operations } = this.workspace;
    return Promise.resolve({
      supported: operations.supported,
      run: (...call: Parameters<IdeOperations["run"]>) => operations.run(...call),
      findServer: () => Promise.resolve({ kind: "found", name: "rust-analyzer" }),
      [Symbol.asyncDispose]: () => Promise.resolve(void this.log.push(`close ${folder}`)),
    } as LanguageServers);
  }

  proxy(options: unknown = {}): Proxy {
    return ideOperationsProxy(options, {
      services: this.workspace.services,
      version: "1.0.0",
      adapter: this.adapter,
      languageServers: (folder) => this.open(folder),
      trust: this.trust,
    });
  }
}

async function opened(stage: Stage, capabilities: unknown): Promise<McpServer | undefined> {
  await stage.initialize(capabilities);
  await stage.result("session/new", { cwd: workspaceFolder, mcpServers: [] });
  return stage.bridge.exposed.get("ide-operations");
}

async function called(server: McpServer | undefined, name: string, args: object): Promise<string> {
  const context = { signal: new AbortController().signal, notify: () => undefined };
  const outcome = await server?.call("tools/call", Json.of({ name, arguments: args }), context);
  const content = outcome?.json.object?.["content"];
  return String(asObject(Array.isArray(content) ? content[0] : undefined)?.["text"]);
}

async function toolNames(server: McpServer | undefined): Promise<unknown[]> {
  const context = { signal: new AbortController().signal, notify: () => undefined };
  const outcome = await server?.call("tools/list", undefined, context);
  const tools = outcome?.json.object?.["tools"];
  return Array.isArray(tools) ? tools.map((tool) => asObject(tool)?.["name"]) : [];
}

const announcing = (...operations: Parameters<typeof ideOperationsCapability>[0][]) => ({
  _meta: { "symposium/ideOperations": ideOperationsCapability(operations.flatMap((one) => [...one])) },
});

describe("the component for IDE operations", () => {
  it("asks an editor that announces the capability, and starts no language server", async () => {
    const servers = new Servers();
    const asked: unknown[] = [];
    const answers = {
      [hover]: (request: { readonly params: Json | undefined }) => {
        asked.push(request.params?.value);
        return { state: ready, text: "fn total_area" };
      },
      "_symposium/ideOperations/workspaceSymbols": () =>
        servers.workspace.operations.run("workspaceSymbols", { query: "total_area" }, new AbortController().signal),
    };
    await using stage = new Stage({ proxies: [servers.proxy()], client: { answers } });
    const server = await opened(stage, announcing(["hover", "documentSymbols"]));
    assert.deepEqual(await toolNames(server), ["symbols", "hover"]);
    assert.equal(
      await called(server, "hover", { symbol: "src/shape.rs:15#total_area" }),
      "total_area at src/shape.rs:15:8 [ready]\nfn total_area",
    );
    assert.deepEqual(asked, [
      { workspace: "file:///w", uri: "file:///w/src/shape.rs", position: { line: 14, character: 7 } },
    ]);
    assert.deepEqual(servers.log, []);
  });

  it("asks language servers of our own where the editor announces nothing, and lets them go with the chain", async () => {
    const servers = new Servers();
    {
      await using stage = new Stage({ proxies: [servers.proxy()] });
      const server = await opened(stage, {});
      assert.deepEqual(servers.log, []);
      assert.match(await called(server, "find_definition", { symbol: "total_area" }), /^src\/shape\.rs:15:8 \[ready\]/);
      await called(server, "find_references", { symbol: "total_area" });
      assert.deepEqual(servers.log, ["open /w"]);
    }
    assert.deepEqual(servers.log, ["open /w", "close /w"]);
  });

  it("asks once whether the folder is trusted before language servers are asked, and goes on without it", async () => {
    const asked: unknown[] = [];
    const trust = new FolderTrust({
      realPath: (path) => Promise.resolve(path),
      has: () => Promise.resolve(false),
      add: () => Promise.resolve(),
      isRefused: () => Promise.resolve(false),
      refuse: () => Promise.resolve(),
    });
    const servers = new Servers(undefined, trust);
    const permission = (request: Request): unknown => {
      asked.push(request.params?.object?.["sessionId"]);
      return { outcome: { outcome: "selected", optionId: "trust-no" } };
    };
    await using stage = new Stage({
      proxies: [servers.proxy()],
      client: { answers: { "session/request_permission": permission } },
    });
    const server = await opened(stage, {});
    for (const symbol of ["total_area", "total_area"]) {
      assert.match(await called(server, "find_definition", { symbol }), /^src\/shape\.rs:15:8 \[ready\]/);
    }
    assert.equal(asked.length, 1);
  });

  it("tries again to open language servers that could not be opened", async () => {
    let isBroken = true;
    const { operations, services } = new IdeWorkspace();
    const adapter = languageServerAdapter(() =>
      isBroken
        ? Promise.reject(new Error("no socket"))
        : Promise.resolve({ ...operations, [Symbol.asyncDispose]: () => Promise.resolve() }),
    );
    const proxy = ideOperationsProxy({}, { services, version: "1.0.0", adapter, trust: trusting() });
    await using stage = new Stage({ proxies: [proxy] });
    const server = await opened(stage, {});
    assert.match(await called(server, "find_definition", { symbol: "main" }), /"workspaceSymbols" failed: no socket/);
    isBroken = false;
    assert.match(await called(server, "find_definition", { symbol: "main" }), /^src\/main\.rs:3:4/);
  });

  it("offers nothing where the editor lacks the capability and the adapter is switched off", async () => {
    const servers = new Servers();
    await using stage = new Stage({ proxies: [servers.proxy({ adapter: false })] });
    assert.equal(await opened(stage, {}), undefined);
    assert.deepEqual(servers.log, []);
  });

  it("tells the agent that the chain has the capability, wherever it comes from", async () => {
    await using stage = new Stage({ proxies: [new Servers().proxy()] });
    await stage.initialize({ terminal: true });
    const [initialize] = await stage.agentReceived();
    const capabilities = asObject(asObject(initialize?.params)?.["clientCapabilities"]);
    const announced = asObject(asObject(capabilities?.["_meta"])?.["symposium/ideOperations"])?.["operations"];
    assert.deepEqual(
      [capabilities?.["terminal"], announced],
      [true, ideOperationNames.filter((name) => name !== "selection" && name !== "openFiles")],
    );
  });

  it("offers the tools that the options name", async () => {
    await using stage = new Stage({ proxies: [new Servers().proxy({ tools: ["hover", "symbols"] })] });
    assert.deepEqual(await toolNames(await opened(stage, {})), ["symbols", "hover"]);
  });

  describe("where the editor serves no language of the folder", () => {
    const unserved = { kind: "degraded", reason: "No extension serves it.", isUnserved: true };
    const text = "pub fn total_area() {}\n";
    const uri = "file:///w/src/shape.rs";
    const answers = {
      [hover]: { state: unserved, text: null },
      "_symposium/ideOperations/openFiles": { state: ready, files: [{ uri, isActive: true, isUnsaved: true }] },
      "_symposium/ideOperations/readDocument": { state: ready, text },
    };
    const seeing = announcing(["hover", "documentSymbols", "openFiles", "readDocument"]);
    const question = { symbol: "src/shape.rs:1#total_area" };

    it("asks language servers of our own, shows them what is not saved, and lets them go with the chain", async () => {
      const servers = new Servers();
      const shown: unknown[] = [];
      servers.workspace.handlers = {
        setDocument: (params) => Promise.resolve({ state: ready, shown: shown.push(params) }),
      };
      {
        await using stage = new Stage({ proxies: [servers.proxy()], client: { answers } });
        const server = await opened(stage, seeing);
        assert.deepEqual(servers.log, []);
        assert.match(
          await called(server, "hover", question),
          /^total_area at src\/shape\.rs:1:8 \[ready, by Symposium's rust-analyzer\]\n/,
        );
        assert.deepEqual([servers.log, shown], [["open /w"], [{ uri, text }]]);
      }
      assert.deepEqual(servers.log, ["open /w", "close /w"]);
    });

    it("asks none of them where they are switched off, or where unsaved texts would be missed", async () => {
      const said: string[] = [];
      for (const [options, capabilities, line] of [
        [{ adapter: false }, seeing, 1],
        [{}, announcing(["hover", "documentSymbols"]), 15],
      ] as const) {
        const servers = new Servers();
        await using stage = new Stage({ proxies: [servers.proxy(options)], client: { answers } });
        const symbol = `src/shape.rs:${line}#total_area`;
        said.push(await called(await opened(stage, capabilities), "hover", { symbol }));
        assert.deepEqual(servers.log, []);
      }
      for (const one of said) assert.match(one, /\[degraded: No extension serves it\.\]/);
    });
  });

  it("ends what it asks when the session is closed", async () => {
    let isEnded = false;
    const workspace = new IdeWorkspace();
    const asked = new Promise<void>((resolve) => {
      workspace.handlers = {
        hover: (_, signal) =>
          new Promise((_resolve, reject) => {
            const end = (): void => {
              isEnded = true;
              reject(new Error("ended"));
            };
            signal.addEventListener("abort", end, { once: true });
            resolve();
          }),
      };
    });
    await using stage = new Stage({ proxies: [new Servers(workspace).proxy()] });
    await stage.initialize({});
    const { sessionId } = (await stage.result("session/new", { cwd: workspaceFolder, mcpServers: [] })) as {
      sessionId: string;
    };
    const server = stage.bridge.exposed.get("ide-operations");
    const said = called(server, "hover", { symbol: "src/shape.rs:15#total_area" });
    await asked;
    await stage.result("session/close", { sessionId });
    assert.match(await said, /cancelled/);
    assert.equal(isEnded, true);
  });
});

describe("the tools for IDE operations", () => {
  it("take up at most 4 KB of what an agent reads in every session, all fifteen together", async () => {
    const server = ideOperationsServer({
      ide: { ...operationsOf({}), supported: new Set(ideOperationNames) },
      services: new IdeWorkspace().services,
      folder: "/w",
      signal: new AbortController().signal,
      version: "1.0.0",
      tools: undefined,
    });
    const context = { signal: new AbortController().signal, notify: () => undefined };
    const { json } = await server.call("tools/list", undefined, context);
    assert.equal((await toolNames(server)).length, 15);
    assert.ok(Buffer.byteLength(json.text) <= 4_096, `${Buffer.byteLength(json.text)} bytes`);
  });
});
