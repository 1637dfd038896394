import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { setImmediate } from "node:timers/promises";
import { ElizaAgent } from "../../src/agents/eliza/eliza-agent.js";
import type { ConnectedAgent } from "../../src/conductor/chain/component.js";
import { Connection } from "../../src/base/rpc/connection.js";
import { kitConnections, kitEntry } from "./eliza-fixture.js";

/** Set UPDATE_GOLDEN=1 to rewrite the file. */
const goldenFile = new URL("../../../../test/golden/eliza.jsonl", import.meta.url);

interface Message {
  readonly id?: unknown;
  readonly method?: string;
  readonly result?: { readonly sessionId?: string };
}

/** A client that speaks lines with Eliza and writes down both sides. */
class Transcript {
  readonly lines: string[] = [];
  readonly #connection: Connection;
  readonly #waiting = new Map<unknown, (message: Message) => void>();
  #nextId = 0;

  constructor() {
    this.#connection = new Connection({
      send: (line) => this.#hear(line),
      inbound: {
        request: (request, reply) => agent.fromClient.request(request, reply),
        notify: (notification) => agent.fromClient.notify(notification),
      },
      answersGarbage: true,
    });
    const yieldNow = (): Promise<void> => setImmediate();
    const options = { version: "0.0.0", isDeterministic: true, connectMcp: kitConnections(), yieldNow };
    const agent: ConnectedAgent = new ElizaAgent(options).connect(this.#connection);
  }

  ask(method: string, params: unknown): Promise<Message> {
    const id = this.#nextId++;
    const answer = new Promise<Message>((resolve) => this.#waiting.set(id, resolve));
    this.#say({ jsonrpc: "2.0", id, method, params });
    return answer;
  }

  #say(message: unknown): void {
    const line = JSON.stringify(message);
    this.lines.push(`{"from":"client","message":${line}}`);
    this.#connection.receive(line);
  }

  #hear(line: string): void {
    this.lines.push(`{"from":"agent","message":${line}}`);
    const message = JSON.parse(line) as Message;
    if (message.method === "session/request_permission") {
      const result = { outcome: { outcome: "selected", optionId: "allow-once" } };
      queueMicrotask(() => this.#say({ jsonrpc: "2.0", id: message.id, result }));
    } else if (message.method === undefined) {
      this.#waiting.get(message.id)?.(message);
    }
  }
}

/** Replaces random ids by numbers in the order of their appearance, and times by a fixed one. */
function normalised(lines: readonly string[]): string {
  const ids = new Map<string, string>();
  return lines
    .map((line) => `${line}\n`)
    .join("")
    .replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (id) => {
      const name = ids.get(id) ?? `id-${ids.size + 1}`;
      ids.set(id, name);
      return name;
    })
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "2000-01-01T00:00:00.000Z");
}

describe("a conversation with Eliza", () => {
  it("goes as it is written down", async () => {
    const transcript = new Transcript();
    await transcript.ask("initialize", { protocolVersion: 1, clientCapabilities: {} });
    const opened = await transcript.ask("session/new", { cwd: "/work", mcpServers: [kitEntry] });
    const sessionId = opened.result?.sessionId;
    const prompts = [
      "Hello",
      "My code never works",
      "Hm.",
      "list tools from kit",
      'use tool kit::echo with {"text": "one two"}',
      "use tool kit::sing with {}",
      "use tool kit::echo with {",
      "ask permission to leave",
    ];
    for (const text of prompts) {
      await transcript.ask("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
    }
    await transcript.ask("session/set_mode", { sessionId, modeId: "ask-first" });
    await transcript.ask("session/prompt", { sessionId, prompt: [{ type: "text", text: "Goodbye" }] });
    await transcript.ask("session/list", {});
    await transcript.ask("session/close", { sessionId });
    await transcript.ask("session/load", { sessionId, cwd: "/work", mcpServers: [] });
    await transcript.ask("session/prompt", { sessionId: "unknown", prompt: [] });
    const spoken = normalised(transcript.lines);
    if (process.env["UPDATE_GOLDEN"] === "1") await writeFile(goldenFile, spoken);
    assert.deepEqual(spoken.split("\n"), (await readFile(goldenFile, "utf8")).split("\n"));
  });
});
