import * as z from "zod/mini";
import type { CommandLine } from "./command-line.js";

/** An agent or extension as `symposium-acp-agent registry` lists it. */
export interface ListedAgent {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  readonly version?: string;
  readonly isBuiltIn: boolean;
}

const listedSchema = z.array(
  z.looseObject({
    id: z.string(),
    name: z.string(),
    description: z.optional(z.string()),
    version: z.optional(z.string()),
  }),
);

/** What the command's lines about the registry begin with. */
const warningMark = "registry: ";

/** What can be chosen, asked of the command once and kept until `refresh`. Listing installs nothing. */
export class Catalogue {
  readonly #commandLine: CommandLine;
  /** Why the registry could not be asked, a line each; undefined where it was. */
  problem: string | undefined;
  #agents: Promise<readonly ListedAgent[]> | undefined;
  #extensions: Promise<readonly ListedAgent[]> | undefined;

  constructor(commandLine: CommandLine) {
    this.#commandLine = commandLine;
  }

  agents(): Promise<readonly ListedAgent[]> {
    this.#agents ??= this.#keep(this.#list("list"), () => (this.#agents = undefined));
    return this.#agents;
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
    const listed = await this.#commandLine.json(["registry", verb, "--json", ...more], listedSchema, { onLine });
    this.problem =
      problems.length === 0 ? undefined : problems.map((line) => line.slice(warningMark.length)).join("\n");
    return listed.map(({ id, name, description, version }) => ({
      id,
      name,
      ...(description === undefined ? {} : { description }),
      ...(version === undefined ? {} : { version }),
      // The registry's entries have versions, those inside the command have none.
      isBuiltIn: version === undefined,
    }));
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
