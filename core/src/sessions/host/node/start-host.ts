import { minimalEnvironment } from "../../../base/node/minimal-environment.js";
import { selfCommand } from "../../../base/node/self-command.js";
import { startDetached } from "../../../base/node/start-detached.js";
import type { HostAddress } from "./host-address.js";

/** How long the host may take until it listens. */
const readyMs = 20_000;

/**
 * Starts the host so that it stays when this process ends. It gets none of this process's variables that a conductor would
 * use: each conductor gets those of its clients. Resolves with `ready`, or with what the host said instead.
 */
export function startHost({ folder }: HostAddress): Promise<string> {
  const { command, args, env } = selfCommand();
  const own = minimalEnvironment(process.env, { more: /^(?:SYMPOSIUM_\w+|NODE_EXTRA_CA_CERTS)$/ });
  const words = [...args, "host", "serve"];
  return startDetached({ command, args: words, env, cwd: folder }, { env: own, readyMs });
}
