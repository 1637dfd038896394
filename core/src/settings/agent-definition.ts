import { distribution } from "./distribution.js";
import type { Distribution } from "./distribution.js";
import { mapped, optional, record, required, text } from "./shape.js";
import type { Shape } from "./shape.js";

export interface AgentDefinition {
  readonly id: string;
  /** Display name; the id if none is given. */
  readonly name: string;
  readonly version?: string;
  readonly description?: string;
  readonly distribution: Distribution;
}

/** Allows unknown members, since registries add their own, such as icons and licenses. */
export const agentDefinition: Shape<AgentDefinition> = mapped(
  record(
    {
      id: required(text("Identifies it.")),
      name: optional(text("Display name.")),
      version: optional(text("Its version.")),
      description: optional(text("What it is.")),
      distribution: required(distribution),
    },
    { description: "An agent in registry format.", isOpen: true },
  ),
  (read) => ({ ...read, name: read.name ?? read.id }),
);
