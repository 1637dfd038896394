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
import type { SandboxWatcher } from "./sandbox-watcher.js";
import type { WatchPaths } from "./missing-paths.js";
import { toolchainsInHome } from "../../sandbox/protected-names.js";
import { isWithin } from "../../sandbox/sandbox-plan.js";
import { SandboxedAgent } from "../../sandbox/restart-with-session-folders.js";
import { sandboxProxy } from "../../sandbox/sandbox-proxy.js";
import { startProcess, type StartProcessOptions } from "../../../base/node/child-component.js";
import type { Confinement, SandboxFault } from "../../../base/node/confinement.js";
import { configFolder } from "../../../base/node/own-program.js";
import { packageStart } from "../../../base/node/runners-outside-project.js";
import { policyFile } from "../native-rule-files.js";
import type { SandboxHosts } from "../network/sandbox-hosts.js";
import { packageStartOptions, selfCommand } from "../../../base/node/self-command.js";

/** Exit code with which `sandbox-exec` rejects an invalid profile. */
const unreadProfile = 65;

interface AgentSandboxOptions {
  readonly logger: Logger;
  readonly processes: Omit<StartProcessOptions, "confined">;
  readonly cwd: string;
  readonly hosts: SandboxHosts;
  /** Watcher, which the sandbox disposes of. */
  readonly watcher: SandboxWatcher;
}

/** Sandbox for the programs of a chain; used if `guard` is `sandbox`. */
export class AgentSandbox {
  readonly #configFolder = configFolder();
  #state: SandboxState;
  /** Network of the sandbox in {@link others}. */
  #network: SandboxNetwork | undefined;
  /** Folders of all sessions in this process, with the real path that each had when its session was opened. */
  readonly #roots = new Map<string, string>();

  private constructor(
    private readonly options: AgentSandboxOptions,
    state: SandboxState,
  ) {
    this.#state = state;
    if (state.isThere) options.watcher.start();
    if (this.#refused(options.cwd) === undefined) this.#open(options.cwd);
  }

  /** Checks that a sandbox is available before any program starts. If none is, later starts fail with the reason. */
  static async open(options: AgentSandboxOptions): Promise<AgentSandbox> {
    return new AgentSandbox(options, await sandboxToStart(configFolder()));
  }

  /** Sandbox of cargo, tests and checks, which work in the folders of all sessions. */
  readonly others: Confinement = this.#other("tools", true);

  /**
   * Starts proxies and MCP servers, which can use the folders of all sessions. Each gets a private folder of its own, since programs such
   * as npx downloads receive secrets.
   */
  readonly startOther: StartProcess = (name, ...given) =>
    startProcess({ ...this.options.processes, confined: this.#other(`with-${folderName(name)}`) })(name, ...given);

  /**
   * Returns the sandbox for one folder's language servers. `files` is the folder that contains the adapter's socket; it isn't shared with
   * other sandboxes.
   */
  forLanguageServers(folder: string, files: string): Confinement {
    // Express `files` relative to the home folder, whose path may contain a link.
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

  /**
   * Returns whether programs other than the agent may read a file, after resolving links. Readable files are in a session's folder, in the
   * system's folders or in a toolchain.
   */
  isReadable(path: string): boolean {
    const real = realPath(path);
    const toolchains = toolchainsInHome.map((name) => join(homedir(), name));
    const others = ["/usr", ...toolchains].flatMap((folder) => realPath(folder) ?? []);
    return real !== undefined && [...this.#roots.values(), ...others].some((folder) => isWithin(real, folder));
  }

  /**
   * Returns three parts for an agent: its start function, the proxy that asks about hosts, and the proxy that opens the sandbox for
   * sessions.
   */
  forAgent(agent: AgentComponent): {
    readonly desk: Proxy;
    readonly proxy: Proxy;
    readonly startAgent: StartProcess;
    /** Whether the agent runs in its sandbox and is known to do all of its work there. */
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
    // An unknown agent program may pass its work to a service outside the sandbox.
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

  /** Adds the reason and what to do about it, if the sandbox itself failed to start. */
  async #explained(exit: ProcessExit): Promise<ProcessExit> {
    const isSandbox = exit.code === 1 ? /^bwrap: /m : exit.code === unreadProfile ? /^sandbox-exec: /m : undefined;
    if (!isSandbox?.test(exit.stderrTail)) return exit;
    const state = await probeSandbox(this.#configFolder);
    if (state.isThere) return exit;
    this.#state = state;
    return { ...exit, startError: `sandbox: ${state.reason}. ${state.remedy}` };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#network?.close();
    await this.options.watcher[Symbol.asyncDispose]();
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

  /**
   * Returns the folder's real path. Throws if it has changed since the session opened, since an agent working in a parent folder may have
   * replaced a link.
   */
  #unmoved(folder: string): string {
    const [before, now] = [this.#roots.get(folder), realPath(folder)];
    if (before === undefined || now === undefined || now === before) return folder;
    const led = `but led to "${before}" when its session began`;
    throw new Error(`"${folder}" now leads to "${now}", ${led}. Change it back, or restart the agent.`);
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
          (watched = this.options.watcher.follow(missing, {
            appeared: (path) => {
              logger.warn("a new file can run code later: check it before you use it", { path });
              hosts.recordAppeared(path);
            },
            ended: (endReason, path) => {
              if (ended.get(path) !== endReason) {
                logger.error("a sandbox was stopped", { path, reason: endReason });
                if (path !== undefined && !ended.has(path)) hosts.recordEnded(path);
              }
              ended.set(path, endReason);
              fault = { endReason: [...ended.values()].join(" ") };
            },
          }));
        const refused = (path: string | undefined): void => {
          const startError = `sandbox: ${refusedMount(path)}`;
          logger.error("couldn't start a program in its sandbox", { path, reason: startError });
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

/**
 * Formats the reason why a program didn't start: an unexpected file was mounted at `path`, or, if `path` is undefined, mounting took too
 * long.
 */
function refusedMount(path: string | undefined): string {
  if (path === undefined) return "bubblewrap did not finish its mounts in time. Try again; the machine may be busy.";
  const what = `"${path}" led to one place when it was checked and to another when it was mounted`;
  return `${what}: another program changed it, or a folder above it. Check whether it is a link now, then start again.`;
}

function isCovered(folder: string, root: string): boolean {
  return isWithin(realPath(folder) ?? folder, realPath(root) ?? root);
}

/** Returns Symposium's own program files, since agents start its subcommands. */
function ownPrograms(): readonly string[] {
  const { command, args } = selfCommand();
  const [script] = args;
  return [command, ...(script === undefined ? [] : [dirname(realPath(script) ?? script)])];
}

function folderName(name: string): string {
  return name.replace(/[^\w.-]/g, "_").replace(/^\.+/, "_") || "agent";
}

interface SystemSandboxOptions {
  readonly subject: () => SandboxSubject;
  /** Network of the sandbox; absent for no network access. */
  readonly network?: Omit<SandboxNetwork, "close">;
  readonly watch?: WatchPaths;
  /** Called if a program is ended before its start because a path now resolves to another file than when the path was checked. */
  readonly refused?: (path: string | undefined) => void;
}

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
