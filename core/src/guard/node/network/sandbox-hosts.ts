import { homedir, networkInterfaces } from "node:os";
import { join } from "node:path";
import type { Logger } from "../../../base/logger.js";
import { messageOf } from "../../../base/symposium-error.js";
import { commonRules } from "../../common-rules.js";
import type { GuardRecord } from "../../guard-record.js";
import type { GuardRule } from "../../guard-rule.js";
import { type HostDeskListeners, HostPermissionPrompts } from "../../network/host-permission-prompts.js";
import { HostGate } from "../../network/host-gate.js";
import { readAddress } from "../../network/ip-address.js";
import { type Target, targetText } from "../../network/target.js";
import { GuardFiles } from "../guard-rule-files.js";
import { GuardLog } from "../guard-log.js";
import { openSandboxNetwork, type SandboxNetwork } from "./sandbox-network.js";
import { realPath } from "../sandbox/machine-paths.js";
import { openRoots } from "../sandbox/search-path-outside-sandbox.js";
import { userRegistries } from "./user-registries.js";
import { configFolder } from "../../../base/node/own-program.js";
import { proxyFor } from "../../../base/node/proxied-fetch.js";
import type { AgentHosts } from "../../../agents/registry/agent-network-hosts.js";

interface SandboxHostsOptions {
  readonly logger: Logger;
  /** Ports of Symposium's MCP bridge on this machine. */
  readonly ports: readonly number[];
  /** Likely folder of the first session. */
  readonly cwd: string;
}

interface NetworkOptions {
  /** Chain whose user can be asked; undefined for programs that serve all sessions. */
  readonly desk?: HostPermissionPrompts;
  readonly hosts?: AgentHosts | undefined;
  readonly roots: () => readonly string[];
  /** Whether the sandbox may use the MCP bridge. */
  readonly usesBridge: boolean;
}

/** Manages network access of this process's sandboxes, based on the user's rules and answers. */
export class SandboxHosts {
  readonly #config = configFolder();
  readonly #files = new GuardFiles(this.#config);
  readonly #log = new GuardLog(this.#config);
  readonly #desks = new Set<HostPermissionPrompts>();
  readonly #shared: HostDeskListeners[] = [];
  #registries: Promise<readonly Target[]> | undefined;

  private constructor(
    private readonly options: SandboxHostsOptions,
    private readonly local: readonly number[],
    /** Absolute paths of protected files and folders that the user's rules allow to be written. */
    readonly opened: readonly string[],
  ) {}

  /** Reads the user's rules for local services and protected files, which must be known before a sandbox starts. */
  static async open(options: SandboxHostsOptions): Promise<SandboxHosts> {
    const files = new GuardFiles();
    const { rules } = await files.rulesFor(options.cwd);
    const root = realPath(options.cwd) ?? options.cwd;
    return new SandboxHosts(
      options,
      rules.flatMap(localPorts),
      rules.flatMap((rule) => openedFiles(rule, root)),
    );
  }

  /** Adds a chain, so that its user can be asked about hosts. */
  openDesk(): HostPermissionPrompts {
    const desk: HostPermissionPrompts = new HostPermissionPrompts(() => this.#desks.delete(desk));
    this.#desks.add(desk);
    for (const each of this.#shared) desk.listen(each);
    return desk;
  }

  openNetwork({ desk, hosts, roots, usesBridge }: NetworkOptions): SandboxNetwork {
    const { logger, ports, cwd } = this.options;
    const folder = (): string => roots()[0] ?? cwd;
    // Programs that serve all sessions use the rules of all folders.
    const folders = (): readonly string[] => (desk || roots().length === 0 ? [folder()] : roots());
    const desks = (): readonly HostPermissionPrompts[] => (desk ? [desk] : [...this.#desks]);
    const asked = (): HostPermissionPrompts | undefined =>
      desks().findLast(({ isBusy }) => isBusy) ?? desks().findLast(({ session }) => session !== undefined);
    const gate = new HostGate({
      hosts: hosts ?? { needed: [], refused: [] },
      rules: async () => commonRules(await Promise.all(folders().map((one) => this.#files.rulesFor(one)))),
      registries: () => (this.#registries ??= userRegistries(process.env, openRoots([...roots(), cwd], this.#config))),
      ask: async (question) => asked()?.ask(question),
      save: async (targets, choice) => {
        const within = choice === "workspace" ? folder() : undefined;
        await saveHostRule(targets, { config: this.#config, within }).catch((error: unknown) => {
          logger.warn("couldn't write guard.jsonc: the answer applies to this session only", {
            reason: messageOf(error),
          });
        });
      },
      record: ({ target, answer, reason, session }) =>
        this.#record({ subject: `host ${targetText(target)}`, rule: reason, answer, session }, asked()),
      isOwnAddress: (address) => ownAddresses().has(address.join()),
    });
    const listeners: HostDeskListeners = {
      beginTurn: () => gate.beginTurn(),
      callTool: () => gate.callTool(),
      endSession: (session) => gate.endSession(session),
    };
    for (const each of desks()) each.listen(listeners);
    if (!desk) this.#shared.push(listeners);
    const upstreamOf = (url: URL): URL | undefined => proxyFor(url, process.env);
    const loopbackPorts = usesBridge ? ports : [];
    return openSandboxNetwork({ gate, loopbackPorts, ruledPorts: this.local, upstreamOf, logger });
  }

  /** Records that a new file has appeared since the sandbox started, if the file can cause code to run later. */
  recordAppeared(path: string): void {
    const desk = [...this.#desks].findLast(({ isBusy }) => isBusy);
    this.#record({ subject: `write ${path}`, rule: "new, and can run code later: check it", answer: "allow" }, desk);
  }

  /** Records that a sandbox was ended because `path` appeared. */
  recordEnded(path: string): void {
    const desk = [...this.#desks].findLast(({ isBusy }) => isBusy);
    const rule = "new, and could redirect git: the sandbox was stopped";
    this.#record({ subject: `write ${path}`, rule, answer: "deny" }, desk);
  }

  #record(
    {
      session,
      ...told
    }: Pick<GuardRecord, "subject" | "answer"> & { readonly rule: string; readonly session?: string | undefined },
    desk: HostPermissionPrompts | undefined,
  ): void {
    const record = {
      time: new Date().toISOString(),
      agent: desk?.agent ?? "agent",
      session: session ?? desk?.session ?? "",
      ...told,
    };
    void this.#log.add(record).catch((error: unknown) => {
      this.options.logger.warn("couldn't write the guard's record", { reason: messageOf(error) });
    });
  }
}

function ownAddresses(): ReadonlySet<string> {
  const all = Object.values(networkInterfaces()).flatMap((one) => one ?? []);
  return new Set(all.flatMap(({ address }) => readAddress(address.replace(/%.*$/, ""))?.join() ?? []));
}

/**
 * Returns the files that a rule allows to be written and names by their full paths. Skips patterns with wildcards and bare names, which may
 * match other files.
 */
function openedFiles({ effect, subject, patterns, kind, exact }: GuardRule, root: string): readonly string[] {
  if (effect !== "allow" || subject !== "write" || kind !== undefined) return [];
  return patterns.flatMap((pattern) => {
    if (/[*?[{]/.test(pattern) || !pattern.includes("/")) return [];
    if (exact === true) return [pattern];
    if (pattern.startsWith("~/")) return [join(homedir(), pattern.slice(2))];
    return [pattern.startsWith("//") ? pattern.slice(1) : join(root, pattern)];
  });
}

function localPorts({ effect, subject, patterns, kind }: GuardRule): readonly number[] {
  if (effect !== "allow" || subject !== "host" || kind !== undefined) return [];
  return patterns.flatMap((pattern) => {
    const port = /^(?:localhost|127\.0\.0\.1|\[::1\]):(\d{1,5})$/i.exec(pattern)?.[1];
    return port === undefined ? [] : [Number(port)];
  });
}

/**
 * Saves a rule that allows hosts, everywhere or only in the folder `within`, in the guard.jsonc of `config`. Rejects with the errors of
 * `saveRule`.
 */
export async function saveHostRule(
  targets: readonly Target[],
  { config, within }: { readonly config: string; readonly within: string | undefined },
): Promise<void> {
  const { saveRule } = await import("../guard-edit.js");
  await saveRule(config, { effect: "allow", subject: "host", patterns: targets.map(targetText), in: within });
}
