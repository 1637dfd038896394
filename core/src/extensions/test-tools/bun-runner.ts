import type { RunCommand } from "../../base/runs/run.js";
import { wordsFor } from "./test-script.js";

interface BunProject {
  readonly folder: string;
  /** Arguments of the test script after `bun test`. */
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

interface Selection {
  readonly paths: readonly string[];
  readonly filter?: string;
}

/** Returns the command that runs tests with the `bun` on the PATH. */
export function bunTestCommand({ folder, words, env }: BunProject, { paths, filter }: Selection): RunCommand {
  const chosen = { files: paths.length > 0, names: filter !== undefined };
  return {
    command: "bun",
    args: [
      "test",
      ...wordsFor("bun", words, chosen),
      ...(filter === undefined ? [] : ["--test-name-pattern", filter.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")]),
      // Bun matches an argument without a path separator as part of a path.
      ...paths.map((path) => (/^(?:[/\\.]|[A-Za-z]:)/.test(path) ? path : `./${path}`)),
    ],
    cwd: folder,
    env,
  };
}
