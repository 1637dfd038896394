import { messageOf } from "../../../base/symposium-error.js";
import { findAgentCommand, readAgentText } from "../../../agents/node/find-agent.js";
import { plainText } from "../../../agents/registry/registry-entry.js";
import { defaultSettings } from "../../../settings/settings-table.js";
import { readSoundConfig } from "../../read-user-config.js";
import { assertAgentAllowed } from "../../organisation.js";
import { guardStatus } from "../../../guard/node/guard-status.js";
import { say, warn } from "../output.js";
import { subcommand } from "../subcommand.js";
import { brokenRulesRemedy } from "./rules.js";

const shownDecisions = 50;

export const status = subcommand({
  name: "guard status",
  about: "Show what agents may do in this folder: files, hosts, commands, tools, budgets.",
  arguments: { "[AGENT...]": "agents, as for run-with (default: the configured agent)" },
  options: {
    editor: { about: "for editors that start agents by run-with: ignore `guard` in config.jsonc" },
    json: { about: "print everything, with rules, last decisions and refused hosts, as one line of JSON" },
  },
  async run({ values, positionals }) {
    const config = values.editor === true ? undefined : await readSoundConfig("go-on");
    const configured = config?.agent?.name;
    const agents = positionals.length > 0 || configured === undefined ? positionals : [configured];
    const { guard: usual } = config?.settings ?? defaultSettings;
    const status = await guardStatus(agents, { folder: process.cwd(), usual, decisions: shownDecisions });
    const found = { ...status, agents: await Promise.all(status.agents.map(onlyAllowed)) };
    if (values.json === true) return say(JSON.stringify(found));
    for (const problem of found.problems) warn(plainText(problem, 4_000));
    if (found.problems.length > 0) warn(brokenRulesRemedy);
    if (agents.length === 0)
      return say("No agent is configured: name one, as in `symposium-acp-agent guard status codex`.");
    let isFailed = false;
    for (const one of found.agents) {
      if ("problem" in one) {
        warn(plainText(`${one.agent}: ${one.problem}`, 4_000));
        isFailed = true;
      } else {
        const from = one.place === undefined ? "" : ` (${one.place})`;
        await say(plainText(`${one.id}: ${one.level}${from}. ${one.summary}`, 4_000));
        for (const { title, text } of one.parts) await say(`  ${title}: ${plainText(text, 4_000)}`);
      }
    }
    return isFailed ? 1 : 0;
  },
});

type ShownAgent = Awaited<ReturnType<typeof guardStatus>>["agents"][number];

/** Replaces an agent that the organisation doesn't allow by the reason. */
async function onlyAllowed(shown: ShownAgent): Promise<ShownAgent> {
  if ("problem" in shown) return shown;
  const { agent } = shown;
  return findAgentCommand(readAgentText(agent))
    .then(assertAgentAllowed)
    .then(
      () => shown,
      (error: unknown) => ({ agent, problem: messageOf(error) }),
    );
}
