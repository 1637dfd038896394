import { homedir } from "node:os";
import { Logger } from "../../../base/logger.js";
import { besideUsers } from "../../../settings/project/merged-project.js";
import { parsedValue } from "../../../base/rpc/json.js";
import type { Config } from "../../../settings/config.js";
import { excludedServers, excludedTools } from "../../../settings/context-exclusions.js";
import { parseMcpServers } from "../../../settings/mcp-servers.js";
import type { UserServer } from "../../../settings/user-server.js";
import { withoutTools } from "../../../context/servers/tool-filter.js";
import { FolderTrust } from "../../../settings/trust/folder-trust.js";
import { TrustFile } from "../../../settings/trust/node/trust-file.js";
import { Projects } from "../../../guard/node/guarded-projects.js";

export interface KnownServer {
  readonly server: UserServer;
  /** Whether the server belongs to the project and isn't approved, so it must not start. */
  readonly needsApproval: boolean;
  /** Setting that disables the server: its entry (`enabled`), `context.exclude` of config.jsonc, or the project. */
  readonly offBy: "entry" | "exclude" | "project" | undefined;
}

/** Variable by which an editor passes its servers to subcommands; chains get them in `initialize`. */
const editorVariable = "SYMPOSIUM_MCP_SERVERS";

/**
 * Lists all servers for sessions in `cwd`, including disabled and unapproved ones, from config.jsonc, the project and the calling editor.
 * Starts nothing. `warn` receives problems in the editor's settings.
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

/** Returns the editor's servers and removes them from this process's environment, so that child processes don't inherit them. */
function editorServers(warn: (line: string) => void): readonly UserServer[] {
  const { [editorVariable]: text } = process.env;
  if (text === undefined || text === "") return [];
  Reflect.deleteProperty(process.env, editorVariable);
  const { servers, problems } = parseMcpServers(parsedValue(text), { kind: "editor" });
  for (const { message } of problems) warn(`Editor settings: ${message}`);
  return servers;
}

export function originText({ kind, file }: UserServer["origin"]): string {
  if (file === undefined) return kind === "editor" ? "the editor's settings" : "this command";
  const home = homedir();
  return file.startsWith(home) ? `~${file.slice(home.length)}` : file;
}
