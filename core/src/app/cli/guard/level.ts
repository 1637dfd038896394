import { invalidArguments, SymposiumError } from "../../../base/symposium-error.js";
import { saveLevel } from "../../../guard/node/guard-edit.js";
import { probeSandbox } from "../../../guard/node/sandbox/probe.js";
import { configFolder } from "../../../settings/node/config-file.js";
import { plainText } from "../../../agents/registry/registry-entry.js";
import { protectionLevels } from "../../../base/safety/protection-level.js";
import { idOfAgent, rowOfAgent } from "../../../guard/node/protection-levels.js";
import { findNamedAgent, readAgentText } from "../../../agents/node/find-agent.js";
import { sandboxNotes } from "../../../guard/node/guard-status.js";
import { say, warn } from "../output.js";
import { subcommand } from "../subcommand.js";

export const level = subcommand({
  name: "guard level",
  about:
    "Set whether an agent follows your rules, runs in a sandbox, or neither, in every editor. Applies when the agent next starts.",
  arguments: {
    "<AGENT>": "the agent, as for run-with, or * for all agents without an entry",
    "<LEVEL>": "rules, sandbox, off, or default to remove the entry",
  },
  async run({ positionals: [agent = "", word] }) {
    const wanted = protectionLevels.find((one) => one === word);
    if (wanted === undefined && word !== "default") {
      throw invalidArguments(`${word ?? ""} isn't a protection level.`, "Give rules, sandbox, off, or default.");
    }
    const config = configFolder();
    const state = wanted === "sandbox" ? await probeSandbox(config) : undefined;
    if (state?.isThere === false) {
      throw new SymposiumError("sandbox-unavailable", `No sandbox is available: ${state.reason}.`, state.remedy);
    }
    const known = agent === "*" ? undefined : await findNamedAgent(readAgentText(agent));
    const id = known ? idOfAgent(known) : agent;
    await saveLevel(config, id, wanted);
    for (const note of state ? sandboxNotes(state, known && rowOfAgent(known)) : []) warn(plainText(note, 4_000));
    return say(plainText(`${id}: ${wanted ?? "default"}, from its next start.`));
  },
});
