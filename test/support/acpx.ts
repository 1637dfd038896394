import { join } from "node:path";
import { runToEnd, type Outcome } from "./child.js";
import { shellWords } from "./conductor-command.js";
import type { PinnedPackage } from "./packages/pinned-package.js";
import { pathWith } from "./repository.js";

/** A headless ACP client by other people. */
export const acpx: PinnedPackage = { package: "acpx", version: "0.19.1", command: "acpx", nodeMajor: 22 };

interface AcpxRun {
  /** Folder in which `acpx` is installed. */
  readonly binFolder: string;
  /** The agent's command line, or that of a conductor before it. */
  readonly words: readonly string[];
  /** The environment for both; its PATH finds the agent. */
  readonly env: Readonly<Record<string, string>>;
  readonly workspace: string;
  readonly prompt: string;
}

/** One prompt turn by `acpx`, with every permission granted: stdout is what a user would read. */
export function runAcpx({ binFolder, words, env, workspace, prompt }: AcpxRun, limitMs: number): Promise<Outcome> {
  const options = ["--approve-all", "--agent", shellWords(words)];
  const program = join(binFolder, acpx.command);
  const path = env["PATH"] ?? pathWith();
  return runToEnd(
    { words: [program, ...options, "exec", prompt], env: { ...env, PATH: path }, cwd: workspace },
    limitMs,
  );
}
