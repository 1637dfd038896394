// npm start: talk, in the terminal, to the configured agent through the conductor.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { ensureBundled, root } from "./set-up.mjs";

ensureBundled();
const command = join(root, "core/dist/bin/symposium-acp-agent.mjs");
const child = spawn(process.execPath, [command, "chat", ...process.argv.slice(2)], {
  cwd: process.env.INIT_CWD ?? process.cwd(),
  stdio: "inherit",
});
// The terminal signals the whole group: the child decides what Ctrl-C means.
process.on("SIGINT", () => undefined);
process.on("SIGTERM", () => child.kill("SIGTERM"));
child.on("exit", (code, signal) => process.exit(signal ? 1 : (code ?? 1)));
