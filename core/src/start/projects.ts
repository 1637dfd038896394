import { homedir } from "node:os";
import type { Logger } from "../base/logger.js";
import { rowOfCommand } from "../client/agent-quirks.js";
import type { AgentComponent, ProcessComponent } from "../conductor/component.js";
import type { Proxy } from "../conductor/proxy.js";
import { configFolder } from "../node/own-program.js";
import { switchedOff } from "../project/agent-starts.js";
import { Approvals } from "../project/approvals.js";
import { findAgentStarts } from "../project/node/agent-starts.js";
import { ProjectFiles } from "../project/node/project-files.js";
import { projectGuard } from "../project/project-guard.js";
import type { FolderTrust } from "../trust/folder-trust.js";
import type { TrustFile } from "../trust/node.js";

interface ProjectsOptions {
  readonly trust: FolderTrust;
  readonly store: TrustFile;
  readonly logger: Logger;
}

/** The projects that sessions of this process are in. There is one of these: an answer may hold for the process alone. */
export class Projects {
  readonly files: ProjectFiles;
  readonly approvals: Approvals;
  readonly #trust: FolderTrust;

  constructor({ trust, store, logger }: ProjectsOptions) {
    this.#trust = trust;
    this.approvals = new Approvals(store);
    this.files = new ProjectFiles({
      users: { home: homedir(), config: configFolder(process.env, homedir()) },
      trust,
      approvals: this.approvals,
      logger,
    });
  }

  /** The member of a chain that keeps folders from starting programs, and asks their users; next to the agent. */
  guard(agent: AgentComponent): Proxy {
    return projectGuard({
      trust: this.#trust,
      approvals: this.approvals,
      inspect: async (cwd) => {
        const found = await this.files.inspect(cwd).catch(() => undefined);
        return found?.asked && { asked: found.asked, state: found.state };
      },
      findStarts: (starts, cwd) => findAgentStarts(starts, cwd, homedir()),
      ...(agent.kind === "process" && { command: agent.command }),
      inherited: (name) => process.env[name],
    });
  }

  /**
   * The agent as it is started in the folder of this process: where nobody has trusted that, without what its files have
   * the agent start by itself. Agents that are told so when a session opens are left as they are.
   */
  async keptFromStarting(agent: ProcessComponent): Promise<ProcessComponent> {
    const { command } = agent;
    const starts = rowOfCommand(command)?.projectStarts;
    const folder = process.cwd();
    if (!starts || starts.off.kind === "session" || (await this.#trust.isTrusted(folder))) return agent;
    const found = await findAgentStarts(starts, folder, homedir());
    const { variables } = switchedOff(starts, found, (name) => command.env[name] ?? process.env[name]);
    if (Object.keys(variables).length === 0) return agent;
    return { ...agent, command: { ...command, env: { ...command.env, ...variables } } };
  }
}
