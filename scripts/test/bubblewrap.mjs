// Provides bubblewrap, which the sandbox tests need on Linux. Debian and Ubuntu have a package of it.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

const bare = [
  "--unshare-user",
  "--unshare-pid",
  "--unshare-net",
  "--ro-bind",
  "/",
  "/",
  "--proc",
  "/proc",
  "--dev",
  "/dev",
  "true",
];
const remedy = "Install it with `sudo apt install bubblewrap`.";

/**
 * Returns why no sandbox starts here; undefined if one does, or if the platform isn't Linux. If bubblewrap is missing and this process is
 * root on Debian or Ubuntu, announces the installation through `say` and installs bubblewrap with apt-get.
 */
export function whyNoBubblewrap({
  env = process.env,
  platform = process.platform,
  isRoot = process.getuid?.() === 0,
  isDebian = existsSync("/etc/debian_version"),
  say = console.log,
} = {}) {
  if (platform !== "linux") return undefined;
  const first = start(env);
  if (!first.isMissing) return first.why;
  if (!isDebian || !isRoot) return `bubblewrap (bwrap) is not installed. ${remedy}`;
  say("The tests of the sandbox need bubblewrap: apt-get installs the package, as this is root.");
  const apt = (...words) =>
    spawnSync("apt-get", words, { env: { ...env, DEBIAN_FRONTEND: "noninteractive" }, encoding: "utf8" });
  const install = () => apt("install", "--yes", "--no-install-recommends", "bubblewrap");
  const isInstalled = install().status === 0 || (apt("update").status === 0 && install().status === 0);
  const second = start(env);
  if (!second.isMissing) return second.why;
  return `bubblewrap (bwrap) is not installed, and apt-get ${isInstalled ? "did not bring it" : "failed to install it"}. ${remedy}`;
}

function start(env) {
  const { status, stderr, error } = spawnSync("bwrap", bare, { env, encoding: "utf8", timeout: 30_000 });
  if (error?.code === "ENOENT") return { isMissing: true };
  const said = error?.message ?? stderr.trim().split("\n", 1)[0];
  return { isMissing: false, why: status === 0 ? undefined : `bubblewrap starts no sandbox here: ${said}` };
}
