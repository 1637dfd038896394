import { type KnownAgent, knownAgents } from "../agents/known-agents.js";
import { type CommandLookup, resolveCommand, systemLookup } from "./resolve-command.js";

/** The agents to offer on this machine. Only looks for programs on PATH; starts and installs nothing. */
export function foundAgents(lookup: CommandLookup = systemLookup()): readonly KnownAgent[] {
  return knownAgents((program) => resolveCommand(program, lookup) !== undefined);
}
