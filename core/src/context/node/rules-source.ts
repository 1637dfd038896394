import type { AgentRow } from "../../agents/registry/agent-table.js";
import type { ContextSettings } from "../../settings/context-settings.js";
import { isExcluded } from "../../settings/excluded.js";
import type { ContextSource } from "../contribution.js";
import { planRules, type PlannedRules } from "../planned-rules.js";
import { findRules, matchesGlobs } from "./found-rules.js";
import type { ContextPlaces } from "./places.js";

/** What the sources of this folder need of the world around them. */
export interface SourceServices {
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
  /** What the user's configuration says now. Never rejects. */
  readonly settings: () => Promise<ContextSettings>;
}

/**
 * Files with rules that the agent does not read itself. They are text and run nothing, so that folders which nobody trusts
 * have them too.
 */
export function rulesSource({ home, env, settings }: SourceServices): ContextSource {
  return {
    name: "rules",
    async open({ roots, row, project }) {
      const said = await settings();
      if (!said.rules) return {};
      const places = { roots, home, env, instructionFiles: project.instructionFiles };
      const { instructions, fileInstructions } = await plannedRules(places, row, said);
      return { instructions, fileInstructions };
    },
  };
}

/** The rules of a folder, as they are planned for an agent. */
export async function plannedRules(
  places: ContextPlaces,
  row: AgentRow | undefined,
  { maxRulesBytes, exclude }: ContextSettings,
): Promise<PlannedRules> {
  return planRules(await findRules(places), {
    agentId: row?.id,
    limit: maxRulesBytes,
    isExcluded: ({ title, path }) => isExcluded(exclude, [title], path, places.home),
    matches: matchesGlobs,
  });
}
