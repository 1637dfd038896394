import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pathWith } from "../repository.js";
import type { RunFolder } from "../run-folder.js";
import type { AgentRecipe } from "./agent-recipe.js";

/** How to start an agent: its words, found on the PATH of `env`. */
interface AgentCommand {
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** The command of the agent installed in `binFolder`, against the model at `modelUrl`, with its files laid out in `folder`. */
export async function agentCommand(
  recipe: AgentRecipe,
  binFolder: string,
  folder: RunFolder,
  modelUrl: string,
): Promise<AgentCommand> {
  for (const [path, content] of Object.entries(recipe.files?.(modelUrl) ?? {})) {
    const file = join(folder.home, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  }
  return {
    words: [recipe.command, ...recipe.args],
    env: { ...folder.env, PATH: pathWith(binFolder), ...recipe.env(modelUrl) },
  };
}
