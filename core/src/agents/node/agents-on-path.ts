import { type KnownAgent, knownAgents } from "../known-agents.js";
import { outerLookup } from "../../base/node/search-path-outside-project.js";
import { type CommandLookup, resolveCommand } from "../../base/node/resolve-command.js";

/** Agents to offer on this machine. Only looks up programs on PATH; starts and installs nothing. */
export function foundAgents(lookup: CommandLookup = outerLookup([process.cwd()])): readonly KnownAgent[] {
  return knownAgents((program) => resolveCommand(program, lookup) !== undefined);
}
