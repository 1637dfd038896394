import { skipBecause } from "../test-scope.js";
import { installPackage } from "./install-package.js";
import type { Installation, PinnedPackage } from "./pinned-package.js";
import { scaledMs } from "../until.js";

const installLimitMs = 10 * 60_000;

/**
 * Installs a package before the tests of the enclosing suite. What it returns gives a test the folder of the
 * package's command, or skips the test with the reason why there is none.
 */
export function usePackage(pinned: PinnedPackage): (context: Mocha.Context) => string {
  let installation: Installation = { kind: "unavailable", reason: "not installed yet" };
  before(async function () {
    this.timeout(scaledMs(installLimitMs));
    installation = await installPackage(pinned);
  });
  return (context) =>
    installation.kind === "installed" ? installation.binFolder : skipBecause(context, installation.reason);
}
