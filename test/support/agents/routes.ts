import { conductorWords, shellWords, throughConductor } from "../conductor-command.js";
import type { Route } from "./agent-session.js";

/** The client starts the agent itself: shows what the agent does without us. */
export const direct: Route = { name: "directly", words: (agentWords) => agentWords };

/** The client starts the conductor, which starts the agent. */
export const conducted: Route = { name: "through the conductor", words: (agentWords) => throughConductor(agentWords) };

/** The conductor starts the agent in a sandbox. Codex takes its key from a variable that only its command line can pass on. */
export const sandboxed: Route = {
  name: "in a sandbox",
  words: (agentWords) => {
    const agent = `FAKE_KEY=fake ${shellWords(agentWords)}`;
    return [...conductorWords, "run-with", "--guard", "sandbox", "--agent", agent];
  },
};
