import type { RunCommand } from "../../base/runs/run.js";
import { wordsFor } from "./test-script.js";

interface BunProject {
  readonly folder: string;
  /** Arguments that follow `bun test` in the test script. */
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
      // Prefix relative paths with `./`, since bun matches other arguments against any part of a path.
      ...paths.map((path) => (/^(?:[/\\.]|[A-Za-z]:)/.test(path) ? path : `./${path}`)),
    ],
    cwd: folder,
    env,
  };
}
