import assert from "node:assert/strict";
import { mkdtempSync, realpathSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Logger } from "../../../../src/base/logger.js";
import type { McpServerEntry } from "../../../../src/base/mcp/mcp-server-entry.js";
import type { McpServer } from "../../../../src/base/mcp/mcp-server.js";
import { startProcess } from "../../../../src/base/node/child-component.js";
import { Watchdog } from "../../../../src/base/node/orphan-watchdog.js";
import { agentTable } from "../../../../src/agents/registry/agent-table.js";
import { ListFiles } from "../../../../src/context/servers/node/lists-file.js";
import { McpClient } from "../../../../src/context/servers/node/mcp-client.js";
import { type HubSession, ServerHub, type ServerHubOptions } from "../../../../src/context/servers/server-hub.js";
import type { UserServer } from "../../../../src/settings/user-server.js";
import { RecordingPeer } from "../../../../testing/recording-peer.js";
import { awaitEnd, killAll } from "../../../base/node/surviving-processes.js";

/** The program of {@link odd}. */
export const program = fileURLToPath(new URL("./odd-server.js", import.meta.url));

/** A server of the user's own that runs `odd-server.ts`, with its name in its environment. */
export function odd(name: string, over: Partial<UserServer> = {}, args: readonly string[] = []): UserServer {
  return {
    name,
    launch: { type: "stdio", command: process.execPath, args: [program, ...args], env: { FIXTURE: name } },
    origin: { kind: "user" },
    isEnabled: true,
    ...over,
  };
}

interface SessionOptions {
  readonly client?: RecordingPeer;
  /** Its id in the table of agents. */
  readonly agent?: string;
  readonly editorServers?: readonly McpServerEntry[];
  readonly project?: HubSession["project"];
  readonly capabilities?: Readonly<Record<string, unknown>>;
}

/** A hub with real connections, in a folder of its own. Disposing checks that no server is left. */
export class HubStage implements AsyncDisposable {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), "hub-")));
  readonly lists = new ListFiles(join(this.folder, "lists"), Logger.silent);
  /** The pids of all that was started. */
  readonly started: number[] = [];
  readonly #watchdog = new Watchdog();
  readonly #sessions: AbortController[] = [];
  #hub = this.#newHub();

  get hub(): ServerHub {
    return this.#hub;
  }

  /** A hub that knows what the one of before has kept. */
  async restart(options: Pick<ServerHubOptions, "startDelayMs" | "firstWaitMs"> = {}): Promise<void> {
    await this.#hub[Symbol.asyncDispose]();
    this.started.splice(0);
    this.#hub = this.#newHub(options);
  }

  session(options: SessionOptions = {}): HubSession & { end(): void } {
    const controller = new AbortController();
    this.#sessions.push(controller);
    return {
      cwd: this.folder,
      roots: [this.folder, tmpdir()],
      client: options.client ?? new RecordingPeer(),
      clientCapabilities: options.capabilities ?? {},
      sessionId: "s1",
      signal: controller.signal,
      agent: { accepts: { image: false, audio: false, embeddedContext: false } },
      row: agentTable.find(({ id }) => id === options.agent),
      project: options.project ?? { servers: [], disabledServers: [], disabledTools: [] },
      editorServers: options.editorServers ?? [],
      end: () => controller.abort(),
    };
  }

  /** The one server of a new session. */
  async only(server: UserServer, options?: SessionOptions): Promise<McpServer> {
    const [opened] = (await this.hub.open(this.session(options), [server])).servers;
    assert.ok(opened);
    return opened;
  }

  /** Resolves once the states of the servers are such. */
  async until(isTrue: () => boolean): Promise<void> {
    if (isTrue()) return;
    await new Promise<void>((resolve) => {
      const listening = this.hub.statuses.subscribe(() => {
        if (!isTrue()) return;
        listening[Symbol.dispose]();
        resolve();
      });
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const session of this.#sessions) session.abort();
    await this.#hub[Symbol.asyncDispose]();
    const survivors = await awaitEnd(this.started);
    killAll(survivors);
    this.#watchdog[Symbol.dispose]();
    await rm(this.folder, { recursive: true, force: true });
    assert.deepEqual(survivors, []);
  }

  #newHub(options: Pick<ServerHubOptions, "startDelayMs" | "firstWaitMs"> = {}): ServerHub {
    const start = startProcess({
      logger: Logger.silent,
      watchdog: this.#watchdog,
      graceMs: 500,
      terminationMs: 300,
      maxLineBytes: 1_000_000,
    });
    const client = new McpClient({
      clientInfo: { name: "test", version: "1" },
      startProcess: (...command) => {
        const process = start(...command);
        if (process.pid !== undefined) this.started.push(process.pid);
        return process;
      },
    });
    return new ServerHub({
      logger: Logger.silent,
      lists: this.lists,
      expand: ({ launch }, { cwd }) => {
        if (launch.type !== "stdio") return Promise.resolve({ ...launch, type: launch.type });
        if (launch.command === "unreadable") return Promise.reject(new Error("The key store is locked."));
        if (launch.command.startsWith("${")) return Promise.resolve({ missing: launch.command });
        return Promise.resolve({ ...launch, cwd: launch.cwd ?? cwd });
      },
      connect: (plan, host, signal) => client.open(plan, host, signal),
      firstWaitMs: 15_000,
      retryDelaysMs: [60_000],
      ...options,
    });
  }
}
