import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import * as vscode from "vscode";

/**
 * Whether this VS Code can start terminals. A build that was installed without compiling its native parts cannot; no
 * terminal of it ever runs or ends.
 */
export function startsTerminals(): boolean {
  const pty = join(vscode.env.appRoot, "node_modules", "node-pty");
  const prebuilds = join(pty, "prebuilds");
  const platforms = existsSync(prebuilds) ? readdirSync(prebuilds).map((name) => join(prebuilds, name)) : [];
  return [join(pty, "build", "Release"), ...platforms].some((folder) => existsSync(join(folder, "pty.node")));
}
