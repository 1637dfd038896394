import { throughConductor } from "../conductor-command.js";
import type { Route } from "./agent-session.js";

/** The client starts the agent itself: shows what the agent does without us. */
export const direct: Route = { name: "directly", words: (agentWords) => agentWords };

/** The client starts the conductor, which starts the agent. */
export const conducted: Route = { name: "through the conductor", words: (agentWords) => throughConductor(agentWords) };
