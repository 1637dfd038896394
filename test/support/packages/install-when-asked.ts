import { installPackage, isInstalled } from "./install-package.js";
import type { Installation, PinnedPackage } from "./pinned-package.js";

/** Installs what is large and not always needed: only where it is there already, or SYMPOSIUM_TEST_ALL_AGENTS=1 asks for it. */
export function installWhenAsked(pinned: PinnedPackage): Promise<Installation> {
  if (process.env["SYMPOSIUM_TEST_ALL_AGENTS"] === "1" || isInstalled(pinned)) return installPackage(pinned);
  const reason = "not in the cache; SYMPOSIUM_TEST_ALL_AGENTS=1 installs it";
  return Promise.resolve({ kind: "unavailable", reason });
}
