import { homedir } from "node:os";
import type { Logger } from "../../base/logger.js";
import { rowOfCommand } from "../../agents/agent-quirks.js";
import type { AgentComponent, ProcessComponent } from "../../conductor/chain/component.js";
import type { Proxy } from "../../conductor/chain/proxy.js";
import { configFolder } from "../../base/node/own-program.js";
import { type AgentStart, switchedOff } from "../../agents/project-starts/agent-starts.js";
import { Approvals } from "../../settings/project/approvals.js";
import { hasProjectFile, type UserFolders } from "../../settings/project/node/find-project.js";
import type { ProjectFiles } from "../../settings/project/node/project-files.js";
import { projectGuard } from "../project-guard.js";
import { agentTable } from "../../agents/registry/agent-table.js";
import type { ProjectStarts } from "../../agents/project-starts/project-start.js";
import type { Command } from "../../base/command.js";
import type { FolderTrust } from "../../settings/trust/folder-trust.js";
import type { TrustFile } from "../../settings/trust/node/trust-file.js";

interface ProjectsOptions {
  readonly trust: FolderTrust;
  readonly store: TrustFile;
  readonly logger: Logger;
}

/** The projects whose sessions this process runs. Shared by all sessions, since an answer may apply to the whole process. */
export class Projects {
  readonly approvals: Approvals;
  readonly #trust: FolderTrust;
  readonly #users: UserFolders = { home: homedir(), config: configFolder() };
  #files: Promise<ProjectFiles> | undefined;

  constructor(private readonly options: ProjectsOptions) {
    this.#trust = options.trust;
    this.approvals = new Approvals(options.store);
  }

  files(): Promise<ProjectFiles> {
    this.#files ??= this.#load();
    return this.#files;
  }

  async #load(): Promise<ProjectFiles> {
    const { ProjectFiles } = await import("../../settings/project/node/project-files.js");
    const { trust, logger } = this.options;
    return new ProjectFiles({ users: this.#users, trust, approvals: this.approvals, logger });
  }

  /** Returns the proxy that stops folders from starting programs without the user's consent. It is the last proxy before the agent. */
  guard(agent: AgentComponent): Proxy {
    return projectGuard({
      trust: this.#trust,
      approvals: this.approvals,
      inspect: async (cwd) => {
        const found = await this.files()
          .then((files) => files.inspect(cwd))
          .catch(() => undefined);
        return found?.asked && { asked: found.asked, state: found.state };
      },
      findStarts,
      ...(agent.kind === "process" && { command: agent.command }),
      inherited: (name) => process.env[name],
    });
  }

  /**
   * Returns the agent for starting it in this process's folder, with the project's approved variables. In an untrusted folder, disables
   * programs that the agent would start from project files; if that isn't possible, starts the agent in another folder. Leaves agents
   * unchanged whose sessions are configured instead.
   */
  async asStartedHere(agent: ProcessComponent): Promise<ProcessComponent> {
    const env = await this.#environmentOf(process.cwd());
    const command = { ...agent.command, env: { ...env, ...agent.command.env } };
    const { variables, remaining } = await this.#switchedOff(command);
    if (Object.keys(env).length + Object.keys(variables).length + remaining.length === 0) return agent;
    const elsewhere = remaining.length > 0 && command.cwd === undefined && { cwd: homedir() };
    return { ...agent, command: { ...command, ...elsewhere, env: { ...command.env, ...variables } } };
  }

  /** Returns, for each known agent, the programs and instructions that it loads from a trusted folder. */
  async agentStarts(
    folder: string,
  ): Promise<readonly { readonly agent: string; readonly found: readonly AgentStart[] }[]> {
    const rows = agentTable.flatMap(({ name, projectStarts }) => (projectStarts ? [{ name, projectStarts }] : []));
    const all = rows.map(async ({ name, projectStarts }) => {
      return { agent: name, found: await findStarts(projectStarts, folder) };
    });
    return (await Promise.all(all)).filter(({ found }) => found.length > 0);
  }

  /** Returns whether a folder's project has hooks, even unapproved ones. */
  async haveHooks(folder: string): Promise<boolean> {
    if (!hasProjectFile(folder, this.#users)) return false;
    const found = await (await this.files()).inspect(folder).catch(() => undefined);
    return Object.keys(found?.merged.approved.hooks ?? {}).length > 0;
  }

  /** Returns the approved variables of a folder's project. Most folders have no Symposium files, and so no variables. */
  async #environmentOf(folder: string): Promise<Readonly<Record<string, string>>> {
    return hasProjectFile(folder, this.#users) ? (await (await this.files()).chain(folder)).env : {};
  }

  async #switchedOff(command: Command): Promise<ReturnType<typeof switchedOff>> {
    const starts = rowOfCommand(command)?.projectStarts;
    const folder = process.cwd();
    if (!starts || starts.off.kind === "session" || (await this.#trust.isTrusted(folder))) {
      return { variables: {}, remaining: [] };
    }
    const found = await findStarts(starts, folder);
    return switchedOff(starts, found, (name) => command.env[name] ?? process.env[name]);
  }
}

async function findStarts(starts: ProjectStarts, folder: string): Promise<readonly AgentStart[]> {
  const { findAgentStarts } = await import("../../agents/project-starts/node/find-agent-starts.js");
  return findAgentStarts(starts, folder, homedir());
}
