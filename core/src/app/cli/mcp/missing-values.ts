import { secretName } from "../../../context/servers/node/expand-launch.js";
import { SecretFile } from "../../../context/servers/node/secrets/secret-file.js";
import { expandLaunch, type Lookup } from "../../../context/servers/variables.js";
import type { UserServer } from "../../../settings/user-server.js";

/**
 * Lists unset values of a server, such as `${env:TOKEN}`. Only checks whether secrets exist, without reading them. Never lists inputs and
 * session folders, since their values are known when the server is used.
 */
export async function missingValues(
  { launch }: Pick<UserServer, "launch">,
  secrets = new SecretFile(),
): Promise<readonly string[]> {
  const kept = new Set(await secrets.names().catch(() => []));
  const lookup: Lookup = (variable) => {
    switch (variable.kind) {
      case "env":
        return process.env[variable.name];
      case "secret":
        return kept.has(secretName(variable.name)) ? "" : undefined;
      case "input":
      case "place":
        return "";
      case "unknown":
        return undefined;
    }
  };
  const expanded = expandLaunch(launch, lookup);
  return "missing" in expanded ? expanded.missing : [];
}
