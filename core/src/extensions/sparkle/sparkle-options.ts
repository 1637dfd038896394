import { asObject } from "../../base/rpc/json.js";

export const sparkleToolNames = [
  "session_checkpoint",
  "save_insight",
  "update_collaborator_profile",
  "fetch_profile_data",
  "load_evolution",
  "read_working_memory",
  "list_checkpoints",
  "read_checkpoint",
  "ignore_sparkle_space",
] as const;
export type SparkleToolName = (typeof sparkleToolNames)[number];

export interface SparkleOptions {
  readonly tools: ReadonlySet<SparkleToolName>;
  /** Whether memories are added to the first prompt of a new session. */
  readonly embodiment: boolean;
  /** Name of the agent. */
  readonly collaborator: string;
}

const defaultName = "Sparkle";
const longestName = 60;

/** Parses `{tools?: string[], embodiment?: boolean, collaborator?: string}`. Ignores invalid members and unknown tools. */
export function parseSparkleOptions(options: unknown): SparkleOptions {
  const { tools, embodiment, collaborator } = asObject(options) ?? {};
  const wanted: readonly unknown[] = Array.isArray(tools) ? tools : sparkleToolNames;
  const name = typeof collaborator === "string" ? collaborator.replace(/\s+/g, " ").trim() : "";
  return {
    tools: new Set(sparkleToolNames.filter((tool) => wanted.includes(tool))),
    embodiment: embodiment !== false,
    collaborator: name === "" || name.length > longestName ? defaultName : name,
  };
}
