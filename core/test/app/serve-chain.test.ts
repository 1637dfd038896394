import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mock } from "node:test";
import { metrics, trace as tracing } from "@opentelemetry/api";
import { openEnvironment } from "../../src/app/environment.js";
import { behindEditor, members, openChain, type Wrapper } from "../../src/app/serve-chain.js";
import { TurnNotice } from "../../src/base/acp/turn-notice.js";
import { type Outcome, Request } from "../../src/base/rpc/message.js";
import type { AgentComponent } from "../../src/conductor/chain/component.js";
import type { Proxy } from "../../src/conductor/chain/proxy.js";
import { KnownSessions } from "../../src/conductor/choices/known-sessions.js";
import { Telemetry } from "../../src/sessions/telemetry/telemetry.js";
import { defaultSettings } from "../../src/settings/settings-table.js";
import { memoryChannelPair } from "../../testing/memory-channel.js";
import { RecordingPeer } from "../../testing/recording-peer.js";

const prompt = "session/prompt";

describe("the members between an editor and its agent", function () {
  this.timeout(60_000);
  const before = process.env["SYMPOSIUM_CONFIG_DIR"];
  let folder = "";
  let trace: string[] = [];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "serve-chain-"));
    process.env["SYMPOSIUM_CONFIG_DIR"] = folder;
    trace = [];
    for (const member of members) traceMember(member);
  });
  afterEach(async () => {
    mock.restoreAll();
    if (before === undefined) delete process.env["SYMPOSIUM_CONFIG_DIR"];
    else process.env["SYMPOSIUM_CONFIG_DIR"] = before;
    await rm(folder, { recursive: true, force: true });
  });

  /** Notes in the trace each prompt that gets to `member`. */
  function traceMember(member: (typeof members)[number]): void {
    const { name } = member;
    if (member.at === "editor" || member.at === "conductor") {
      const make = member.make as (parts: unknown) => Wrapper | undefined;
      mock.method(member, "make", (parts: unknown) => traceWrapper(name, make(parts)));
    } else if (member.at === "extensions") {
      mock.method(member, "make", () => [{ kind: "proxy", proxy: traceProxy(name, extension) }] as const);
    } else {
      const make = member.make.bind(member);
      mock.method(member, "make", (...[parts]: Parameters<typeof make>) => {
        const proxy = make(parts);
        return proxy && traceProxy(name, proxy);
      });
    }
  }

  function traceWrapper(name: string, wrapper: Wrapper | undefined): Wrapper | undefined {
    if (!wrapper) return undefined;
    const towardAgent = wrapper.towardAgent.bind(wrapper);
    mock.method(wrapper, "towardAgent", (...given: Parameters<typeof towardAgent>) => {
      const agent = towardAgent(...given);
      return {
        notify: agent.notify.bind(agent),
        request: (...[request, reply]: Parameters<typeof agent.request>) => {
          if (request.method === prompt) trace.push(name);
          return agent.request(request, reply);
        },
      };
    });
    return wrapper;
  }

  const traceProxy = (name: string, proxy: Proxy): Proxy => ({
    ...proxy,
    connect: (chain) => {
      const handlers = proxy.connect(chain);
      const own = handlers.clientRequests?.[prompt];
      const clientRequests: typeof handlers.clientRequests = {
        ...handlers.clientRequests,
        [prompt]: (request, reply) => {
          trace.push(name);
          return own ? own(request, reply) : chain.successor.request(request, reply);
        },
      };
      return Object.defineProperty(handlers, "clientRequests", { value: clientRequests });
    },
  });

  const extension: Proxy = { name: "extension", connect: () => ({}) };
  const hooks = { turns: extension, tools: extension };
  const limits = { servers: extension, modes: extension };
  const telemetry = new Telemetry({ tracer: tracing.getTracer("none"), meter: metrics.getMeter("none") });
  const sandbox = {
    desk: { name: "desk", connect: () => ({}) },
    proxy: { name: "sandbox", connect: () => ({}) },
    isHeld: () => true,
  };

  /** The members that a prompt passes from the editor to the agent. */
  async function membersOfPrompt(hasAll: boolean): Promise<readonly string[]> {
    const settings = { ...defaultSettings, loginEnvironment: "off", guard: hasAll ? "rules" : "off" } as const;
    await using opened = await openEnvironment({ values: { log: "off" }, notice: () => undefined, settings });
    const hold: typeof opened.hold = (one) => ({ ...opened.hold(one), ...(hasAll && { sandbox }) });
    const environment = { ...opened, hold, ...(hasAll && { hooks: () => hooks, limits, telemetry }) };
    const peer = new RecordingPeer({
      initialize: { protocolVersion: 1, agentCapabilities: {} },
      "session/new": { sessionId: "s1" },
      [prompt]: { stopReason: "end_turn" },
    });
    const agent: AgentComponent = {
      kind: "agent",
      agent: { name: "traced", connect: () => ({ fromClient: peer }) },
    };
    const plan = { agent, proxies: [], ...(hasAll ? { kept: { agent: "traced" } } : { hasContext: false }) };
    const parts = {
      agentOf: () => "traced",
      known: new KnownSessions([], { keep: () => undefined, forget: () => undefined }),
      sandboxNotice: new TurnNotice({ notice: "test", tellers: [], textFor: () => undefined }),
    };
    const connect = behindEditor({ environment, ...(hasAll && parts) }, (client, hooks) =>
      openChain(plan, environment, client, hooks),
    );
    const [clientChannel] = memoryChannelPair();
    await using served = connect(new RecordingPeer(), {
      clientChannel,
      onFailure: ({ message }) => assert.fail(message),
      reportsFailure: true,
      onWrappedCancel: () => undefined,
    });
    const ask = (method: string, params: object): Promise<Outcome> =>
      new Promise((resolve) => served.fromClient.request(Request.of(method, params), resolve));
    await ask("initialize", { protocolVersion: 1, clientCapabilities: {} });
    await ask("session/new", { cwd: folder, mcpServers: [] });
    const outcome = await ask(prompt, { sessionId: "s1", prompt: [{ type: "text", text: "Hello" }] });
    assert.equal(outcome.isError, false);
    return trace;
  }

  it("get a prompt in the order of their list", async () => {
    assert.deepEqual(
      await membersOfPrompt(true),
      members.map(({ name }) => name),
    );
  });

  it("are few where nothing is recorded, given or judged", async () => {
    assert.deepEqual(await membersOfPrompt(false), [
      "notice of a changed protection",
      "extensions",
      "project guard",
      "requests about MCP servers",
      "missing files",
    ]);
  });
});
