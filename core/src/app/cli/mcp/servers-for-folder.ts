import { homedir } from "node:os";
import { Logger } from "../../../base/logger.js";
import { besideUsers } from "../../../settings/project/merged-project.js";
import { parsedValue } from "../../../base/rpc/json.js";
import type { Config } from "../../../settings/config.js";
import { excludedServers, excludedTools } from "../../../settings/excluded.js";
import { parseMcpServers } from "../../../settings/mcp-servers.js";
import type { UserServer } from "../../../settings/user-server.js";
import { withoutTools } from "../../../context/servers/tool-filter.js";
import { FolderTrust } from "../../../settings/trust/folder-trust.js";
import { TrustFile } from "../../../settings/trust/node/trust-file.js";
import { Projects } from "../../../guard/node/projects.js";

/** An MCP server that sessions in a folder could get. */
export interface KnownServer {
  /** Without the tools that no session gets. */
  readonly server: UserServer;
  /** The project's, and nobody has allowed what its files say: it is not started. */
  readonly needsApproval: boolean;
  /** Who keeps it from sessions: its own entry (`enabled`), `context.exclude` of config.jsonc, or the project. */
  readonly offBy: "entry" | "exclude" | "project" | undefined;
}

/** Has the servers of an editor's settings for subcommands that the editor runs, as its `initialize` has them for chains. */
const editorVariable = "SYMPOSIUM_MCP_SERVERS";

/**
 * All servers for sessions in `cwd`, those that are off and those that wait for approval included: of config.jsonc, of the
 * project's files, and of the editor that runs this command. Starts nothing. `warn` hears what is wrong in an editor's.
 */
export async function knownServers(
  cwd: string,
  config: Pick<Config, "servers" | "settings"> | undefined,
  warn: (line: string) => void = () => undefined,
): Promise<readonly KnownServer[]> {
  const own = [...(config?.servers ?? []), ...editorServers(warn)];
  const store = new TrustFile();
  const files = await new Projects({ trust: new FolderTrust(store), store, logger: Logger.silent }).files();
  const [project, found] = await Promise.all([files.read(cwd), files.inspect(cwd).catch(() => undefined)]);
  const isApproved = found === undefined || found.state === "approved";
  const written = isApproved ? project.servers : found.merged.approved.servers;
  const ofProject = besideUsers(written, config?.servers.map(({ name }) => name) ?? []);
  const exclude = config?.settings.context.exclude ?? [];
  const isOff = new Set(excludedServers(exclude));
  const isDisabled = new Set(project.disabledServers);
  const offTools = [...project.disabledTools, ...excludedTools(exclude)];
  const known = (server: UserServer, isOfProject: boolean): KnownServer => ({
    server: withoutTools(server, offTools),
    needsApproval: isOfProject && !isApproved,
    offBy: !server.isEnabled
      ? "entry"
      : isOff.has(server.name)
        ? "exclude"
        : !isOfProject && isDisabled.has(server.name)
          ? "project"
          : undefined,
  });
  return [...own.map((server) => known(server, false)), ...ofProject.map((server) => known(server, true))];
}

/** Takes them out of the environment of this process: nothing that it starts is to have them. */
function editorServers(warn: (line: string) => void): readonly UserServer[] {
  const { [editorVariable]: text } = process.env;
  if (text === undefined || text === "") return [];
  Reflect.deleteProperty(process.env, editorVariable);
  const { servers, problems } = parseMcpServers(parsedValue(text), { kind: "editor" });
  for (const { message } of problems) warn(`The settings of the editor: ${message}`);
  return servers;
}

/** Where a server comes from, for people: a file, with `~` for the home folder, or an editor's settings. */
export function originText({ kind, file }: UserServer["origin"]): string {
  if (file === undefined) return kind === "editor" ? "the settings of the editor" : "this command";
  const home = homedir();
  return file.startsWith(home) ? `~${file.slice(home.length)}` : file;
}
