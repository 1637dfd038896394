import type { PinnedPackage } from "../packages/pinned-package.js";
import type { ScriptStep } from "../fake-model/script.js";

/** How one real coding agent is run against the fake model: without credentials, and without the internet. */
export interface AgentRecipe extends PinnedPackage {
  readonly name: string;
  /** After the command. */
  readonly args: readonly string[];
  readonly env: (modelUrl: string) => Readonly<Record<string, string>>;
  /** Files that have to exist, by their path in the home folder. */
  readonly files?: (modelUrl: string) => Readonly<Record<string, string>>;
  /** The authentication method to choose before the first session. */
  readonly authMethod?: string;
  /** The session mode in which the agent asks before the tool call of `createsFile`, when it does not start in it. */
  readonly mode?: string;
  /** The session mode in which MCP tools run without a review by a model, when it does not start in it. */
  readonly mcpMode?: string;
  /** A model's step that makes the agent, after a permission request, create `path` with a line of text. */
  readonly createsFile: (path: string) => ScriptStep;
}
