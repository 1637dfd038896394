import { homedir } from "node:os";
import { dirname, join, relative } from "node:path";
import type { Logger } from "../../../base/logger.js";
import { rowOfCommand } from "../../../agents/agent-quirks.js";
import type { ProcessExit, StartProcess } from "../../../base/component-process.js";
import type { AgentComponent } from "../../../conductor/chain/component.js";
import type { Command } from "../../../base/command.js";
import type { Proxy } from "../../../conductor/chain/proxy.js";
import type { HostPermissionPrompts } from "../../network/host-permission-prompts.js";
import type { SandboxNetwork } from "../network/sandbox-network.js";
import { placeOf, realPath } from "./machine-paths.js";
import { Bubblewrap } from "./bubblewrap.js";
import { probeSandbox, type SandboxMaker, sandboxToStart, type SandboxState } from "./probe.js";
import { refusedRoot, type SandboxSubject } from "./sandbox-paths.js";
import { Seatbelt } from "./seatbelt.js";
import { SandboxWatcher } from "./sandbox-watcher.js";
import type { WatchPaths } from "./missing-paths.js";
import { toolchainsInHome } from "../../sandbox/protected-names.js";
import { isWithin } from "../../sandbox/sandbox-plan.js";
import { SandboxedAgent } from "../../sandbox/sandboxed-agent.js";
import { sandboxProxy } from "../../sandbox/sandbox-proxy.js";
import { startProcess, type StartProcessOptions } from "../../../base/node/child-component.js";
import type { Confinement, SandboxFault } from "../../../base/node/confinement.js";
import type { SelfCommand } from "../../../base/node/mcp-bridge/loopback-bridge.js";
import { configFolder } from "../../../base/node/own-program.js";
import { packageStart } from "../../../base/node/runners-outside-project.js";
import { policyFile } from "../native-rule-files.js";
import type { SandboxHosts } from "../network/sandbox-hosts.js";
import { packageStartOptions, selfCommand } from "../../../base/node/self-command.js";

/** The exit code of `sandbox-exec` where it does not take a profile. */
const unreadProfile = 65;

interface AgentSandboxOptions {
  readonly logger: Logger;
  /** Of every process that it starts. */
  readonly processes: Omit<StartProcessOptions, "confined">;
  readonly cwd: string;
  readonly hosts: SandboxHosts;
  /** How this product starts again; the program that runs now by default. */
  readonly self?: SelfCommand;
}

/** What the programs of a chain run in, where `guard` is `sandbox`. */
export class AgentSandbox {
  readonly #configFolder = configFolder();
  readonly #watcher: SandboxWatcher;
  #state: SandboxState;
  /** Of {@link others}. */
  #network: SandboxNetwork | undefined;
  /** The folders of all sessions of this process, for what works for them besides their agents, and where each led when it was opened. */
  readonly #roots = new Map<string, string>();

  private constructor(
    private readonly options: AgentSandboxOptions,
    state: SandboxState,
  ) {
    this.#state = state;
    this.#watcher = new SandboxWatcher(options.self ?? selfCommand());
    if (state.isThere) this.#watcher.start();
    if (this.#refused(options.cwd) === undefined) this.#open(options.cwd);
  }

  /** Has found out what there is to start programs with before anything does; what starts without it says why. */
  static async open(options: AgentSandboxOptions): Promise<AgentSandbox> {
    return new AgentSandbox(options, await sandboxToStart(configFolder()));
  }

  /** Of cargo, tests and checks, which work in the folders of all sessions. */
  readonly others: Confinement = this.#other("tools", true);

  /**
   * Starts proxies and MCP servers, which work in these folders, too. Each has a private folder of its own: the programs there, such as
   * those that npx has downloaded, are given secrets that are no other's.
   */
  readonly startOther: StartProcess = (name, ...given) =>
    startProcess({ ...this.options.processes, confined: this.#other(`with-${folderName(name)}`) })(name, ...given);

  /** Of the language servers of one folder. Their adapter keeps its socket in `files`, a folder of ours that it shares with nobody else's. */
  forLanguageServers(folder: string, files: string): Confinement {
    // As one below the user's own folder, which may be reached by a link.
    const home = isWithin(files, homedir()) ? homedir() : (realPath(homedir()) ?? homedir());
    return this.#confinement(
      () => ({
        ...{
          id: "tools",
          roots: [this.#unmoved(folder)],
          ownPrograms: ownPrograms(),
          configFolder: this.#configFolder,
        },
        needs: { state: [{ folder: relative(home, files) }], runsLater: [], variables: [/^SYMPOSIUM_LSP_LOG$/] },
      }),
      () => this.#toolsNetwork(),
    );
  }

  /** Whether what works for agents beside them may read a file, links followed: one of a session's folders, the system or a toolchain. */
  isReadable(path: string): boolean {
    const real = realPath(path);
    const toolchains = toolchainsInHome.map((name) => join(homedir(), name));
    const others = ["/usr", ...toolchains].flatMap((folder) => realPath(folder) ?? []);
    return real !== undefined && [...this.#roots.values(), ...others].some((folder) => isWithin(real, folder));
  }

  /** For the agent of one chain: how it starts, the proxy that asks about hosts, and the one next to it that opens its sandbox for sessions. */
  forAgent(agent: AgentComponent): {
    readonly desk: Proxy;
    readonly proxy: Proxy;
    readonly startAgent: StartProcess;
    /** Whether it runs in its sandbox, and is an agent of which it is known that it works there and nowhere else. */
    readonly isHeld: () => boolean;
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
      opened: (folders) => folders.forEach((folder) => this.#open(folder)),
    });
    // Any other program may pass its work on, as to a service of its maker's.
    const isKnown = agent.kind === "process" && rowOfCommand(agent.command)?.sandbox !== undefined;
    return { desk: desk.proxy, proxy, startAgent, isHeld: () => isKnown && started !== undefined };
  }

  #start(
    {
      roots,
      known,
      desk,
    }: { readonly roots: readonly string[]; readonly known: Command; readonly desk: HostPermissionPrompts },
    ...given: Parameters<StartProcess>
  ): ReturnType<StartProcess> {
    const row = rowOfCommand(known);
    const [name, command, handlers] = given;
    const network = this.options.hosts.openNetwork({ desk, hosts: row?.hosts, roots: () => roots, usesBridge: true });
    const confined = this.#confinement(
      () => ({
        ...{ id: row?.id ?? folderName(name), needs: row?.sandbox, roots },
        ...{ ownPrograms: ownPrograms(), configFolder: this.#configFolder },
        ...(row?.nativeRules?.kind === "file" && { given: [policyFile(this.#configFolder, row.nativeRules)] }),
      }),
      () => network,
    );
    const { cwd } = this.options;
    const seen = roots.some((root) => isCovered(cwd, root)) ? cwd : (roots[0] ?? homedir());
    const start = packageStart(command, { ...packageStartOptions(), cwd: seen });
    const started = startProcess({ ...this.options.processes, confined, notFrom: [...roots, cwd] })(
      name,
      start,
      handlers,
    );
    void started.exited.then(() => network.close());
    return started;
  }

  /** Says why, and what helps, where it was the sandbox that did not start. */
  async #explained(exit: ProcessExit): Promise<ProcessExit> {
    const isSandbox = exit.code === 1 ? /^bwrap: /m : exit.code === unreadProfile ? /^sandbox-exec: /m : undefined;
    if (!isSandbox?.test(exit.stderrTail)) return exit;
    const state = await probeSandbox(this.#configFolder);
    if (state.isThere) return exit;
    this.#state = state;
    return { ...exit, startError: `sandbox: ${state.reason}. ${state.remedy}` };
  }

  /** Ends the connections of what works for all sessions. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#network?.close();
    await this.#watcher[Symbol.asyncDispose]();
  }

  #other(id: string, isNamedByAgents = false): Confinement {
    return this.#confinement(
      () => ({
        ...{
          id,
          needs: undefined,
          roots: [...this.#roots.keys()].map((root) => this.#unmoved(root)),
          sharesTemporary: true,
          isNamedByAgents,
        },
        ...{ ownPrograms: ownPrograms(), configFolder: this.#configFolder },
      }),
      () => this.#toolsNetwork(),
    );
  }

  #open(folder: string): void {
    this.#roots.set(folder, realPath(folder) ?? folder);
  }

  /** Throws where a link leads elsewhere from there by now: the agent of a session in a folder above it can have put that in its place. */
  #unmoved(folder: string): string {
    const [before, now] = [this.#roots.get(folder), realPath(folder)];
    if (before === undefined || now === undefined || now === before) return folder;
    const led = `and led to "${before}" when its session began`;
    throw new Error(`"${folder}" leads to "${now}" by now, ${led}. Put that back, or start the agent again.`);
  }

  #toolsNetwork(): SandboxNetwork {
    return (this.#network ??= this.options.hosts.openNetwork({
      roots: () => [...this.#roots.keys()],
      usesBridge: false,
    }));
  }

  #confinement(subject: () => SandboxSubject, network: () => SandboxNetwork): Confinement {
    return {
      confine: (program) => {
        if (!this.#state.isThere) return { startError: `sandbox: ${this.#state.reason}. ${this.#state.remedy}` };
        const { logger, hosts } = this.options;
        let fault: SandboxFault | undefined;
        const ended = new Map<string | undefined, string>();
        let watched: ReturnType<SandboxWatcher["follow"]> | undefined;
        const watch: WatchPaths = (missing) =>
          (watched = this.#watcher.follow(missing, {
            appeared: (path) => {
              logger.warn("a file that can run code later has appeared: look at it before you use it", { path });
              hosts.recordAppeared(path);
            },
            ended: (endReason, path) => {
              if (ended.get(path) !== endReason) {
                logger.error("a sandbox has been ended", { path, reason: endReason });
                if (path !== undefined && !ended.has(path)) hosts.recordEnded(path);
              }
              ended.set(path, endReason);
              fault = { endReason: [...ended.values()].join(" ") };
            },
          }));
        const refused = (path: string | undefined): void => {
          const startError = `sandbox: ${refusedMount(path)}`;
          logger.error("a program was not started in its sandbox", { path, reason: startError });
          fault = { startError };
        };
        const whole = (): SandboxSubject => ({ ...subject(), opened: hosts.opened });
        const confined = systemSandbox(this.#state, { subject: whole, network: network(), watch, refused }).confine(
          program,
        );
        if ("startError" in confined) return confined;
        return { ...confined, fault: () => Promise.resolve(watched?.settled()).then(() => fault) };
      },
    };
  }

  #refused(folder: string): string | undefined {
    return refusedRoot(folder, this.#configFolder);
  }
}

/** Why a program was not started although its sandbox was: of what was mounted at `path`, or of nothing in time. */
function refusedMount(path: string | undefined): string {
  if (path === undefined) return "bubblewrap did not make its mounts in time. Try again; the machine may be busy.";
  const what = `"${path}" led elsewhere when it was mounted than when it was looked at`;
  return `${what}: another program has changed it, or a folder above it, meanwhile. Look whether it is a link now, then start again.`;
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

interface SystemSandboxOptions {
  readonly subject: () => SandboxSubject;
  /** Absent: no way out. */
  readonly network?: Omit<SandboxNetwork, "close">;
  readonly watch?: WatchPaths;
  /** Called where a program is ended before it starts, since a path leads elsewhere than it did when it was looked at. */
  readonly refused?: (path: string | undefined) => void;
}

/** Returns the sandbox of this system. */
export function systemSandbox(
  { kind, program }: SandboxMaker,
  { network, refused, ...options }: SystemSandboxOptions,
): Confinement {
  switch (kind) {
    case "bubblewrap":
      return new Bubblewrap({ ...options, program, network, ...(refused && { refused }) });
    case "seatbelt":
      return new Seatbelt({ ...options, program, network: network?.shared });
  }
}
