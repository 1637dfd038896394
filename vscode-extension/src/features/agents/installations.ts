import * as z from "zod/mini";
import type { AgentOffer } from "./agent-choices.js";
import type { ListedAgent } from "./catalogue.js";
import type { SubcommandRunner, RunOptions } from "./subcommand-runner.js";

export type ComponentKind = "agent" | "extension";

interface StartNeeds {
  readonly id: string;
  readonly name: string;
  /** False if the component starts without installation. */
  readonly needsInstallation: boolean;
  readonly what?: string;
  /** Reason why the component would fail on this machine, with a fix. */
  readonly warning?: string;
}

const installedSchema = z.object({
  kind: z.enum(["agent", "extension"]),
  id: z.string(),
  version: z.string(),
  pinned: z.exactOptional(z.string()),
  previous: z.exactOptional(z.string()),
});
export type InstalledComponent = Readonly<z.infer<typeof installedSchema>>;

const needsSchema = z.looseObject({
  id: z.string(),
  name: z.string(),
  needsInstallation: z.boolean(),
  what: z.optional(z.string()),
  size: z.optional(z.string()),
  warning: z.optional(z.string()),
});
const namedSchema = z.looseObject({ id: z.string() });

/** Installs, updates and removes components through the command, so that all editors share the same installations. */
export class Installations {
  constructor(private readonly commandLine: SubcommandRunner) {}

  list(): Promise<readonly InstalledComponent[]> {
    return this.commandLine.json(["registry", "installed", "--json"], z.array(installedSchema));
  }

  /** Returns the requirements without installing anything. `what` is an id, the URL of a description, or a description as JSON. */
  async needs(kind: ComponentKind, what: string): Promise<StartNeeds> {
    const needs = await this.commandLine.json(["registry", "plan", what, ...flagOf(kind), "--json"], needsSchema);
    const { id, name, needsInstallation, what: fetched, size, warning } = needs;
    if (fetched === undefined) return { id, name, needsInstallation };
    const words = size === undefined ? fetched : `${fetched}, ${size}`;
    return { id, name, needsInstallation, what: words, ...(warning !== undefined && { warning }) };
  }

  /**
   * Installs a component given by id, URL or JSON description, and returns its id. `options.onLine` receives progress; aborting leaves no
   * files behind.
   */
  async install(kind: ComponentKind, what: string, options: RunOptions): Promise<string> {
    const words = ["registry", "install", what, ...flagOf(kind), "--json"];
    return (await this.commandLine.json(words, namedSchema, options)).id;
  }

  async update(kind: ComponentKind, id: string, options: RunOptions): Promise<void> {
    await this.commandLine.run(["registry", "update", id, ...flagOf(kind), "--json"], options);
  }

  async rollback(kind: ComponentKind, id: string): Promise<void> {
    await this.commandLine.run(["registry", "rollback", id, ...flagOf(kind), "--json"]);
  }

  /** Pins the installed version, or unpins it if `version` is undefined. */
  async pin(kind: ComponentKind, id: string, version: string | undefined): Promise<void> {
    const words = version === undefined ? ["unpin", id] : ["pin", id, version];
    await this.commandLine.run(["registry", ...words, ...flagOf(kind), "--json"]);
  }

  async remove(kind: ComponentKind, id: string): Promise<void> {
    await this.commandLine.run(["registry", "remove", id, ...flagOf(kind), "--json"]);
  }
}

function flagOf(kind: ComponentKind): readonly string[] {
  return kind === "extension" ? ["--extension"] : [];
}

export interface Outdated {
  readonly kind: ComponentKind;
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly newest: string;
}

interface UpdateFacts {
  readonly installed: readonly InstalledComponent[];
  readonly agents: readonly Pick<AgentOffer, "id" | "name" | "version">[];
  readonly extensions: readonly Pick<ListedAgent, "id" | "name" | "version">[];
}

export function outdated({ installed, agents, extensions }: UpdateFacts): Outdated[] {
  return installed.flatMap(({ kind, id, version, pinned }) => {
    const listed = (kind === "agent" ? agents : extensions).find((one) => one.id === id);
    if (pinned !== undefined || listed?.version === undefined || !isNewer(listed.version, version)) return [];
    return [{ kind, id, name: listed.name, version, newest: listed.version }];
  });
}

export function outdatedLine({ name, version, newest }: Outdated): string {
  return `${name} ${version} → ${newest}`;
}

/** Returns whether `version` is newer than `than`. If either has no numbers, returns whether they differ. */
export function isNewer(version: string, than: string): boolean {
  const [a, b] = [numbersOf(version), numbersOf(than)];
  if (!a || !b) return version !== than;
  const at = a.findIndex((number, index) => number !== (b[index] ?? 0));
  if (at >= 0) return (a[at] ?? 0) > (b[at] ?? 0);
  // A release such as 1.0.0 is newer than its pre-release 1.0.0-beta.
  return !version.includes("-") && than.includes("-");
}

function numbersOf(version: string): readonly number[] | undefined {
  const [, numbers] = /^v?(\d+(?:\.\d+)*)/.exec(version) ?? [];
  const parts = numbers?.split(".").map(Number);
  return parts && [...parts, 0, 0].slice(0, Math.max(3, parts.length));
}
