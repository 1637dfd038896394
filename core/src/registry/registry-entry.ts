import type { AgentDefinition } from "../settings/agent-definition.js";

/** `built-in`: ships with the product. `registry`: published by others. `custom`: written by the user. */
export type EntryOrigin = "built-in" | "registry" | "custom";

/** An agent or extension that can be chosen. */
export interface RegistryEntry extends AgentDefinition {
  readonly origin: EntryOrigin;
  /** Its program is on PATH, which is preferred to installing what is published. */
  readonly isOnPath?: true;
  /** https addresses. */
  readonly repository?: string;
  readonly website?: string;
  readonly icon?: string;
  readonly license?: string;
  readonly authors?: readonly string[];
  /** The version that its publisher offers for trying out; never chosen by itself. */
  readonly previewVersion?: string;
}

/** The two kinds of entries: agents, and the proxies that extend them. */
export type EntryKind = "agent" | "extension";
