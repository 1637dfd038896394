import { spawnSync } from "node:child_process";
import { skipAllBecause } from "./test-scope.js";

/** Arguments for a minimal sandbox. Ubuntu 24.04 and many containers have bubblewrap, but deny it the namespaces. */
const bareSandbox = [
  ...["--unshare-user", "--unshare-pid", "--unshare-net", "--ro-bind", "/", "/"],
  ...["--proc", "/proc", "--dev", "/dev", "true"],
];

/** Skips the tests of the suite whose `before` hook is running where no sandbox starts, and says why with each. */
export function needsSandbox(context: Mocha.Context): void {
  const { status, error, stderr } = spawnSync("bwrap", bareSandbox, { encoding: "utf8", timeout: 30_000 });
  if (status === 0) return;
  const isMissing = error !== undefined && "code" in error && error.code === "ENOENT";
  if (isMissing) skipAllBecause(context, "bubblewrap is missing: apt install bubblewrap");
  skipAllBecause(context, `bubblewrap starts no sandbox here: ${error?.message ?? stderr.trim()}`);
}
