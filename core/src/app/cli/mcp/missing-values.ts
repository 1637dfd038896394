import { secretName } from "../../../context/servers/node/expand-launch.js";
import { SecretFile } from "../../../context/servers/node/secrets/secret-file.js";
import { expandLaunch, type Lookup } from "../../../context/servers/variables.js";
import type { UserServer } from "../../../settings/user-server.js";

/**
 * What a server needs and nobody has given yet, such as `${env:TOKEN}`. No value is read but for whether it is there; an
 * input is asked for when it is needed, so it is never missing, and neither is where a session is.
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
