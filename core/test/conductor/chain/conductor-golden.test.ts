import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { pingServer } from "../../../testing/ping-server.js";
import { ScriptedAgent } from "../../../testing/scripted-agent.js";
import { adding } from "../../../testing/scripted-proxies.js";
import {
  agentProgram,
  onStage,
  type Program,
  settled,
  type Stage,
  type StageOptions,
  wireProxy,
} from "./chain-fixture.js";

const goldenFolder = new URL("../../../../../test/golden/", import.meta.url);

/** Replaces random ids by numbers in the order of their appearance. */
function normalised(lines: readonly string[]): string {
  const ids = new Map<string, string>();
  return lines.join("").replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (id) => {
    const name = ids.get(id) ?? `id-${ids.size + 1}`;
    ids.set(id, name);
    return name;
  });
}

/**
 * Runs the conversation and compares each wire's lines with the golden file. Compares one wire after the other, because the order of
 * lines between wires is unspecified. Set UPDATE_GOLDEN=1 to rewrite the file.
 */
async function compare(file: string, options: StageOptions, converse: (stage: Stage) => Promise<void>): Promise<void> {
  const wires = new Map<string, string[]>([["client", []]]);
  const record = (from: string, to: string, line: string): void => {
    const wire = from === "conductor" ? to : from;
    const lines = wires.get(wire) ?? [];
    wires.set(wire, lines);
    lines.push(`{"from":"${from}","to":"${to}","message":${line}}\n`);
  };
  await onStage({ ...options, record }, async (stage) => {
    await converse(stage);
    await settled();
  });
  const spoken = normalised([...wires.values()].flat());
  const golden = new URL(file, goldenFolder);
  if (process.env["UPDATE_GOLDEN"] === "1") await writeFile(golden, spoken);
  assert.deepEqual(spoken.split("\n"), (await readFile(golden, "utf8")).split("\n"));
}

const agent = (mcpCapabilities: unknown): Program =>
  agentProgram(new ScriptedAgent({ capabilities: { mcpCapabilities } }));

describe("a conversation through a conductor", () => {
  it("with a proxy of each generation goes as it is written down", () =>
    compare(
      "conductor-turn.jsonl",
      {
        proxies: [wireProxy("legacy", { name: "first" }), adding(), wireProxy("current", { shouts: true })],
        agent: agent({ http: true }),
        client: { files: new Map([["/w/a.txt", "text"]]) },
      },
      async (stage) => {
        await stage.error("session/new", { cwd: "/w", mcpServers: [] });
        const sessionId = await stage.session();
        await stage.prompt(sessionId, "echo hello", "permission allow", "fs /w/a.txt /w/b.txt", "callbacks");
        const controller = new AbortController();
        const params = { sessionId, prompt: [{ type: "text", text: "wait_for_cancel" }] };
        const cancelled = stage.ask("session/prompt", params, controller.signal);
        await settled();
        controller.abort();
        await cancelled;
        await stage.result("_test/echo", { route: [] });
        await stage.ask("session/prompt", { sessionId, prompt: [{ type: "text", text: "numbers" }] });
        stage.process("agent").exit({ code: 3, stderrTail: "Error: the end" });
        await stage.error("session/prompt", params);
      },
    ));

  it("with MCP servers of each generation and an agent that speaks MCP over ACP goes as it is written down", () =>
    compare(
      "conductor-mcp.jsonl",
      {
        proxies: (["legacy", "mid", "current"] as const).map((dialect) =>
          wireProxy(dialect, { mcpServer: pingServer(dialect), serverId: `${dialect}-id` }),
        ),
        agent: agent({ acp: true }),
      },
      async (stage) => {
        const sessionId = await stage.session([{ name: "editor", command: "server", args: [], env: [] }]);
        const calls = ["legacy", "mid", "current"].map(
          (name) => `mcp_call ${name} tools/call {"name":"mcp_ping","arguments":{"text":"${name}"}}`,
        );
        await stage.prompt(sessionId, ...calls, "mcp_call current server/discover");
        await stage.result("session/close", { sessionId });
      },
    ));
});
