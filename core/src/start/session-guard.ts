import { homedir } from "node:os";
import type { Proxy } from "../conductor/proxy.js";
import { guardProxy } from "../guard/guard-proxy.js";
import { GuardFiles } from "../guard/node/guard-files.js";
import { GuardLog } from "../guard/node/guard-log.js";
import { configFolder } from "../node/config-file.js";

/** Holds the agent of a chain to the rules of guard.jsonc: the user's, and those of the session's repository. */
export function sessionGuard(): Proxy {
  const [home, config] = [homedir(), configFolder(process.env, homedir())];
  const files = new GuardFiles(config, home);
  const log = new GuardLog(config);
  return guardProxy({
    home,
    rulesFor: (cwd) => files.rulesFor(cwd),
    // The parsers of commands and patterns are read when there are rules.
    judge: async (...given) => (await import("../guard/node/judged-call.js")).judgedCall(...given),
    record: (record) => log.add(record),
    now: () => new Date(),
  });
}
