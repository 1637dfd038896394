import { type KnownAgent, knownAgents } from "../agents/known-agents.js";
import { outerLookup } from "./outer-path.js";
import { type CommandLookup, resolveCommand } from "./resolve-command.js";

/** The agents to offer on this machine. Only looks for programs on PATH; starts and installs nothing. */
export function foundAgents(lookup: CommandLookup = outerLookup([process.cwd()])): readonly KnownAgent[] {
  return knownAgents((program) => resolveCommand(program, lookup) !== undefined);
}
