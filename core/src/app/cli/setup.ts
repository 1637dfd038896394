import { createInterface } from "node:readline/promises";
import type { KnownAgent } from "../../agents/known-agents.js";
import { choiceIn } from "../../agents/setup/read-choice.js";
import { foundAgents } from "../../agents/node/agents-on-path.js";
import { defaultExtensions } from "../../extensions/extension-names.js";
import { saveAgent } from "../setup-agent.js";
import { canChoose, chooseOne } from "./choices.js";
import { subcommand } from "./subcommand.js";

/** `setup`: asks for an agent in the terminal and writes the configuration. Starts and installs nothing. */
export const setup = subcommand({
  name: "setup",
  about: "Choose an agent and write the configuration. Starts and installs nothing.",
  run: chooseAgent,
});

const question = "Which agent would you like to use?";

async function chooseAgent(): Promise<number> {
  const agents = foundAgents();
  if (canChoose()) {
    const options = agents.map((agent) => {
      const { name, description, needs } = agent;
      return { value: agent, label: name, hint: needs === undefined ? description : `${description}; needs ${needs}` };
    });
    const agent = await chooseOne(question, options);
    return agent ? save(agent) : nothingSaved();
  }
  const list = agents.map(({ name, description, needs }, index) => {
    const needed = needs === undefined ? "" : ` (needs ${needs})`;
    return `  ${index + 1}. ${name}: ${description}${needed}\n`;
  });
  process.stdout.write(`${question}\n\n${list.join("")}\n`);
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  lines.setPrompt(`Type a number (1-${agents.length}): `);
  lines.prompt();
  try {
    for await (const line of lines) {
      const agent = choiceIn(line, agents);
      if (agent) return await save(agent);
      process.stdout.write(`"${line}" isn't in the list.\n`);
      lines.prompt();
    }
  } finally {
    lines.close();
  }
  return nothingSaved();
}

async function save(agent: KnownAgent): Promise<number> {
  const file = await saveAgent(agent);
  process.stdout.write(`Saved ${agent.name} with the extensions ${defaultExtensions.join(", ")} in ${file}.\n`);
  return 0;
}

function nothingSaved(): number {
  process.stdout.write("\nNothing was saved.\n");
  return 1;
}
