import { mkdtemp, readdir, readFile, readlink, realpath, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Logger } from "../../../src/base/logger.js";
import { startProcess } from "../../../src/base/node/child-component.js";
import { Installer, type InstallerOptions } from "../../../src/agents/install/installer.js";
import { runTool } from "../../../src/agents/install/run-package-tool.js";
import { Watchdog } from "../../../src/base/node/orphan-watchdog.js";
import type { ArchivePlan } from "../../../src/agents/registry/start-plan.js";
import type { Command } from "../../../src/base/command.js";

/** A program that answers `initialize`, and prints `version` when it is asked to. */
export function agentProgram(version: string, interpreter: string = process.execPath): string {
  return `#!${interpreter}
if (process.argv.includes("--version")) { console.log(${JSON.stringify(version)}); process.exit(0); }
console.log("welcome");
process.stdin.on("data", (data) => {
  const { id, method } = JSON.parse(String(data));
  console.log(JSON.stringify(method === "initialize"
    ? { jsonrpc: "2.0", id, result: { protocolVersion: 1 } }
    : { jsonrpc: "2.0", id, error: { code: -32601, message: "unknown" } }));
}).on("end", () => process.exit(0));
`;
}

/** A program that ends at once. */
export const brokenProgram = `#!${process.execPath}\nconsole.error("no model"); process.exit(3);\n`;

type Answer = Buffer | string | ((request: IncomingMessage, response: ServerResponse) => void);

/** A web server on this machine that answers with what `files` has for a path, and counts what was asked for. */
export class LoopbackServer implements AsyncDisposable {
  readonly files = new Map<string, Answer>();
  readonly asked: string[] = [];
  readonly #server = createServer((request, response) => {
    const path = request.url ?? "";
    this.asked.push(path);
    const answer = this.files.get(path);
    if (typeof answer === "function") answer(request, response);
    else response.writeHead(answer === undefined ? 404 : 200).end(answer);
  });

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return this;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  url(path: string): string {
    return `http://127.0.0.1:${this.port}${path}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** A temporary folder with an installer's folder, a server, and what starts processes. */
export class InstallStage implements AsyncDisposable {
  readonly server = new LoopbackServer();
  readonly #watchdog = new Watchdog();
  home = "";

  static async open(): Promise<InstallStage> {
    const stage = new InstallStage();
    stage.home = await realpath(await mkdtemp(join(tmpdir(), "symposium-install-")));
    await stage.server.start();
    return stage;
  }

  get folder(): string {
    return join(this.home, "bin");
  }

  installer(options: Partial<InstallerOptions> = {}): Installer {
    const env = options.env ?? process.env;
    const logger = Logger.silent;
    const start = startProcess({ logger, watchdog: this.#watchdog, env, graceMs: 200 });
    return new Installer({ folder: this.folder, logger, env, node: process.execPath, startProcess: start, ...options });
  }

  /** A plan for a raw program at `/VERSION/agent`, which the server has from now on. */
  program(version: string, text: string = agentProgram(version), changes: Partial<ArchivePlan> = {}): ArchivePlan {
    const path = `/${version}/agent`;
    this.server.files.set(path, text);
    const url = this.server.url(path);
    return { kind: "archive", id: "agent", version, url, program: "./agent", args: [], env: {}, ...changes };
  }

  /** Runs an installed program with the additional arguments `extra` and returns its stdout. */
  async output({ command, args, env }: Command, extra: readonly string[] = ["--version"]): Promise<string> {
    const start = startProcess({ logger: Logger.silent, watchdog: this.#watchdog });
    const signal = AbortSignal.timeout(60_000);
    return (await runTool(start, "program", { command, args: [...args, ...extra], env }, signal)).stdout;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#watchdog[Symbol.dispose]();
    await this.server[Symbol.asyncDispose]();
    await rm(this.home, { recursive: true, force: true });
  }
}

/** Everything below `folder` by path: content of files, target of links, null for folders. */
export async function treeOf(folder: string): Promise<Record<string, string | null>> {
  const tree: Record<string, string | null> = {};
  const walk = async (path: string): Promise<void> => {
    for (const entry of await readdir(join(folder, path), { withFileTypes: true }).catch(() => [])) {
      const own = path === "" ? entry.name : `${path}/${entry.name}`;
      if (entry.isSymbolicLink()) tree[own] = `-> ${await readlink(join(folder, own))}`;
      else tree[own] = entry.isFile() ? await readFile(join(folder, own), "latin1") : null;
      if (entry.isDirectory()) await walk(own);
    }
  };
  await walk("");
  return tree;
}
