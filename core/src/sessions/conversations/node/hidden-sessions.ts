import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { changeList, readList } from "../../../base/node/json-file.js";

/** The oldest ones go. */
const mostHidden = 5_000;

type HiddenSession = readonly [agent: string, session: string, standsFor?: string];

/**
 * Sessions that agents still list and lists are not to show: `hidden.json` in the folder of the conversations. Of one in which an
 * agent goes on with a conversation that it had lost, it says which.
 */
export class HiddenSessions {
  readonly #file: string;

  constructor(private readonly folder: string) {
    this.#file = join(folder, "hidden.json");
  }

  async of(agent: string): Promise<ReadonlySet<string>> {
    return new Set((await this.#read()).flatMap(([one, session]) => (one === agent ? [session] : [])));
  }

  /** The session of `agent` that stands for one that it had lost; the last one that does. */
  async standIn(agent: string, session: string): Promise<string | undefined> {
    return (await this.#read()).findLast(([one, , standsFor]) => one === agent && standsFor === session)?.[1];
  }

  async add(agent: string, session: string, standsFor?: string): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    const added = [agent, session, ...(standsFor === undefined ? [] : [standsFor])];
    await changeList(this.#file, (known) => {
      const others = known.filter(isHidden).filter((one) => one[0] !== agent || one[1] !== session);
      return [...others, added].slice(-mostHidden);
    });
  }

  async #read(): Promise<readonly HiddenSession[]> {
    const known = await readList(this.#file);
    return known === "damaged" ? [] : known.filter(isHidden);
  }
}

function isHidden(value: unknown): value is HiddenSession {
  return (
    Array.isArray(value) &&
    (value.length === 2 || value.length === 3) &&
    value.every((word) => typeof word === "string")
  );
}
