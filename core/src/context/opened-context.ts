import { deadlineIn } from "../base/until-aborted.js";
import type { Logger } from "../base/logger.js";
import { messageOf } from "../base/symposium-error.js";
import type { InitializedAgent } from "../conductor/client/initialized-agent.js";
import { type McpServerEntry, parseMcpServerEntry } from "../base/mcp/mcp-server-entry.js";
import type { McpServer } from "../base/mcp/mcp-server.js";
import type { ProjectSettings, ReadProject } from "../settings/project/project-settings.js";
import type { AgentRow } from "../agents/registry/agent-table.js";
import { asObject, textOf, stringsOf } from "../base/rpc/json.js";
import type { Peer } from "../base/rpc/peer.js";
import type {
  ContextSession,
  ContextSource,
  Contribution,
  FileInstruction,
  FirstPromptText,
  Instruction,
  ToolCallView,
} from "./contribution.js";
import type { SourceCommands } from "./merged-commands.js";

export interface ContextSources {
  /** Context sources, in the order in which their additions appear. */
  readonly sources: readonly ContextSource[];
  /** Default: no project. */
  readonly readProject?: ReadProject;
  /** Milliseconds that a session waits for the sources, default 5,000. Additions that arrive later are dropped. */
  readonly openLimitMs?: number;
}

export interface KnownEnds {
  readonly agent: InitializedAgent;
  readonly row: AgentRow | undefined;
  readonly clientCapabilities: Readonly<Record<string, unknown>>;
}

/** A session as context sources see it, together with the sources' additions. */
export class OpenedContext implements ContextSession {
  readonly cwd: string;
  readonly roots: readonly string[];
  readonly meta: Readonly<Record<string, unknown>>;
  readonly agent: InitializedAgent;
  readonly row: AgentRow | undefined;
  readonly editorServers: readonly McpServerEntry[];
  readonly clientCapabilities: Readonly<Record<string, unknown>>;
  project: ProjectSettings;
  sessionId: string | undefined;
  readonly servers: McpServer[] = [];
  /** Names of the session's MCP servers that `servers` replaces. */
  readonly replaced = new Set<string>();
  readonly instructions: Instruction[] = [];
  readonly fileInstructions: FileInstruction[] = [];
  readonly firstPrompt: FirstPromptText[] = [];
  readonly remarks: NonNullable<Contribution["remark"]>[] = [];
  readonly commands: SourceCommands[] = [];
  readonly calls: ToolCallView[] = [];
  readonly #controller = new AbortController();
  readonly #whenOpened: (() => void)[] = [];

  /** `params` are the parameters of the request that opens the session. */
  constructor(
    params: Readonly<Record<string, unknown>>,
    known: KnownEnds,
    readonly client: Peer,
    readonly logger: Logger,
    readonly isNew: boolean,
  ) {
    const { cwd, additionalDirectories, mcpServers, _meta: meta } = params;
    this.cwd = textOf(cwd);
    this.roots = [this.cwd, ...stringsOf(additionalDirectories)];
    this.meta = asObject(meta) ?? {};
    this.agent = known.agent;
    this.row = known.row;
    const entries = (Array.isArray(mcpServers) ? mcpServers : []).map(parseMcpServerEntry);
    this.editorServers = entries.filter((entry) => typeof entry !== "string");
    this.clientCapabilities = known.clientCapabilities;
    this.project = {
      folder: this.cwd,
      isTrusted: false,
      servers: [],
      disabledServers: [],
      instructionFiles: [],
      disabledTools: [],
      skillFolders: [],
    };
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get isEmpty(): boolean {
    return (
      this.replaced.size === 0 &&
      [this.servers, this.instructions, this.fileInstructions, this.firstPrompt, this.remarks, this.commands].every(
        (list) => list.length === 0,
      )
    );
  }

  /** Asks all sources in parallel. Drops additions that arrive after the limit. Never rejects. */
  async open({ sources, readProject, openLimitMs = 5_000 }: ContextSources): Promise<void> {
    using deadline = deadlineIn(openLimitMs);
    const project = readProject && this.#attempt("project", readProject(this.cwd));
    this.project = (await Promise.race([project, deadline.passed])) ?? this.project;
    const opened = await Promise.all(
      sources.map((source) => this.#inTime(source.name, () => source.open(this), deadline.passed)),
    );
    for (const [index, contribution] of opened.entries()) {
      const source = sources[index]?.name;
      if (contribution && source !== undefined) this.#add(source, contribution);
    }
  }

  /** Runs the deferred actions. Called after the agent opened the session and the editor got the response. */
  begin(): void {
    for (const action of this.#whenOpened.splice(0)) action();
  }

  /** Called when the session ended or failed to open. */
  end(): void {
    this.#controller.abort();
  }

  async #inTime(
    name: string,
    open: () => Promise<Contribution>,
    passed: Promise<undefined>,
  ): Promise<Contribution | undefined> {
    let isDone = false;
    const attempt = this.#attempt(name, Promise.resolve().then(open)).finally(() => (isDone = true));
    const contribution = await Promise.race([attempt, passed]);
    // oxlint-disable-next-line typescript/no-unnecessary-condition -- set when the attempt ends
    if (!isDone) this.logger.warn("opened a session without context that wasn't ready in time", { source: name });
    return contribution;
  }

  async #attempt<T>(name: string, work: Promise<T>): Promise<T | undefined> {
    try {
      return await work;
    } catch (fault) {
      this.logger.warn("opened a session without context that failed to load", {
        source: name,
        message: messageOf(fault),
      });
      return undefined;
    }
  }

  #add(source: string, contribution: Contribution): void {
    this.servers.push(...(contribution.servers ?? []));
    this.#whenOpened.push(() => contribution.opened?.());
    for (const name of contribution.replaces ?? []) this.replaced.add(name);
    this.instructions.push(...(contribution.instructions ?? []));
    this.fileInstructions.push(...(contribution.fileInstructions ?? []));
    this.firstPrompt.push(...(contribution.firstPrompt ?? []));
    if (contribution.remark) this.remarks.push((texts) => contribution.remark?.(texts));
    if (contribution.calls) this.calls.push(contribution.calls);
    if (contribution.commands) this.commands.push({ source, list: contribution.commands });
  }
}
