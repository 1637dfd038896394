import { join } from "node:path";
import { repositoryRoot } from "./repository.js";

/** The conductor as it is released: the bundled command. */
export const conductorProgram = join(repositoryRoot, "core", "dist", "bin", "symposium-acp-agent.mjs");

/** How it is started: with Node, or as the package that `SYMPOSIUM_TEST_COMMAND` names by its path. */
export const conductorWords: readonly string[] = released(process.env["SYMPOSIUM_TEST_COMMAND"]);

function released(program = conductorProgram): readonly string[] {
  return program.endsWith(".mjs") ? ["node", program] : [program];
}

/** The command line that puts the conductor with `proxies` (names, JSON or shell words) before the agent `agentWords`. */
export function throughConductor(agentWords: readonly string[], proxies: readonly string[] = []): readonly string[] {
  const chain = proxies.flatMap((proxy) => ["--proxy", proxy]);
  return [...conductorWords, "run-with", ...chain, "--agent", shellWords(agentWords)];
}

/** `words` as one line that a POSIX shell splits into the same words. */
export function shellWords(words: readonly string[]): string {
  return words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)).join(" ");
}
