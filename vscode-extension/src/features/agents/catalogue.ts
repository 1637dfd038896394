import * as z from "zod/mini";
import type { CommandLine } from "./command-line.js";

const text = z.exactOptional(z.string());

/** What the command knows of an agent on this machine; it looks at names of files and variables, and starts nothing. */
const machineSchema = z.object({
  /** Path of its program, where that is on PATH. */
  program: text,
  programVersion: text,
  /** The version that the command has installed. */
  installed: text,
  /** The program that the user has to get elsewhere. */
  missing: text,
  /** What the user must have, as a phrase that follows "needs". */
  needs: text,
  /** Why the user seems to be signed in; absent where that cannot be seen. */
  signIn: text,
  /** About what installing it downloads. */
  downloadMegabytes: z.exactOptional(z.number()),
});
export type MachineFacts = Readonly<z.infer<typeof machineSchema>>;

const namedSchema = z.object({ id: z.string(), name: z.string(), description: text, version: text });
const listedSchema = z.array(z.looseObject({ ...namedSchema.shape, ...machineSchema.shape, origin: text }));

/** An agent or extension as `symposium-acp-agent registry` lists it. */
export interface ListedAgent extends Readonly<z.infer<typeof namedSchema>> {
  readonly isBuiltIn: boolean;
  readonly machine?: MachineFacts;
}

const iconsSchema = z.record(z.string(), z.string());

/** What the command's lines about the registry begin with. */
const warningMark = "registry: ";
const offline = "--offline";

/** What can be chosen, asked of the command once and kept until `refresh`. Listing installs nothing. */
export class Catalogue {
  /** Why the registry could not be asked, a line each; undefined where it was. */
  problem: string | undefined;
  #agents: Promise<readonly ListedAgent[]> | undefined;
  #extensions: Promise<readonly ListedAgent[]> | undefined;

  constructor(private readonly commandLine: CommandLine) {}

  agents(): Promise<readonly ListedAgent[]> {
    this.#agents ??= this.#keep(this.#list("list"), () => (this.#agents = undefined));
    return this.#agents;
  }

  /** The agents that are known without asking the registry: those of this machine, and the list that was kept last. */
  knownAgents(): Promise<readonly ListedAgent[]> {
    return this.#agents ?? this.#list("list", [offline]);
  }

  /** The agents' icons from the registry, as data: URIs by id. */
  async pictures(): Promise<ReadonlyMap<string, string>> {
    const icons = await this.commandLine.json(["registry", "icons", "--json"], iconsSchema);
    const uri = (svg: string): string => `data:image/svg+xml;base64,${Buffer.from(svg).toString("base64")}`;
    return new Map(Object.entries(icons).map(([id, svg]) => [id, uri(svg)]));
  }

  extensions(): Promise<readonly ListedAgent[]> {
    this.#extensions ??= this.#keep(this.#list("list-extensions"), () => (this.#extensions = undefined));
    return this.#extensions;
  }

  /** Forgets what was listed, and asks the registry itself at the next look where `isFromRegistry`. */
  async refresh(isFromRegistry: boolean): Promise<void> {
    this.#agents = undefined;
    this.#extensions = undefined;
    if (isFromRegistry) await this.#list("list", ["--refresh"]);
  }

  async #list(verb: string, more: readonly string[] = []): Promise<readonly ListedAgent[]> {
    const problems: string[] = [];
    const onLine = (line: string): unknown => line.startsWith(warningMark) && problems.push(line);
    const listed = await this.commandLine.json(["registry", verb, "--json", ...more], listedSchema, { onLine });
    // Offline nobody was asked.
    if (!more.includes(offline)) {
      this.problem =
        problems.length === 0 ? undefined : problems.map((line) => line.slice(warningMark.length)).join("\n");
    }
    return listed.map(toListed);
  }

  /** A failure is not kept: the next look tries again. */
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
    // Of an older command: the registry's entries have versions, those inside the command have none.
    isBuiltIn: origin === undefined ? version === undefined : origin === "built-in",
    ...(Object.keys(machine).length === 0 ? {} : { machine }),
  };
}
