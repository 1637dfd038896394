import assert from "node:assert/strict";
import type { Proxy, ProxyHandlers } from "../../../src/conductor/chain/proxy.js";
import { contextProxy } from "../../../src/context/context-proxy.js";
import type { ContributingProxy } from "../../../src/context/contributing-proxy.js";
import { contextEnd, contextStart } from "../../../src/extensions/sparkle/memory-context.js";
import { sparkleProxy } from "../../../src/extensions/sparkle/sparkle-proxy.js";
import { type LogEvent, Logger } from "../../../src/base/logger.js";
import { Json } from "../../../src/base/rpc/json.js";
import { memberOf } from "../../../src/base/rpc/json-edit.js";
import { Notification, Outcome, Request } from "../../../src/base/rpc/message.js";
import { RpcError } from "../../../src/base/rpc/rpc-error.js";
import { RecordingPeer } from "../../../testing/recording-peer.js";
import { ScriptedAgent } from "../../../testing/scripted-agent.js";
import { settled, Stage } from "../../conductor/chain/chain-fixture.js";
import { withoutProject } from "../../context/context-stage.js";
import { remembered, SparkleInMemory } from "./sparkle-fixture.js";

const prompts = (agent: RecordingPeer): (string | undefined)[] =>
  agent.received
    .filter(({ method }) => method === "session/prompt")
    .map(({ params }) => params && memberOf(params, "prompt")?.text);

/** An agent that writes down what it gets, and may announce commands of its own. */
class Scene {
  readonly agent = new RecordingPeer({
    initialize: { protocolVersion: 1, agentCapabilities: {} },
    "session/new": () => ({ sessionId: `s${++this.#sessions}` }),
    "session/load": {},
    "session/prompt": { stopReason: "end_turn" },
  });
  readonly stage: Stage;
  readonly events: LogEvent[] = [];
  #sessions = 0;
  #toClient: { notify(notification: Notification): void } | undefined;

  constructor(
    readonly services = new SparkleInMemory(remembered.home, remembered.space),
    options: unknown = {},
  ) {
    const connect = (client: { notify(notification: Notification): void }): { fromClient: RecordingPeer } => {
      this.#toClient = client;
      return { fromClient: this.agent };
    };
    const proxy = sparkleProxy(options, services, undefined, new Logger((event) => this.events.push(event)));
    this.stage = new Stage({
      proxies: [proxy],
      agent: { name: "recorder", connect },
      conductor: { lastProxies: [contextOf(proxy)] },
    });
  }

  announce(sessionId: string, ...names: readonly string[]): void {
    const availableCommands = names.map((name) => ({ name, description: "the agent's", extra: 1 }));
    const update = { sessionUpdate: "available_commands_update", availableCommands, _meta: { a: 1 } };
    this.#toClient?.notify(Notification.of("session/update", { sessionId, update }));
  }

  /** Sends blocks, as raw text, and resolves with what of them reached the agent, as raw text. */
  async prompt(sessionId: string, blocks: string): Promise<string> {
    await this.stage.ask("session/prompt", Json.ofText(`{"sessionId":"${sessionId}","prompt":${blocks}}`).value);
    return prompts(this.agent).at(-1) ?? "";
  }

  get announced(): unknown[] {
    return this.stage.client.updates
      .filter(({ sessionUpdate }) => sessionUpdate === "available_commands_update")
      .map((update) => (update["availableCommands"] as { name: string }[]).map(({ name }) => name));
  }
}

async function inScene(scene: Scene, body: (scene: Scene, sessionId: string) => Promise<void>): Promise<void> {
  await using stage = scene.stage;
  await body(scene, await stage.session());
}

/** Returns a proxy that adds Sparkle's context to sessions. */
function contextOf({ contextSource }: ContributingProxy): Proxy {
  return contextProxy({ sources: [contextSource], readProject: withoutProject });
}

function connect(proxy: Proxy, successor: RecordingPeer): ProxyHandlers {
  return proxy.connect({ client: new RecordingPeer(), successor, logger: Logger.silent });
}

/** Connects Sparkle's context without a chain and opens the session `s`. The agent never answers the session's prompts. */
async function bare(read?: () => Promise<string | undefined>) {
  const services = new SparkleInMemory(remembered.home);
  if (read) services.home.read = read;
  const successor = new RecordingPeer({ "session/new": { sessionId: "s" }, "session/prompt": () => undefined });
  const handlers = connect(contextOf(sparkleProxy({}, services)), successor);
  await new Promise((resolve) =>
    handlers.clientRequests?.["session/new"]?.(Request.of("session/new", { cwd: "/w" }), resolve),
  );
  const prompt = (text: string): Request =>
    Request.of("session/prompt", { sessionId: "s", prompt: [{ type: "text", text }] });
  return { ...handlers, successor, prompt };
}

const refusal = Outcome.error(RpcError.internal("no"));
const hello = '[{"type":"text","text":"hello"}]';
const textOf = (prompt: string, index: number): string => (JSON.parse(prompt) as { text: string }[])[index]?.text ?? "";

describe("Sparkle in a chain", () => {
  it("brings what is remembered into the first prompt of a new session, once, behind the user's words", async () => {
    await inScene(new Scene(), async (scene, sessionId) => {
      const first = await scene.prompt(sessionId, hello);
      assert.equal((JSON.parse(first) as unknown[]).length, 2);
      for (const part of [/Prefers small commits/, /failing test first/, /the parser/])
        assert.match(textOf(first, 1), part);
      assert.equal(textOf(first, 0), "hello");
      assert.equal(await scene.prompt(sessionId, hello), hello);
      const other = (await scene.stage.result("session/new", { cwd: "/w", mcpServers: [] })) as { sessionId: string };
      assert.match(await scene.prompt(other.sessionId, hello), /Prefers small commits/);
    });
  });

  it("uses an embedded resource where the agent takes them", async () => {
    const services = new SparkleInMemory(remembered.home);
    const proxy = sparkleProxy({}, services);
    const conductor = { lastProxies: [contextOf(proxy)] };
    await using stage = new Stage({ proxies: [proxy], agent: new ScriptedAgent(), conductor });
    const sessionId = await stage.session();
    assert.deepEqual(await stage.prompt(sessionId, "echo hi"), { stopReason: "end_turn" });
    const sent = (await stage.agentReceived()).filter(({ method }) => method === "session/prompt");
    const [own, block] = (sent[0]?.params as { prompt: { type: string; resource?: { uri: string; text: string } }[] })
      .prompt;
    assert.deepEqual([block?.type, block?.resource?.uri], ["resource", "symposium://context"]);
    assert.match(block?.resource?.text ?? "", /Prefers small commits/);
    assert.deepEqual(own, { type: "text", text: "echo hi" });
    assert.match(stage.client.text, /hi/);
  });

  it("leaves the user's own blocks as they were, byte for byte", async () => {
    const services = new SparkleInMemory(remembered.home);
    const successor = new RecordingPeer({ "session/new": { sessionId: "s" }, "session/prompt": {} });
    const { clientRequests } = connect(contextOf(sparkleProxy({}, services)), successor);
    const opening = Request.of("session/new", { cwd: "/w", mcpServers: [] });
    await new Promise((resolve) => clientRequests?.["session/new"]?.(opening, resolve));
    const blocks =
      '{ "type":"text", "text":"h\\u0069", "annotations" : {"priority":1.0} },{"type":"x_new","n":18446744073709551615}';
    const params = Json.ofText(`{"_meta":{"a": 1.0},"sessionId":"s","prompt":[${blocks}]}`);
    clientRequests?.["session/prompt"]?.(new Request("session/prompt", params), () => undefined);
    const sent = (await successor.waitFor("session/prompt")).params?.text ?? "";
    assert.ok(
      sent.startsWith(
        `{"_meta":{"a": 1.0},"sessionId":"s","prompt":[${blocks},{"type":"text","text":"<symposium-context>\\n<sparkle-memory>`,
      ),
      sent,
    );
  });

  it("says in two lines that the tools exist when nothing is remembered", async () => {
    await inScene(new Scene(new SparkleInMemory()), async (scene, sessionId) => {
      const [, ...lines] = textOf(await scene.prompt(sessionId, hello), 1).split("\n");
      assert.equal(lines.slice(0, -1).length, 2);
    });
  });

  it("adds nothing to sessions that were loaded, and nothing at all when embodiment is off", async () => {
    await inScene(new Scene(), async (scene) => {
      await scene.stage.result("session/load", { sessionId: "old", cwd: "/w", mcpServers: [] });
      assert.equal(await scene.prompt("old", hello), hello);
    });
    await inScene(new Scene(undefined, { embodiment: false }), async (scene, sessionId) => {
      assert.equal(await scene.prompt(sessionId, hello), hello);
    });
  });

  it("goes on without what cannot be read, and says so in the log", async () => {
    const scene = new Scene();
    scene.services.home.fault = new Error("The disk is on fire.");
    await inScene(scene, async (_, sessionId) => {
      const text = textOf(await scene.prompt(sessionId, hello), 1);
      assert.match(text, /the parser/);
      assert.doesNotMatch(text, /small commits/);
      assert.ok(
        scene.events.some(({ level, fields }) => level === "warn" && fields["message"] === "The disk is on fire."),
      );
    });
  });

  it("brings the memory again when the agent refused the prompt that had it", async () => {
    const { successor, clientRequests, prompt } = await bare();
    clientRequests?.["session/prompt"]?.(prompt("one"), () => undefined);
    await settled();
    successor.open[0]?.reply(refusal);
    clientRequests?.["session/prompt"]?.(prompt("two"), () => undefined);
    await settled();
    assert.equal(prompts(successor).filter((text) => text?.includes("sparkle-memory")).length, 2);
  });

  it("stands aside for a command of the agent's, and brings the memory with the next prompt", async () => {
    await inScene(new Scene(), async (scene, sessionId) => {
      const compact = '[{"type":"text","text":"/compact now"}]';
      assert.equal(await scene.prompt(sessionId, compact), compact);
      assert.match(await scene.prompt(sessionId, hello), /sparkle-memory/);
    });
  });

  it("offers its tools to every session", async () => {
    await inScene(new Scene(), async (scene) => {
      const answer = await scene.stage.bridge.exposed.get("sparkle")?.call("tools/list", undefined, {
        signal: new AbortController().signal,
        notify: () => undefined,
      });
      assert.match(answer?.json.text ?? "", /session_checkpoint/);
    });
    await inScene(new Scene(undefined, { tools: [] }), (scene) => {
      assert.equal(scene.stage.bridge.exposed.size, 0);
      return Promise.resolve();
    });
  });
});

describe("Sparkle while the memory is being read", () => {
  it("keeps the order of prompts", async () => {
    const { successor, clientRequests, prompt } = await bare();
    for (const text of ["one", "two", "three"]) clientRequests?.["session/prompt"]?.(prompt(text), () => undefined);
    assert.deepEqual(prompts(successor), []);
    await settled();
    const texts = prompts(successor).map((sent) =>
      (JSON.parse(sent ?? "[]") as { text: string }[]).map(({ text }) => text),
    );
    assert.deepEqual(
      texts.map((blocks) => blocks[0]),
      ["one", "two", "three"],
    );
    assert.deepEqual(
      texts.map((blocks) => blocks.length),
      [2, 1, 1],
    );
  });

  it("ends a turn that is cancelled before it reached the agent, and keeps the memory for the next one", async () => {
    const { successor, clientRequests, clientNotifications, prompt } = await bare();
    const answers: unknown[] = [];
    clientRequests?.["session/prompt"]?.(prompt("one"), ({ json }) => answers.push(json.value));
    const cancel = Notification.of("session/cancel", { sessionId: "s" });
    assert.equal(clientNotifications?.["session/cancel"]?.(cancel), undefined);
    assert.deepEqual(answers, [{ stopReason: "cancelled" }]);
    await settled();
    assert.deepEqual(prompts(successor), []);
    assert.equal(clientNotifications?.["session/cancel"]?.(cancel), cancel, "a later one is for the agent");
    clientRequests?.["session/prompt"]?.(prompt("two"), () => undefined);
    await settled();
    assert.match(prompts(successor)[0] ?? "", /two.*sparkle-memory/);
  });

  it("takes a cancelled request back, and passes the cancellation of one that was sent", async () => {
    const { successor, clientRequests, prompt } = await bare();
    const answers: unknown[] = [];
    clientRequests?.["session/prompt"]?.(prompt("one"), ({ json }) => answers.push(json.object?.["code"]))?.();
    assert.deepEqual(answers, [-32800]);
    const cancel = clientRequests?.["session/prompt"]?.(prompt("two"), () => undefined);
    await settled();
    assert.equal(prompts(successor).length, 1);
    cancel?.();
    assert.deepEqual(successor.methods.slice(-1), ["session/prompt"]);
    assert.equal(successor.received.at(-1)?.kind, "cancel");
  });

  it("does not wait for ever", async function () {
    this.timeout(60_000);
    const { successor, clientRequests, prompt } = await bare(() => new Promise(() => undefined));
    clientRequests?.["session/prompt"]?.(prompt("one"), () => undefined);
    await successor.waitFor("session/prompt");
    assert.equal(prompts(successor)[0], '[{"type":"text","text":"one"}]');
  });
});

describe("Sparkle's commands", () => {
  it("stand behind the agent's own, which stay as they are", async () => {
    await inScene(new Scene(), async (scene, sessionId) => {
      scene.announce(sessionId, "compact");
      const update = scene.stage.client.updates.at(-1);
      const commands = update?.["availableCommands"] as unknown[];
      assert.deepEqual(commands[0], { name: "compact", description: "the agent's", extra: 1 });
      assert.deepEqual(update?.["_meta"], { a: 1 });
      await scene.prompt(sessionId, hello);
      assert.deepEqual(scene.announced.at(-1), ["compact", "checkpoint", "insight"]);
    });
  });

  it("are announced when the agent announces none, once a session", async () => {
    await inScene(new Scene(), async (scene, sessionId) => {
      await scene.prompt(sessionId, hello);
      await scene.prompt(sessionId, hello);
      assert.deepEqual(scene.announced, [["checkpoint", "insight"]]);
    });
  });

  it("have another name where the agent has a command of theirs", async () => {
    await inScene(new Scene(), async (scene, sessionId) => {
      scene.announce(sessionId, "checkpoint");
      assert.deepEqual(scene.announced.at(-1), ["checkpoint", "sparkle:checkpoint", "insight"]);
      const own = '[{"type":"text","text":"/checkpoint"}]';
      assert.equal(await scene.prompt(sessionId, own), own);
    });
  });

  it("are those whose tools are offered", async () => {
    await inScene(new Scene(undefined, { tools: ["save_insight"] }), async (scene, sessionId) => {
      await scene.prompt(sessionId, hello);
      assert.deepEqual(scene.announced, [["insight"]]);
    });
  });

  it("become an instruction in the text block alone", async () => {
    await inScene(new Scene(), async (scene, sessionId) => {
      await scene.prompt(sessionId, hello);
      const image = '{"type":"image","data":"AA==","mimeType":"image/png"}';
      const words = '{"type":"text","text":"/checkpoint the API\\nand more"}';
      const sent = await scene.prompt(sessionId, `[${image},${words}]`);
      assert.ok(sent.startsWith(`[${image},{`), sent);
      assert.match(textOf(sent, 1), /session_checkpoint[^]*stressed:\nthe API\nand more\n<\/symposium-command>$/);
    });
  });

  it("are not seen in paths, in the middle of a text, or in longer words", async () => {
    await inScene(new Scene(), async (scene, sessionId) => {
      await scene.prompt(sessionId, hello);
      for (const text of ["/checkpoint/a.ts is wrong", "use /checkpoint", "/checkpoints"]) {
        const blocks = JSON.stringify([{ type: "text", text }]);
        assert.equal(await scene.prompt(sessionId, blocks), blocks);
      }
    });
  });
});

describe("a meta moment", () => {
  it("adds an instruction behind the user's words, in whatever case they are", async () => {
    await inScene(new Scene(), async (scene, sessionId) => {
      await scene.prompt(sessionId, hello);
      const sent = await scene.prompt(sessionId, '[{"type":"text","text":"Good. Meta Moment!"}]');
      assert.equal(textOf(sent, 0), "Good. Meta Moment!");
      assert.match(textOf(sent, 1), /save_insight/);
    });
  });

  it("is only heard in what the user writes, and only where insights can be kept", async () => {
    const file =
      '[{"type":"text","text":"read"},{"type":"resource","resource":{"uri":"file:///a","text":"meta moment"}}]';
    const said = '[{"type":"text","text":"meta moment"}]';
    await inScene(new Scene(), async (scene, sessionId) => {
      await scene.prompt(sessionId, hello);
      assert.equal(await scene.prompt(sessionId, file), file);
    });
    await inScene(new Scene(undefined, { tools: ["session_checkpoint"] }), async (scene, sessionId) => {
      await scene.prompt(sessionId, hello);
      assert.equal(await scene.prompt(sessionId, said), said);
    });
  });
});

describe("Sparkle and a session that is told again", () => {
  it("does not show the user what earlier versions added", () => {
    const { agentNotifications } = connect(sparkleProxy({}, new SparkleInMemory()), new RecordingPeer());
    const content = { type: "text", text: `${contextStart}notes${contextEnd}` };
    const told = Notification.of("session/update", {
      sessionId: "s",
      update: { sessionUpdate: "user_message_chunk", content },
    });
    assert.equal(agentNotifications?.["session/update"]?.(told), undefined);
  });
});
