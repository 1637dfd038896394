import { join } from "node:path";
import type { SelfCommand } from "./mcp-bridge/loopback-bridge.js";
import { configFolder, isSingleExecutable } from "./own-program.js";
import type { PackageStartOptions } from "./runners-outside-project.js";

export function selfCommand(): SelfCommand {
  const script = isSingleExecutable() ? undefined : process.argv[1];
  const isElectron = process.versions["electron"] !== undefined;
  return {
    command: process.execPath,
    args: script === undefined ? [] : [script],
    env: isElectron ? { ELECTRON_RUN_AS_NODE: "1" } : {},
  };
}

export function packageStartOptions(): PackageStartOptions {
  const folder = join(configFolder(), "packages");
  return { folder, self: selfCommand(), cwd: process.cwd() };
}
