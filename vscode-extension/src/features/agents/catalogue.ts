import * as z from "zod/mini";
import type { SubcommandRunner } from "./subcommand-runner.js";

const text = z.exactOptional(z.string());

const machineSchema = z.object({
  program: text,
  programVersion: text,
  installed: text,
  /** Program that the user has to install separately. */
  missing: text,
  /** Requirement, as a phrase that follows "needs". */
  needs: text,
  /** Reason to assume that the user is signed in; absent if unknown. */
  signIn: text,
  downloadMegabytes: z.exactOptional(z.number()),
});
export type MachineFacts = Readonly<z.infer<typeof machineSchema>>;

const namedSchema = z.object({ id: z.string(), name: z.string(), description: text, version: text });
const listedSchema = z.array(z.looseObject({ ...namedSchema.shape, ...machineSchema.shape, origin: text }));

/** Agent or extension as listed by `symposium-acp-agent registry`. */
export interface ListedAgent extends Readonly<z.infer<typeof namedSchema>> {
  readonly isBuiltIn: boolean;
  readonly machine?: MachineFacts;
}

const iconsSchema = z.record(z.string(), z.string());

const warningMark = "registry: ";
const offline = "--offline";

/** Available agents and extensions. Asks the command once and caches the answer until `refresh`; never installs anything. */
export class Catalogue {
  /** Reasons why the registry couldn't be reached, one per line; undefined on success. */
  problem: string | undefined;
  #agents: Promise<readonly ListedAgent[]> | undefined;
  #extensions: Promise<readonly ListedAgent[]> | undefined;

  constructor(private readonly commandLine: SubcommandRunner) {}

  agents(): Promise<readonly ListedAgent[]> {
    this.#agents ??= this.#keep(this.#list("list"), () => (this.#agents = undefined));
    return this.#agents;
  }

  /** Returns the agents known without asking the registry: those on this machine and those in the cached list. */
  knownAgents(): Promise<readonly ListedAgent[]> {
    return this.#agents ?? this.#list("list", [offline]);
  }

  async pictures(): Promise<ReadonlyMap<string, string>> {
    const icons = await this.commandLine.json(["registry", "icons", "--json"], iconsSchema);
    const uri = (svg: string): string => `data:image/svg+xml;base64,${Buffer.from(svg).toString("base64")}`;
    return new Map(Object.entries(icons).map(([id, svg]) => [id, uri(svg)]));
  }

  extensions(): Promise<readonly ListedAgent[]> {
    this.#extensions ??= this.#keep(this.#list("list-extensions"), () => (this.#extensions = undefined));
    return this.#extensions;
  }

  /** Clears the cached lists. If `isFromRegistry`, also makes the command ask the registry again instead of using its own cache. */
  async refresh(isFromRegistry: boolean): Promise<void> {
    this.#agents = undefined;
    this.#extensions = undefined;
    if (isFromRegistry) await this.#list("list", ["--refresh"]);
  }

  async #list(verb: string, more: readonly string[] = []): Promise<readonly ListedAgent[]> {
    const problems: string[] = [];
    const onLine = (line: string): unknown => line.startsWith(warningMark) && problems.push(line);
    const listed = await this.commandLine.json(["registry", verb, "--json", ...more], listedSchema, { onLine });
    // An offline listing doesn't ask the registry, so it can't tell whether the registry is reachable.
    if (!more.includes(offline)) {
      this.problem =
        problems.length === 0 ? undefined : problems.map((line) => line.slice(warningMark.length)).join("\n");
    }
    return listed.map(toListed);
  }

  /** Failures aren't cached, so the next call tries again. */
  async #keep<T>(listed: Promise<T>, forget: () => void): Promise<T> {
    try {
      return await listed;
    } catch (error) {
      forget();
      throw error;
    }
  }
}

function toListed(entry: z.infer<typeof listedSchema>[number]): ListedAgent {
  const { version, origin } = entry;
  const machine = machineSchema.parse(entry);
  return {
    ...namedSchema.parse(entry),
    // Older commands don't send `origin`: registry entries have a version, built-in ones have none.
    isBuiltIn: origin === undefined ? version === undefined : origin === "built-in",
    ...(Object.keys(machine).length === 0 ? {} : { machine }),
  };
}
