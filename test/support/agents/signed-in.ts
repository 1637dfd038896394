import type { AgentRecipe } from "./agent-recipe.js";

const quiet = { general: { enableAutoUpdate: false }, privacy: { usageStatisticsEnabled: false } };

/** An agent as its users have it: signed in already, and finding the tools of MCP servers in its own way. */
export function signedIn(recipe: AgentRecipe): AgentRecipe {
  const env = (modelUrl: string) =>
    Object.fromEntries(Object.entries(recipe.env(modelUrl)).filter(([name]) => name !== "ENABLE_TOOL_SEARCH"));
  if (recipe.name === "gemini") return { ...recipe, env, files: settings(".gemini", "gemini-api-key") };
  return recipe.name === "qwen" ? { ...recipe, env, files: settings(".qwen", "openai") } : { ...recipe, env };
}

function settings(folder: string, selectedType: string): () => Readonly<Record<string, string>> {
  return () => ({ [`${folder}/settings.json`]: JSON.stringify({ ...quiet, security: { auth: { selectedType } } }) });
}
