import { skipBecause } from "../test-scope.js";
import { installPackage } from "./install-package.js";
import type { Installation, PinnedPackage } from "./pinned-package.js";
import { scaledMs } from "../until.js";

const installLimitMs = 10 * 60_000;

/**
 * Installs a package before the tests of the enclosing suite. The returned function returns the folder of the package's command. If the
 * package can't be installed, it skips the test with the reason.
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
