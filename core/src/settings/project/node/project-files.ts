import { isAbsolute, join, resolve } from "node:path";
import { realpath } from "node:fs/promises";
import type { Logger } from "../../../base/logger.js";
import { messageOf } from "../../../base/symposium-error.js";
import { formatProblem } from "../../../base/problem.js";
import type { ServerLaunch, UserServer } from "../../user-server.js";
import type { FolderTrust } from "../../trust/folder-trust.js";
import type { ApprovalState, Approvals, AskedContent } from "../approvals.js";
import { type MergedProject, mergedFiles } from "../merged-project.js";
import { parseProjectFile, type ProjectFile } from "../project-file.js";
import type { ProjectChain, ProjectSettings } from "../project-settings.js";
import {
  findProject,
  isPlainPath,
  pathInside,
  projectFolderName,
  type ProjectPlace,
  readOwnText,
  shownPath,
  type UserFolders,
} from "./find-project.js";
import { approvedContent, digestOfContent, inFolder, type KnownDigests } from "./named-files.js";

interface ProjectFilesOptions {
  readonly users: UserFolders;
  readonly trust: FolderTrust;
  readonly approvals: Approvals;
  readonly logger: Logger;
}

export interface InspectedProject {
  readonly place: ProjectPlace;
  readonly files: readonly ProjectFile[];
  readonly merged: MergedProject;
  /** Content that needs approval, if any. */
  readonly asked?: AskedContent;
  /** State of the approval; `approved` if nothing needs approval. */
  readonly state: ApprovalState;
  /** Messages to the user about problems and omitted parts, one line each. */
  readonly warnings: readonly string[];
}

const maxFileBytes = 64 * 1024;

/** Reads projects' `.symposium/config.jsonc` and `config.local.jsonc` and decides which parts apply. */
export class ProjectFiles {
  readonly #parsed = new Map<string, { readonly stamp: string; readonly parsed: ProjectFile }>();
  readonly #digests: KnownDigests = new Map();
  readonly #said = new Set<string>();

  constructor(private readonly options: ProjectFilesOptions) {}

  /** Reads the settings that apply in `cwd`; see `ReadProject`. Logs each omitted part once. */
  async read(cwd: string): Promise<ProjectSettings> {
    const isTrusted = await this.options.trust.isTrusted(cwd);
    const found = await this.#unlessFailing(() => this.inspect(cwd));
    if (!found) return { folder: cwd, isTrusted, ...nothing };
    const { place, merged, state, warnings } = found;
    for (const line of warnings) this.#say(line);
    const { free, approved } = merged;
    const { folder, root } = place;
    const own = state === "approved" ? approved : undefined;
    const inside = async (path: string): Promise<readonly string[]> =>
      [(await pathInside(path, folder, root)) ?? []].flat();
    return {
      folder: root,
      isTrusted,
      servers: (own?.servers ?? []).map((server) => inProject(server, folder)),
      disabledServers: free.disabledServers,
      disabledTools: free.disabledTools,
      instructionFiles: (await Promise.all(free.instructionFiles.filter(isPlainPath).map(inside))).flat(),
      skillFolders: (await Promise.all((own?.skills ?? []).filter(isPlainPath).map(inside))).flat(),
    };
  }

  /**
   * Returns the approved chain settings of the project for `run` in `cwd`. Commands apply only in the project's own folder: elsewhere,
   * relative paths would lead to unapproved files.
   */
  async chain(cwd: string): Promise<ProjectChain> {
    const found = await this.#unlessFailing(() => this.inspect(cwd));
    if (found?.state !== "approved") return { env: {}, proxies: [], disabledProxies: [] };
    const { agent, env, proxies, disabledProxies } = found.merged.approved;
    const isThere = (await realpath(cwd).catch(() => cwd)) === found.place.folder;
    return {
      ...(agent && (isThere || agent.kind === "name") && { agent }),
      env,
      proxies: proxies.filter(({ distribution }) => isThere || distribution === undefined),
      disabledProxies,
    };
  }

  /** Returns a folder's project with its content to approve and the approval's state; undefined outside a project. */
  async inspect(cwd: string): Promise<InspectedProject | undefined> {
    const place = await findProject(cwd, this.options.users);
    if (!place) return undefined;
    const { folder, root, repository } = place;
    const own = join(folder, projectFolderName);
    const read = await Promise.all([
      this.#file(join(own, "config.jsonc"), "project", place),
      this.#file(join(own, "config.local.jsonc"), "local", place),
    ]);
    const files = read.flatMap(({ parsed = [] }) => parsed);
    const merged = mergedFiles(files);
    const { entries, free, approved } = merged;
    const outside = await outsidePaths([...free.instructionFiles, ...approved.skills], place);
    const warnings = [
      ...read.flatMap(({ refused = [] }) => refused),
      ...files.flatMap(({ file, problems }) => problems.map((problem) => formatProblem(problem, file))),
      ...outside,
    ];
    if (entries.length === 0) return { place, files, merged, state: "approved", warnings };
    const content = await approvedContent(entries, place, this.#digests);
    const named = files.filter((one) => one.entries.length > 0).map(({ file }) => file);
    if (!content) {
      const line =
        `${named.join(", ")}: skipped because the files that it runs are too many or too large to approve. Name a script, as in "node ` +
        'tools/server.js".';
      return { place, files, merged, state: "refused", warnings: [...warnings, line] };
    }
    const project = { repository, folder: shownPath(folder, root) };
    const asked = { project, files: named, content, digest: digestOfContent(content) };
    return { place, files, merged, asked, state: await this.options.approvals.stateOf(asked), warnings };
  }

  async #file(
    file: string,
    kind: ProjectFile["kind"],
    { root }: ProjectPlace,
  ): Promise<{ readonly parsed?: ProjectFile; readonly refused?: string }> {
    const read = await readOwnText(file, root, maxFileBytes);
    if (read.kind === "absent") return {};
    if (read.kind === "refused") return { refused: `${file} is skipped: ${read.reason}.` };
    const known = this.#parsed.get(file);
    if (known?.stamp === read.stamp) return { parsed: known.parsed };
    const parsed = parseProjectFile(read.text, { file, kind });
    this.#parsed.set(file, { stamp: read.stamp, parsed });
    return { parsed };
  }

  async #unlessFailing<T>(attempt: () => Promise<T>): Promise<T | undefined> {
    try {
      return await attempt();
    } catch (failure) {
      this.#say(messageOf(failure));
      return undefined;
    }
  }

  #say(line: string): void {
    if (this.#said.has(line)) return;
    this.#said.add(line);
    this.options.logger.warn("part of a project's configuration is skipped", { reason: line });
  }
}

const nothing = {
  servers: [],
  disabledServers: [],
  disabledTools: [],
  instructionFiles: [],
  skillFolders: [],
} as const;

async function outsidePaths(paths: readonly string[], { folder, root }: ProjectPlace): Promise<readonly string[]> {
  const lines = await Promise.all(
    paths.map(async (path) => {
      if (!isPlainPath(path)) return [`${JSON.stringify(path)} is skipped: it leads outside the project.`];
      const isThere = await realpath(resolve(folder, path)).catch(() => undefined);
      if (isThere === undefined) return [`${JSON.stringify(path)} is skipped: there is no such file in ${folder}.`];
      const inside = await pathInside(path, folder, root);
      return inside === undefined ? [`${JSON.stringify(path)} is skipped: it links outside the project.`] : [];
    }),
  );
  return lines.flat();
}

/**
 * Sets a project server's working folder to the project's folder, regardless of the session's folder, since the approved files are relative
 * to the project's folder.
 */
function inProject(server: UserServer, folder: string): UserServer {
  const { launch } = server;
  const here = (text: string): string => inFolder(text, folder);
  const each = (members: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
    Object.fromEntries(Object.entries(members).map(([name, value]) => [name, here(value)]));
  if (launch.type !== "stdio") {
    return { ...server, launch: { ...launch, url: here(launch.url), headers: each(launch.headers) } };
  }
  const cwd = resolve(folder, here(launch.cwd ?? ""));
  const command = here(launch.command);
  const own: ServerLaunch = {
    ...launch,
    command: /[\\/]/.test(command) && !isAbsolute(command) && !command.includes("${") ? resolve(cwd, command) : command,
    args: launch.args.map(here),
    env: each(launch.env),
    cwd,
    ...(launch.envFile !== undefined && { envFile: resolve(folder, here(launch.envFile)) }),
  };
  return { ...server, launch: own };
}
