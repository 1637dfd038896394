// node scripts/release/check-packages.mjs: verifies npm's signatures of the installed packages, and asks OSV whether a locked
// package, of npm or Cargo, is known to be vulnerable. Without a network it prints what it skips, and succeeds.
import { spawnSync } from "node:child_process";
import { fail, root, spawnArguments } from "../set-up.mjs";
import { lockedPurls } from "./locked-versions.mjs";
import { Offline, vulnerabilities } from "./vulnerabilities.mjs";

/** Vulnerabilities that do not concern this product, by id, with the reason. */
const accepted = {};

const words = ["audit", "signatures"];
const { status, stdout, stderr } = spawnSync(...spawnArguments("npm", words, { cwd: root, encoding: "utf8" }));
const output = `${stdout}${stderr}`;
const isOffline = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ENETUNREACH|ETIMEDOUT/.test(output);
if (isOffline) console.log("Signatures: skipped, because the registry cannot be reached.");
else if (status !== 0) fail(`npm audit signatures failed:\n${output}`);
else console.log(output.trim());

const purls = await lockedPurls(root);
try {
  const found = await vulnerabilities(purls, { accepted });
  if (found.length > 0) fail(`Known vulnerabilities:\n${found.join("\n")}`);
  console.log(`OSV knows no vulnerability of ${purls.length} packages.`);
} catch (error) {
  if (!(error instanceof Offline)) throw error;
  console.log(`Vulnerabilities: skipped. ${error.message}`);
}
