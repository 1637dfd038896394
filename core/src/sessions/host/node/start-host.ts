import { minimalEnvironment } from "../../../base/node/minimal-environment.js";
import { selfCommand } from "../../../base/node/self-command.js";
import { startDetached } from "../../../base/node/start-detached.js";
import type { HostAddress } from "./host-address.js";

/** Milliseconds for the host to start listening. */
const readyMs = 20_000;

/**
 * Starts the host detached from this process. The host gets none of this process's variables that conductors use, since each conductor gets
 * its client's. `self` is the command without arguments. Resolves with `ready` or the host's error output.
 */
export function startHost({ folder }: HostAddress, self = selfCommand()): Promise<string> {
  const { command, args, env } = self;
  const own = minimalEnvironment(process.env, { more: /^(?:SYMPOSIUM_\w+|NODE_EXTRA_CA_CERTS)$/ });
  const words = [...args, "host", "serve"];
  return startDetached({ command, args: words, env, cwd: folder }, { env: own, readyMs });
}
