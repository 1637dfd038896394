import type { RunCommand } from "../../base/runs/run.js";
import { wordsFor } from "./test-script.js";

/** What is known of a project whose tests bun runs. */
interface BunProject {
  readonly folder: string;
  /** The words of its test script behind `bun test`. */
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

interface Selection {
  readonly paths: readonly string[];
  readonly filter?: string;
}

/** The command that runs the tests with the bun of the PATH. */
export function bunTestCommand({ folder, words, env }: BunProject, { paths, filter }: Selection): RunCommand {
  const chosen = { files: paths.length > 0, names: filter !== undefined };
  return {
    command: "bun",
    args: [
      "test",
      ...wordsFor("bun", words, chosen),
      ...(filter === undefined ? [] : ["--test-name-pattern", filter.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")]),
      // A word that does not look like a path is a part of one.
      ...paths.map((path) => (/^(?:[/\\.]|[A-Za-z]:)/.test(path) ? path : `./${path}`)),
    ],
    cwd: folder,
    env,
  };
}
