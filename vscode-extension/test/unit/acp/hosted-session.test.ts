import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, mkdir, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { type ComponentProcess, Logger, Scope } from "@symposium-dev/core";
import { hostedProcess } from "@symposium-dev/core/node";
import { HostedSessions } from "../../../src/acp/hosted-sessions.js";
import { SessionObservers } from "../../../src/acp/session-observers.js";
import { AbilityTable, type ClientAbility, ownCapabilities } from "../../../src/acp/client-abilities.js";
import type { AgentConfiguration } from "../../../src/acp/agent-configuration.js";
import { agentStarter, WindowAgents } from "../../../src/acp/running-agent.js";
import { TabTranscript } from "../../../src/features/chat/tab-transcript.js";
import { TabFixture } from "./conversation-fixture.js";

const dist = join(dirname(createRequire(import.meta.url).resolve("@symposium-dev/core")), "..");
const program = join(dist, "src", "app", "cli", "main.js");

/** Permission requests, which wait until the test answers them. */
class Questions implements ClientAbility {
  readonly capabilities = {};
  readonly requests = {
    "session/request_permission": (call: { readonly signal: AbortSignal }): Promise<unknown> =>
      new Promise((resolve) => {
        this.open.push((optionId) => resolve({ outcome: { outcome: "selected", optionId } }));
        call.signal.addEventListener("abort", () => resolve({ outcome: { outcome: "cancelled" } }));
        for (const heard of this.#waiting.splice(0)) heard();
      }),
  };
  readonly open: ((optionId: string) => void)[] = [];
  #waiting: (() => void)[] = [];

  /** Resolves when the window is asked; answers. */
  async answer(optionId: string): Promise<void> {
    await this.asked();
    this.open.shift()?.(optionId);
  }

  async asked(): Promise<void> {
    if (this.open.length === 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }
}

/** A folder with a host of its own. Disposing ends the host. */
class HostFolder implements AsyncDisposable {
  readonly #configBefore = { SYMPOSIUM_CONFIG_DIR: process.env["SYMPOSIUM_CONFIG_DIR"] ?? "" };

  private constructor(readonly root: string) {}

  static async create(): Promise<HostFolder> {
    const folder = new HostFolder(await mkdtemp(join(tmpdir(), "hosted-")));
    process.env["SYMPOSIUM_CONFIG_DIR"] = folder.#config;
    await mkdir(folder.workspace);
    await mkdir(folder.#config);
    await writeFile(join(folder.#config, "config.jsonc"), "{}");
    return folder;
  }

  get workspace(): string {
    return join(this.root, "work");
  }

  get #config(): string {
    return join(this.root, "config");
  }

  async host(...words: readonly string[]): Promise<string> {
    return (await promisify(execFile)(process.execPath, [program, "host", ...words])).stdout;
  }

  /** The states of the host's sessions, and whether a window has them. */
  async sessions(): Promise<unknown> {
    const { sessions } = JSON.parse(await this.host("status", "--json")) as {
      readonly sessions: readonly { readonly state: string; readonly isAttached: boolean }[];
    };
    return sessions.map(({ state, isAttached }) => [state, isAttached]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.host("stop").catch(() => undefined);
    Object.assign(process.env, this.#configBefore);
    await rm(this.root, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
}

/** A window of the editor with one tab. */
class Window {
  readonly questions = new Questions();
  readonly agents: WindowAgents;
  readonly tab: TabFixture;
  readonly #scope = new Scope();
  #connection: ComponentProcess | undefined;

  constructor(folder: HostFolder, before?: Window, options: ConstructorParameters<typeof TabFixture>[1] = {}) {
    this.agents = this.#scope.add(
      new WindowAgents(
        agentStarter({
          command: () => ({ command: process.execPath, args: [program], env: {} }),
          abilities: new AbilityTable([this.questions], Logger.silent, ownCapabilities),
          clientInfo: { name: "test", title: "Test", version: "1" },
          logger: Logger.silent,
          startProcess: () => assert.fail("a process is started in the window"),
          startHosted: (self) => {
            const start = hostedProcess({ self, env: process.env, maxLineBytes: 64 * 1024 * 1024 });
            return (...given) => (this.#connection = start(...given));
          },
        }),
      ),
    );
    const configuration: AgentConfiguration = {
      agentId: "scripted",
      agentName: "Scripted",
      agent: `${process.execPath} ${join(dist, "testing", "node", "agent-main.js")}`,
      proxies: [],
      folder: folder.workspace,
      environment: {},
      extraArgs: [],
      isHosted: true,
    };
    const sessionId = before?.tab.sessions.at(-1);
    const kept = before && { target: new TabTranscript(before.kept), ...(sessionId !== undefined && { sessionId }) };
    this.tab = new TabFixture(
      this.agents,
      { folders: [folder.workspace], newId: () => crypto.randomUUID(), ...kept, ...options },
      configuration,
    );
  }

  /** The transcript as the next window reads it from the disk: nothing in it waits any more. */
  get kept(): TabTranscript["transcript"] {
    const { transcript } = new TabTranscript(structuredClone(this.tab.transcript.transcript));
    const target = new TabTranscript(transcript);
    target.publish({ op: "put", item: { kind: "turn-end", id: crypto.randomUUID(), stopReason: "interrupted" } });
    target.publish({ op: "tab", patch: { phase: "ready", turnStartedAt: null, waiting: 0, queue: [] } });
    target.flush();
    return transcript;
  }

  /** Ends the connection to the host, which keeps the turn. */
  async loseConnection(): Promise<void> {
    this.questions.open.length = 0;
    await this.#connection?.[Symbol.asyncDispose]();
  }

  /** Closes the window as the extension does. */
  async close(): Promise<void> {
    this.tab.conversation.detach();
    await this.#scope[Symbol.asyncDispose]();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/** The items of a tab, each in a word or two. */
function shown({ items }: TabFixture): readonly string[] {
  return items.map((item) => {
    if (item.kind === "user") return `> ${item.text}`;
    if (item.kind === "text") return item.text;
    return item.kind === "turn-end" ? `end: ${item.stopReason}` : item.kind;
  });
}

const said = /^before\nsession\/request_permission result .*"option-3".*\nafter\n$/;
const script = "echo before\npermission allow\necho after";

/** A window that was closed while its agent asked. */
async function closedInTurn(folder: HostFolder): Promise<Window> {
  const window = new Window(folder);
  window.tab.send(script);
  await window.questions.asked();
  await window.close();
  return window;
}

describe("a tab whose session the host keeps", () => {
  it("goes on with a turn in which its window was closed, as if it had stayed open", async () => {
    await using folder = await HostFolder.create();
    await using whole = new Window(folder);
    whole.tab.send(script);
    await whole.questions.answer("option-3");
    await whole.tab.until(() => whole.tab.phase === "ready");
    const first = await closedInTurn(folder);
    assert.deepEqual(await folder.sessions(), [
      ["idle", true],
      ["waiting", false],
    ]);
    assert.deepEqual(shown(first.tab), shown(whole.tab).slice(0, 3));
    await using second = new Window(folder, first);
    await second.tab.conversation.start();
    await second.questions.asked();
    assert.equal(second.tab.phase, "running");
    await second.questions.answer("option-3");
    await second.tab.until(() => second.tab.phase === "ready");
    assert.deepEqual(shown(second.tab), shown(whole.tab));
    await second.tab.ask("echo again");
    assert.deepEqual(shown(second.tab).slice(-3), ["> echo again", "again\n", "end: end_turn"]);
    assert.deepEqual(second.tab.sessions, []);
  });

  it("goes on with a turn in which it was closed, when it is opened again, and can be closed for good", async () => {
    await using folder = await HostFolder.create();
    await using window = new Window(folder);
    window.tab.send(script);
    await window.questions.asked();
    const atClose = shown(window.tab).slice(0, 2);
    assert.equal(window.tab.conversation.isKeptByHost, true);
    await window.tab.conversation.close();
    assert.deepEqual(await folder.sessions(), [["waiting", false]]);
    await using again = new Window(folder, window);
    await again.tab.conversation.start();
    await again.questions.asked();
    assert.deepEqual(shown(again.tab).slice(0, 2), atClose);
    await again.tab.conversation.close(true);
    assert.deepEqual(await folder.sessions(), []);
  });

  it("ends a turn in which it was closed before its prompt was sent", async () => {
    await using folder = await HostFolder.create();
    let prepared: () => void = () => undefined;
    const preparing = new Promise<void>((resolve) => (prepared = resolve));
    const observers = new SessionObservers([{ turnStarted: () => preparing }], Logger.silent);
    await using window = new Window(folder, undefined, { observers });
    window.tab.send("echo never");
    await window.tab.until(() => window.tab.phase === "running");
    assert.equal(window.tab.conversation.isKeptByHost, false);
    await window.tab.conversation.close();
    prepared();
    await window.tab.until(() => window.tab.all("turn-end").length === 1);
    assert.deepEqual(shown(window.tab), ["> echo never", "end: cancelled"]);
    assert.deepEqual(await folder.sessions(), []);
  });

  it("is found at work in its folder after it was closed in a turn, and ended there after the turn while a window shows it", async () => {
    await using folder = await HostFolder.create();
    await using window = new Window(folder);
    const hosted = new HostedSessions();
    window.tab.send(script);
    await window.questions.asked();
    await window.tab.conversation.close();
    const id = window.tab.sessions.at(-1) ?? "";
    assert.deepEqual(
      [await hosted.has(id), await hosted.isAtWork(folder.root), await hosted.isAtWork(join(folder.root, "other"))],
      [true, true, false],
    );
    await using again = new Window(folder, window);
    await again.tab.conversation.start();
    await again.questions.answer("option-3");
    await again.tab.until(() => again.tab.phase === "ready");
    assert.deepEqual([await hosted.has(id), await hosted.isAtWork(folder.workspace)], [true, false]);
    await hosted.end(folder.workspace);
    assert.equal(await hosted.has(id), false);
  });

  it("shows the end of a turn that ended while its window was closed", async () => {
    await using folder = await HostFolder.create();
    const first = await closedInTurn(folder);
    await using other = new Window(folder, undefined, { sessionId: first.tab.sessions[0] ?? "" });
    await other.tab.conversation.start();
    await other.questions.answer("option-3");
    await other.tab.until(() => other.tab.all("turn-end").length === 1);
    await using second = new Window(folder, first);
    await second.tab.conversation.start();
    await second.tab.until(() => second.tab.all("turn-end").length === 1);
    assert.match(second.tab.said, said);
    assert.deepEqual(shown(second.tab).slice(0, 3), shown(first.tab));
    assert.deepEqual(shown(second.tab).slice(4), ["end: end_turn"]);
  });

  it("shows the question and the end of a turn that another window began, from a transcript without that end", async () => {
    await using folder = await HostFolder.create();
    const first = await closedInTurn(folder);
    const target = new TabTranscript(structuredClone(first.tab.transcript.transcript));
    await using other = new Window(folder, undefined, { target, sessionId: first.tab.sessions[0] ?? "" });
    await other.tab.conversation.start();
    await other.questions.answer("option-3");
    await other.tab.until(() => other.tab.all("turn-end").length === 1);
    assert.match(other.tab.said, said);
    assert.deepEqual(shown(other.tab).at(-1), "end: end_turn");
  });

  it("can stop a turn that an earlier window began", async () => {
    await using folder = await HostFolder.create();
    await using second = new Window(folder, await closedInTurn(folder));
    await second.tab.conversation.start();
    await second.questions.asked();
    second.tab.conversation.cancel();
    await second.tab.until(() => second.tab.phase === "ready");
    assert.equal(shown(second.tab).at(-1), "end: cancelled");
    assert.deepEqual(await folder.sessions(), [["idle", true]]);
  });

  it("shows what it had where the host has died, and goes on", async () => {
    await using folder = await HostFolder.create();
    const first = await closedInTurn(folder);
    await folder.host("stop");
    await using second = new Window(folder, first);
    await second.tab.conversation.start();
    assert.deepEqual(shown(second.tab), [...shown(first.tab), "end: interrupted"]);
    await second.tab.ask("echo again");
    assert.deepEqual(shown(second.tab).slice(-3), ["> echo again", "again\n", "end: end_turn"]);
  });

  it("gets another agent by a restart in a turn that never ends", async () => {
    await using folder = await HostFolder.create();
    await using window = new Window(folder);
    window.tab.send("echo before\nhang");
    await window.tab.until(() => window.tab.said !== "");
    await window.tab.conversation.restart();
    await window.tab.until(() => window.tab.all("turn-end").length === 1);
    await window.tab.ask("echo again");
    assert.deepEqual(shown(window.tab).slice(-3), ["> echo again", "again\n", "end: end_turn"]);
    assert.deepEqual(await folder.sessions(), [["idle", true]]);
  });

  it("shows the whole conversation and the question of a session that only the host has", async () => {
    await using folder = await HostFolder.create();
    await using first = new Window(folder);
    await first.tab.ask("echo one");
    first.tab.send(script);
    await first.questions.asked();
    await using other = new Window(folder, undefined, { sessionId: first.tab.sessions[0] ?? "" });
    await other.tab.conversation.start();
    await other.questions.answer("option-3");
    await other.tab.until(() => shown(other.tab).at(-1) === "end: end_turn");
    assert.deepEqual(shown(other.tab).slice(0, 3), ["> echo one", "one\n", `> ${script}`]);
    assert.match(other.tab.said, /^one\nbefore\n[^]*"option-3"[^]*after\n$/);
  });

  it("doesn't offer to repeat a prompt whose turn continued while the connection was lost", async () => {
    await using folder = await HostFolder.create();
    await using window = new Window(folder);
    window.tab.send(script);
    await window.questions.asked();
    await window.loseConnection();
    await window.questions.answer("option-3");
    await window.tab.until(() => shown(window.tab).at(-1) === "end: end_turn");
    assert.deepEqual(
      window.tab.all("notice").map(({ actions }) => actions.map(({ id }) => id)),
      [["open-log"]],
    );
    assert.match(window.tab.said, said);
    assert.deepEqual(window.tab.all("user").length, 1);
  });

  it("shows a turn that another window has begun in the session", async () => {
    await using folder = await HostFolder.create();
    await using first = new Window(folder);
    await first.tab.ask("echo one");
    await using other = new Window(folder, undefined, { sessionId: first.tab.sessions[0] ?? "" });
    await other.tab.conversation.start();
    other.tab.send("permission allow");
    await first.tab.until(() => first.tab.phase === "running");
    await first.questions.answer("option-3");
    await first.tab.until(() => first.tab.phase === "ready");
    assert.deepEqual(
      first.tab.all("turn-end").map(({ stopReason }) => stopReason),
      ["end_turn", "end_turn"],
    );
  });
});
