import { homedir } from "node:os";
import { dirname } from "node:path";
import type { Logger } from "../base/logger.js";
import { rowOfCommand } from "../client/agent-quirks.js";
import type { AgentComponent, Command, ProcessExit, StartProcess } from "../conductor/component.js";
import type { Proxy } from "../conductor/proxy.js";
import type { HostDesk } from "../guard/network/host-desk.js";
import type { SandboxNetwork } from "../guard/node/network/sandbox-network.js";
import { Bubblewrap } from "../guard/node/sandbox/bubblewrap.js";
import { stopDivertedGit } from "../guard/node/sandbox/diverted-git.js";
import { placeOf, realPath } from "../guard/node/sandbox/machine-paths.js";
import { findSandbox, probeSandbox, type SandboxState } from "../guard/node/sandbox/probe.js";
import { refusedRoot } from "../guard/node/sandbox/sandbox-paths.js";
import { watchMissing } from "../guard/node/sandbox/missing-paths.js";
import { isWithin } from "../guard/sandbox/sandbox-plan.js";
import { SandboxedAgent } from "../guard/sandbox/sandboxed-agent.js";
import { sandboxProxy } from "../guard/sandbox/sandbox-proxy.js";
import { startProcess, type StartProcessOptions } from "../node/child-component.js";
import type { Confinement } from "../node/confinement.js";
import { configFolder } from "../node/own-program.js";
import { packageStart } from "../node/package-start.js";
import type { SandboxHosts } from "./sandbox-hosts.js";
import { packageStartOptions, selfCommand } from "./self-command.js";

interface AgentSandboxOptions {
  readonly logger: Logger;
  /** Of every process that it starts. */
  readonly processes: Omit<StartProcessOptions, "confined">;
  readonly cwd: string;
  readonly hosts: SandboxHosts;
}

/** What the programs of a chain run in, where `guard` is `sandbox`. */
export class AgentSandbox {
  readonly #configFolder = configFolder(process.env, homedir());
  #state: SandboxState | undefined;
  /** Of {@link others}. */
  #network: SandboxNetwork | undefined;
  /** Of all sessions of this process, for what works for them besides their agents. */
  readonly #roots = new Set<string>();

  constructor(private readonly options: AgentSandboxOptions) {
    if (this.#refused(options.cwd) === undefined) this.#roots.add(options.cwd);
  }

  /** Of cargo, tests and checks, which work in the folders of all sessions. */
  readonly others: Confinement = this.#other("tools");

  /**
   * Starts proxies and MCP servers, which work in these folders, too. Each has a private folder of its own: the programs there, such as
   * those that npx has downloaded, are given secrets that are no other's.
   */
  readonly startOther: StartProcess = (name, ...given) =>
    startProcess({ ...this.options.processes, confined: this.#other(`with-${folderName(name)}`) })(name, ...given);

  /** For the agent of one chain: how it starts, the proxy that asks about hosts, and the one next to it that opens its sandbox for sessions. */
  forAgent(agent: AgentComponent): {
    readonly desk: Proxy;
    readonly proxy: Proxy;
    readonly startAgent: StartProcess;
  } {
    let started: SandboxedAgent | undefined;
    const desk = this.options.hosts.openDesk();
    const likely = this.#refused(this.options.cwd) === undefined ? [this.options.cwd] : [];
    const startAgent: StartProcess = (name, command, handlers) => {
      started = new SandboxedAgent(
        (roots, ...given) =>
          this.#start({ roots, desk, known: agent.kind === "process" ? agent.command : command }, ...given),
        { name, command, handlers, explain: (exit) => this.#explained(exit) },
        likely,
      );
      return started;
    };
    const proxy = sandboxProxy({
      agent: () => started,
      refusedRoot: (folder) => this.#refused(folder),
      isCovered,
      placeOf,
      opened: (folders) => folders.forEach((folder) => this.#roots.add(folder)),
    });
    return { desk: desk.proxy, proxy, startAgent };
  }

  #start(
    { roots, known, desk }: { readonly roots: readonly string[]; readonly known: Command; readonly desk: HostDesk },
    ...given: Parameters<StartProcess>
  ): ReturnType<StartProcess> {
    const row = rowOfCommand(known);
    const [name, command, handlers] = given;
    const network = this.options.hosts.openNetwork({ desk, hosts: row?.hosts, roots: () => roots, usesBridge: true });
    const confined = this.#confinement(
      () => ({
        ...{ id: row?.id ?? folderName(name), needs: row?.sandbox, roots },
        ...{ ownPrograms: ownPrograms(), configFolder: this.#configFolder },
      }),
      () => network,
    );
    const { cwd } = this.options;
    const seen = roots.some((root) => isCovered(cwd, root)) ? cwd : (roots[0] ?? homedir());
    const start = packageStart(command, { ...packageStartOptions(), cwd: seen });
    const started = startProcess({ ...this.options.processes, confined })(name, start, handlers);
    void started.exited.then(() => network.close());
    return started;
  }

  /** Says why, and what helps, where it was bubblewrap that did not start. */
  #explained(exit: ProcessExit): ProcessExit {
    if (exit.code !== 1 || !/^bwrap: /m.test(exit.stderrTail)) return exit;
    const state = probeSandbox(this.#configFolder);
    if (state.isThere) return exit;
    this.#state = state;
    return { ...exit, startError: `sandbox: ${state.reason}. ${state.remedy}` };
  }

  /** Ends the connections of what works for all sessions. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#network?.close();
  }

  #other(id: string): Confinement {
    return this.#confinement(
      () => ({
        ...{ id, needs: undefined, roots: [...this.#roots], sharesTemporary: true },
        ...{ ownPrograms: ownPrograms(), configFolder: this.#configFolder },
      }),
      () => (this.#network ??= this.options.hosts.openNetwork({ roots: () => [...this.#roots], usesBridge: false })),
    );
  }

  #confinement(
    subject: ConstructorParameters<typeof Bubblewrap>[0]["subject"],
    network: () => SandboxNetwork,
  ): Confinement {
    return {
      confine: (program) => {
        this.#state ??= findSandbox();
        if (!this.#state.isThere) return { startError: `sandbox: ${this.#state.reason}. ${this.#state.remedy}` };
        const { logger, hosts } = this.options;
        const watch = watchMissing((path, child) => {
          if (stopDivertedGit(path, child)) {
            logger.error("a sandbox has been ended: it made git take its configuration from elsewhere", { path });
            return;
          }
          logger.warn("a file that can run code later has appeared: look at it before you use it", { path });
          hosts.recordAppeared(path);
        });
        return new Bubblewrap({ program: this.#state.program, subject, network: network(), watch }).confine(program);
      },
    };
  }

  #refused(folder: string): string | undefined {
    return refusedRoot(folder, this.#configFolder);
  }
}

/** Whether a sandbox sees the first folder as a part of the second. */
function isCovered(folder: string, root: string): boolean {
  return isWithin(realPath(folder) ?? folder, realPath(root) ?? root);
}

/** What our own subcommands, which agents start, are made of. */
function ownPrograms(): readonly string[] {
  const { command, args } = selfCommand();
  const [script] = args;
  return [command, ...(script === undefined ? [] : [dirname(realPath(script) ?? script)])];
}

/** A name as that of one folder. */
function folderName(name: string): string {
  return name.replace(/[^\w.-]/g, "_").replace(/^\.+/, "_") || "agent";
}
