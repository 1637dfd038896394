import { join } from "node:path";

/**
 * Plans the setup for the wishes `acp`, `vscode` and `zed`. Each step has a title and the words of a program, and may have the command
 * `undo` that reverts it. A step with `where` runs only if the program `where.words` prints the line `where.line`. Notes explain skipped
 * steps. `prefix` is npm's `--prefix`, if not the configured one.
 */
export function planSetup({ wishes, isUninstall, editors, root, version, product, prefix }) {
  const cli = join(root, "core/dist/bin", `${product.command}.mjs`);
  // A release that was packaged before stays where it is.
  const packages = join(root, "dist/setup");
  const archive = join(packages, `${product.command}-${version}.tgz`);
  const vsix = join(root, "vscode-extension/dist", `${product.id}-${version}.vsix`);
  const extensionId = `${product.publisher}.${product.id}`;
  const steps = [];
  const notes = [];
  const inPrefix = prefix === undefined ? [] : ["--prefix", prefix];
  const add = (title, words, more = {}) => steps.push({ title, words, ...more });

  if (wishes.acp && isUninstall) {
    add(`Remove ${product.command} from PATH`, ["npm", "uninstall", "--global", ...inPrefix, product.npmPackage]);
  } else if (wishes.acp) {
    const script = join(root, "scripts/release/package.mjs");
    add(`Package ${product.command}`, ["node", script, "--only", "npm", "--out", packages]);
    const undo = ["npm", "uninstall", "--global", ...inPrefix, product.npmPackage].join(" ");
    const install = ["npm", "install", "--global", ...inPrefix, "--no-audit", "--no-fund", archive];
    add(`Install ${product.command} on PATH`, install, { undo });
  }
  if (wishes.vscode && editors.length === 0) {
    const remedy = isUninstall ? "" : " Put your editor's command, such as `code`, on PATH, and run this again.";
    notes.push(`No VS Code, VSCodium, Cursor or Windsurf was found.${remedy}`);
  } else if (wishes.vscode) {
    if (!isUninstall) add("Package the extension", ["node", join(root, "scripts/package-extension.mjs")]);
    for (const { name, program } of editors) {
      const undo = [program, "--uninstall-extension", extensionId];
      const where = { words: [program, "--list-extensions"], line: extensionId };
      const install = [program, "--install-extension", vsix, "--force"];
      if (isUninstall) add(`Remove the extension from ${name}`, undo, { where });
      else add(`Install the extension in ${name}`, install, { undo: undo.join(" ") });
    }
  }
  if (wishes.zed) {
    const undo = `node ${cli} zed uninstall`;
    if (isUninstall) add("Remove Symposium from Zed's settings", ["node", cli, "zed", "uninstall"]);
    else add("Add Symposium to Zed's settings", ["node", cli, "zed", "install"], { undo });
  }
  return { steps, notes };
}
