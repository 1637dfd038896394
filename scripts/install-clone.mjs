// npm run install-clone: sets this machine up with what the clone builds. `--dry-run` shows it, `--uninstall` reverts it.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { product } from "./release/identity.mjs";
import { ensureBundled, fail, root, spawnArguments, toolEnvironment } from "./set-up.mjs";
import { findEditors } from "./install-clone/editors.mjs";
import { ownPrefix, pathNote } from "./install-clone/npm-prefix.mjs";
import { planSetup } from "./install-clone/plan.mjs";

const usage = `npm run install-clone -- --all | --acp | --vscode | --zed [--uninstall] [--dry-run]
  --acp         installs ${product.command} on PATH
  --vscode      installs the extension in each VS Code, VSCodium, Cursor and Windsurf on PATH
  --zed         adds the configured agent to Zed's settings
  --all         does all of the above
  --uninstall   reverts an installation
  --dry-run     prints the steps without running them`;

const wished = wishes();
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const editors = findEditors({ env: process.env, platform: process.platform });
const prefix = wished.acp || wished.all ? ownPrefix(process.env) : undefined;
const { steps, notes } = planSetup({
  wishes: { acp: wished.acp || wished.all, vscode: wished.vscode || wished.all, zed: wished.zed || wished.all },
  isUninstall: wished.uninstall,
  editors,
  root,
  version,
  product,
  prefix,
});
if (prefix !== undefined && !wished.uninstall) notes.push(...pathNote(prefix, process.env));

if (wished["dry-run"]) {
  for (const { title, words, undo } of steps) {
    console.log(`Step: ${title}\n  ${words.join(" ")}`);
    if (undo !== undefined) console.log(`  To revert: ${undo}`);
  }
} else {
  if (steps.length > 0) ensureBundled();
  const failed = steps.filter((step) => !done(step));
  for (const { title } of failed) console.error(`Failed: ${title}. See the output above.`);
  process.exitCode = failed.length === 0 ? 0 : 1;
}
for (const note of notes) console.log(note);

function wishes() {
  const flag = { type: "boolean", default: false };
  const options = { all: flag, acp: flag, vscode: flag, zed: flag, uninstall: flag, "dry-run": flag };
  try {
    const { values } = parseArgs({ options });
    if (values.all || values.acp || values.vscode || values.zed) return values;
  } catch (failure) {
    console.error(failure.message);
  }
  return fail(usage);
}

function done({ title, words: [program, ...args], undo, where }) {
  if (where !== undefined && !isWhere(where)) {
    console.log(`${title}: not installed`);
    return true;
  }
  console.log(title);
  const options = { cwd: root, env: toolEnvironment(), stdio: "inherit" };
  const { status } = spawnSync(...spawnArguments(program, args, options));
  if (status === 0 && undo !== undefined) console.log(`  To revert: ${undo}`);
  return status === 0;
}

/** Whether a step applies. If the program fails, assumes that the step applies, since the step then shows the error. */
function isWhere({ words: [program, ...args], line }) {
  const options = { cwd: root, env: toolEnvironment(), encoding: "utf8" };
  const { status, stdout } = spawnSync(...spawnArguments(program, args, options));
  return status !== 0 || stdout.split(/\r?\n/).some((text) => text.trim().toLowerCase() === line);
}
