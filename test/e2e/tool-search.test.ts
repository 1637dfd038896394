import assert from "node:assert/strict";
import type { McpServer as McpServerEntry } from "@agentclientprotocol/sdk/unstable";
import type { McpServer } from "#core/base/mcp/mcp-server.js";
import { Logger } from "#core/base/logger.js";
import { LoopbackMcpBridge } from "#core/base/node/mcp-bridge/loopback-bridge.js";
import { Json } from "#core/base/rpc/json.js";
import { OfferedTools } from "#core/context/servers/direct-or-searched-tools.js";
import { CountedUse } from "#core/context/servers/tool-call-counts.js";
import { defaultSettings } from "#core/settings/settings-table.js";
import type { AgentRecipe } from "../support/agents/agent-recipe.js";
import { copilot, gemini, opencode } from "../support/agents/agent-recipes.js";
import { callToolWith, say, type ScriptStep } from "../support/fake-model/script.js";
import { usePackage } from "../support/packages/use-package.js";
import { useTestScope } from "../support/test-scope.js";
import { fewServers, usualServers, usualToolWords } from "../support/usual-tools.js";
import { openSession } from "../support/agents/agent-session.js";
import { conducted, direct } from "../support/agents/routes.js";
import { scaledMs } from "../support/until.js";

const quiet = { signal: new AbortController().signal, notify: () => undefined };

for (const recipe of [opencode, gemini, copilot]) describeAgent(recipe);

/** As an agent gets them that shows every tool. */
async function searched(): Promise<readonly McpServer[]> {
  const settings = () => defaultSettings.toolSearch;
  const searches = new OfferedTools({ settings, version: "1.0.0", use: new CountedUse() });
  const { servers } = await searches.offer(usualServers(), { row: undefined, signal: quiet.signal });
  return servers;
}

function describeAgent(recipe: AgentRecipe): void {
  describe(`${recipe.name} ${recipe.version} and 64 tools`, function () {
    this.timeout(scaledMs(400_000));
    const binFolder = usePackage(recipe);
    const scope = useTestScope();

    async function open(folder: string, servers: readonly McpServer[], script: readonly ScriptStep[]) {
      const bridge = scope().use(new LoopbackMcpBridge({ command: "none", args: [], env: {} }, Logger.silent));
      const exposed = await Promise.all(servers.map((server) => bridge.expose(server, "http")));
      const entries = exposed.map(({ declaration }) => declaration.value as McpServerEntry);
      return openSession(
        scope(),
        { recipe, binFolder: folder, route: direct },
        { script: () => script, mode: recipe.mcpMode, mcpServers: () => entries },
      );
    }

    async function firstRequestBytes(folder: string, servers: readonly McpServer[]): Promise<number> {
      const { model, client, sessionId } = await open(folder, servers, [say("Done.")]);
      await client.prompt(sessionId, "Say that you are done.");
      const first = model.requests.find(({ tools }) => tools.length > 3);
      return Buffer.byteLength(JSON.stringify(first?.body));
    }

    it("gets a first request that is at most 4 kB larger than with 4 tools", async function () {
      const folder = binFolder(this);
      const few = await firstRequestBytes(folder, fewServers());
      const many = await firstRequestBytes(folder, await searched());
      const plain = await firstRequestBytes(folder, usualServers());
      assert.ok(many - few <= 4_096, `${many} bytes, ${many - few} more than the ${few} with 4 tools`);
      assert.ok(plain - few > 4_096, `all tools would take ${plain - few} bytes only`);
    });

    it("finds a tool by a search, reads by one and changes by another", async function () {
      const ticket = { project: "P", type: "bug", title: "T" };
      const { model, client, sessionId } = await open(binFolder(this), await searched(), [
        callToolWith(/search_tools$/, { query: "create a ticket in the tracker" }),
        callToolWith(/call_read_tool$/, { name: "list_boards", arguments: {} }),
        callToolWith(/call_tool$/, { name: "create_ticket", arguments: ticket }),
        say("Done."),
      ]);
      const { stopReason } = await client.prompt(sessionId, "Make a ticket.");
      const results = model.requests.flatMap(({ toolResults }) => toolResults.map(({ text }) => text)).join("\n");
      assert.deepEqual(
        {
          stopReason,
          hasSchema: results.includes("## create_ticket (jira)"),
          hasRead: results.includes("jira did list_boards {}"),
          hasChanged: results.includes("jira did create_ticket"),
        },
        { stopReason: "end_turn", hasSchema: true, hasRead: true, hasChanged: true },
      );
    });

    it("gets them so from the conductor, which asks the user for the inner tool", async function () {
      const bridge = scope().use(new LoopbackMcpBridge({ command: "none", args: [], env: {} }, Logger.silent));
      const config = await configured(bridge);
      const files = (url: string) => ({ ...recipe.files?.(url), ".symposium/config.jsonc": config });
      const ticket = { project: "P", type: "bug", title: "T" };
      const { model, client, sessionId } = await openSession(
        scope(),
        { recipe: { ...recipe, files }, binFolder: binFolder(this), route: conducted },
        {
          script: () => [callToolWith(/call_tool$/, { name: "create_ticket", arguments: ticket }), say("Done.")],
          mode: recipe.mcpMode,
        },
      );
      await client.prompt(sessionId, "Make a ticket.");
      const first = model.requests.find(({ tools }) => tools.length > 3);
      const results = model.requests.flatMap(({ toolResults }) => toolResults.map(({ text }) => text)).join("\n");
      const titles = [
        ...client.permissionRequests.map(({ toolCall }) => toolCall.title),
        ...client.updates.map((update) => ("title" in update ? update.title : undefined)),
      ].filter((title) => title?.includes("create_ticket"));
      assert.deepEqual(
        {
          offered: first?.tools.filter(({ name }) => /search_tools|jira/.test(name)).length,
          hasChanged: results.includes("jira did create_ticket"),
          isShown: titles.some((title) => title?.includes("jira")),
        },
        { offered: 1, hasChanged: true, isShown: true },
      );
    });
  });
}

/** In config.jsonc, since the conductor is the client of these servers. */
async function configured(bridge: LoopbackMcpBridge): Promise<string> {
  const exposed = await Promise.all(usualServers().map((server) => bridge.expose(server, "http")));
  const entries = exposed.map(({ declaration }) => {
    const { name, url, headers } = declaration.value as Extract<McpServerEntry, { type: "http" }>;
    return [name, { url, headers: Object.fromEntries(headers.map((header) => [header.name, header.value])) }] as const;
  });
  return JSON.stringify({ mcpServers: Object.fromEntries(entries) });
}

describe("a search over 64 tools", () => {
  it("finds each of them by what it is for, and calls it", async () => {
    const [search] = await searched();
    const call = async (name: string, args: unknown) => {
      const outcome = await search?.call("tools/call", Json.of({ name, arguments: args }), quiet);
      return JSON.stringify(outcome?.json.value);
    };
    const lost: string[] = [];
    for (const { name, words } of usualToolWords()) {
      const found = await call("search_tools", { query: words, limit: 3 });
      const called = await call("call_tool", { name });
      if (!found.includes(`## ${name} (`) || !/ did |missing, expected/.test(called)) lost.push(name);
    }
    assert.deepEqual(lost, []);
  });
});
