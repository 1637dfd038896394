import type { AgentRow } from "../../agents/registry/agent-table.js";
import type { ContextSettings } from "../../settings/context-settings.js";
import { isExcluded } from "../../settings/context-exclusions.js";
import type { ContextSource } from "../contribution.js";
import { planRules, type PlannedRules } from "../planned-rules.js";
import { findRules, matchesGlobs } from "./found-rules.js";
import type { ContextPlaces } from "./places.js";

export interface SourceServices {
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
  /** Reads the user's current configuration. Never rejects. */
  readonly settings: () => Promise<ContextSettings>;
}

/**
 * Adds rule files that the agent doesn't read itself. Rules are plain text and execute nothing, so they are also added in untrusted
 * folders.
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
