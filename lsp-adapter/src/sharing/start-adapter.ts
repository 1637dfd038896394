import { spawn } from "node:child_process";
import { dirname } from "node:path";
import { type LspAdapterOptions, SymposiumError } from "@symposium-dev/core";

/** How long the process may take until the workspace is served. */
const startMs = 20_000;

/**
 * Starts an adapter process that stays when this one ends, and waits until the workspace is served, by it or by one that another
 * session started at the same time. Rejects with `ide-operation-failed`.
 */
export async function startAdapter({ folder, self, settings }: LspAdapterOptions, logFile: string): Promise<void> {
  const child = spawn(self.command, [...self.args, "lsp", "--folder", folder], {
    env: { ...process.env, ...self.env },
    cwd: dirname(logFile),
    detached: true,
    stdio: ["pipe", "pipe", "pipe"],
    windowsHide: true,
  });
  let said = "";
  const answered = new Promise<string>((resolve) => {
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      if (chunk.includes("ready")) resolve("ready");
    });
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => (said = (said + chunk).slice(-2_000)));
    child.once("error", (error) => resolve(error.message));
    child.once("close", (code) => resolve(said.trim() || `it ended with exit code ${code ?? "unknown"}`));
  });
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on("error", () => undefined);
  child.stdin.end(settings === undefined ? "" : JSON.stringify(settings));
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>(
    (resolve) => (timer = setTimeout(resolve, startMs, `no sign of it in ${startMs / 1000} s`)),
  );
  const answer = await Promise.race([answered, late]);
  clearTimeout(timer);
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
  child.unref();
  if (answer === "ready") return;
  throw new SymposiumError(
    "ide-operation-failed",
    `The language-server adapter did not start: ${answer}`,
    `See ${logFile}.`,
  );
}
