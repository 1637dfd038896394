import { distribution } from "./distribution.js";
import type { Distribution } from "./distribution.js";
import { mapped, optional, record, required, text } from "./shape.js";
import type { Shape } from "./shape.js";

/** An agent or proxy as registries and configurations describe it. */
export interface AgentDefinition {
  readonly id: string;
  /** For people; the id where none was given. */
  readonly name: string;
  readonly version?: string;
  readonly description?: string;
  readonly distribution: Distribution;
}

/** Open: registries add members of their own, such as icons and licences. */
export const agentDefinition: Shape<AgentDefinition> = mapped(
  record(
    {
      id: required(text("Identifies it.")),
      name: optional(text("Its name for people.")),
      version: optional(text("Its version.")),
      description: optional(text("What it is.")),
      distribution: required(distribution),
    },
    { description: "An agent as registries describe it.", isOpen: true },
  ),
  (read) => ({ ...read, name: read.name ?? read.id }),
);
