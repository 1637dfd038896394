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

/** The projects that sessions of this process are in. There is one of these: an answer may hold for the process alone. */
export class Projects {
  readonly approvals: Approvals;
  readonly #trust: FolderTrust;
  readonly #users: UserFolders = { home: homedir(), config: configFolder() };
  #files: Promise<ProjectFiles> | undefined;

  constructor(private readonly options: ProjectsOptions) {
    this.#trust = options.trust;
    this.approvals = new Approvals(options.store);
  }

  /** What reads the files, which is loaded at the first need. */
  files(): Promise<ProjectFiles> {
    this.#files ??= this.#load();
    return this.#files;
  }

  async #load(): Promise<ProjectFiles> {
    const { ProjectFiles } = await import("../../settings/project/node/project-files.js");
    const { trust, logger } = this.options;
    return new ProjectFiles({ users: this.#users, trust, approvals: this.approvals, logger });
  }

  /** The member of a chain that keeps folders from starting programs, and asks their users; next to the agent. */
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
   * The agent as it is started in the folder of this process: with the variables that its project was allowed to set, and,
   * where nobody has trusted the folder, without what its files have the agent start by itself. What cannot be switched off
   * is kept from it by another folder to start in; sessions are not opened here then. Agents that are told so when a session
   * opens are left as they are.
   */
  async asStartedHere(agent: ProcessComponent): Promise<ProcessComponent> {
    const env = await this.#environmentOf(process.cwd());
    const command = { ...agent.command, env: { ...env, ...agent.command.env } };
    const { variables, remaining } = await this.#switchedOff(command);
    if (Object.keys(env).length + Object.keys(variables).length + remaining.length === 0) return agent;
    const elsewhere = remaining.length > 0 && command.cwd === undefined && { cwd: homedir() };
    return { ...agent, command: { ...command, ...elsewhere, env: { ...command.env, ...variables } } };
  }

  /** What each known agent starts by itself in a folder, or goes by, once the folder is trusted. */
  async agentStarts(
    folder: string,
  ): Promise<readonly { readonly agent: string; readonly found: readonly AgentStart[] }[]> {
    const rows = agentTable.flatMap(({ name, projectStarts }) => (projectStarts ? [{ name, projectStarts }] : []));
    const all = rows.map(async ({ name, projectStarts }) => {
      return { agent: name, found: await findStarts(projectStarts, folder) };
    });
    return (await Promise.all(all)).filter(({ found }) => found.length > 0);
  }

  /** The variables that a folder's project was allowed to set: none where it has no files of ours, as most have. */
  async #environmentOf(folder: string): Promise<Readonly<Record<string, string>>> {
    const hasFile = await hasProjectFile(folder, this.#users);
    return hasFile ? (await (await this.files()).chain(folder)).env : {};
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
