import { execFileSync } from "node:child_process";
import {
  type IdeOperationName,
  type IdeOperations,
  type IdeParams,
  type IdeResult,
  Logger,
  type TrustStore,
} from "@symposium-dev/core";
import { readProcessTable, Watchdog } from "@symposium-dev/core/node";
import type { PositionEncoding } from "../../src/connection/position-encoding.js";
import { DocumentView } from "../../src/documents/client-documents.js";
import { membersOf } from "../../src/health/restart-policy.js";
import { parseAdapterSettings } from "../../src/language-servers/adapter-settings.js";
import { CodeActionStore } from "../../src/operations/operation-context.js";
import { DocumentDiagnostics } from "../../src/operations/document-diagnostics.js";
import { operationsOver } from "../../src/operations/operations.js";
import { Workspace } from "../../src/workspace.js";
import { TestFolder } from "./folders.js";

export interface StageOptions {
  readonly files: Readonly<Record<string, string>>;
  /** The PATH on which servers are found. */
  readonly path?: string;
  readonly folderName?: string;
  readonly settings?: object;
  /** True when absent. */
  readonly isTrusted?: boolean;
  readonly encodings?: readonly PositionEncoding[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Settings for real servers on a machine that does much else at the same time. */
export const patient = { readyTimeoutMs: 80_000, requestTimeoutMs: 80_000 };

/** A user who has trusted nothing so far. */
export const nobodyTrusts: TrustStore = {
  realPath: (folder) => Promise.resolve(folder),
  has: () => Promise.resolve(false),
  add: () => Promise.resolve(),
  isRefused: () => Promise.resolve(false),
  refuse: () => Promise.resolve(),
};

/** A workspace with its operations in this process, as one client sees it. */
export class Stage implements AsyncDisposable {
  #ending: Promise<void> | undefined;

  private constructor(
    readonly folder: TestFolder,
    readonly workspace: Workspace,
    readonly operations: IdeOperations,
    private readonly watchdog: Watchdog,
    private readonly board: DocumentDiagnostics,
  ) {}

  static async open(options: StageOptions): Promise<Stage> {
    const folder = await TestFolder.create(options.files, options.folderName);
    const trusted = options.isTrusted === false ? {} : { trustedFolders: [folder.path] };
    const { settings, problems } = parseAdapterSettings({ ...options.settings, ...trusted }, nobodyTrusts);
    if (problems.length > 0) throw new Error(problems.join(" "));
    const watchdog = new Watchdog();
    const { path, encodings } = options;
    const env = { ...process.env, ...(path !== undefined && { PATH: path }), ...options.env };
    const workspace = new Workspace({
      folder: folder.path,
      settings,
      watchdog,
      logger: Logger.silent,
      env,
      ...(encodings && { encodings }),
    });
    const board = new DocumentDiagnostics();
    return new Stage(folder, workspace, operationsFor(workspace, board), watchdog, board);
  }

  /** The same workspace as another client sees it. */
  otherClient(): IdeOperations {
    return operationsFor(this.workspace, this.board);
  }

  run<N extends IdeOperationName>(name: N, params: IdeParams<N>): Promise<IdeResult<N>> {
    return this.operations.run(name, params, new AbortController().signal);
  }

  uri(path: string): string {
    return this.folder.uri(path);
  }

  /** The process of the one server that runs. */
  get serverPid(): number {
    const pid = this.workspace.servers.find(({ running }) => running)?.running?.server.pid;
    if (pid === undefined) throw new Error("No language server runs.");
    return pid;
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#ending ??= this.#end();
    return this.#ending;
  }

  async #end(): Promise<void> {
    await this.workspace[Symbol.asyncDispose]();
    this.watchdog[Symbol.dispose]();
    await this.folder[Symbol.asyncDispose]();
  }
}

function operationsFor(workspace: Workspace, diagnostics: DocumentDiagnostics): IdeOperations {
  return operationsOver({
    workspace,
    view: new DocumentView(workspace.disk),
    diagnostics,
    codeActions: new CodeActionStore(),
  });
}

/** The processes of a group and its descendants that live now. */
export async function processesOf(leader: number): Promise<readonly number[]> {
  return membersOf(await readProcessTable(), leader);
}

/** The command lines of living processes that name `text`. */
export function processesNaming(text: string): readonly string[] {
  const lines = execFileSync("ps", ["-A", "-o", "stat=,args="], { encoding: "utf8" }).split("\n");
  return lines.filter((line) => line.includes(text) && !line.trimStart().startsWith("Z"));
}
