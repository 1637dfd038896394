import { createInterface } from "node:readline/promises";
import { choiceIn } from "../agents/setup/choice.js";
import { foundAgents } from "../node/found-agents.js";
import { builtInNames } from "../start/configuration.js";
import { saveAgent } from "../start/setup-agent.js";
import { subcommand } from "./subcommand.js";

/** `setup`: lets the user choose an agent in this terminal and writes the configuration. Starts and installs nothing. */
export const setup = subcommand({
  name: "setup",
  about: "Choose an agent in this terminal and write the configuration. Starts and installs nothing.",
  run: chooseAgent,
});

async function chooseAgent(): Promise<number> {
  const agents = foundAgents();
  const list = agents.map(({ name, description, needs }, index) => {
    const needed = needs === undefined ? "" : ` (needs ${needs})`;
    return `  ${index + 1}. ${name}: ${description}${needed}\n`;
  });
  process.stdout.write(`Which agent would you like to use?\n\n${list.join("")}\n`);
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  lines.setPrompt(`Type a number (1-${agents.length}): `);
  lines.prompt();
  try {
    for await (const line of lines) {
      const agent = choiceIn(line, agents);
      if (agent) {
        const file = await saveAgent(agent);
        const extensions = builtInNames.length === 0 ? "" : ` with the extensions ${builtInNames.join(", ")}`;
        process.stdout.write(`Saved ${agent.name}${extensions} in ${file}.\n`);
        return 0;
      }
      process.stdout.write(`"${line}" is not one of them.\n`);
      lines.prompt();
    }
  } finally {
    lines.close();
  }
  process.stdout.write("\nNothing was saved.\n");
  return 1;
}
