import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { changeList, readList } from "../../../base/node/json-file.js";

/** Maximum number of entries; the oldest are dropped. */
const mostHidden = 5_000;

type HiddenSession = readonly [agent: string, session: string, standsFor?: string];

/**
 * Sessions to omit from lists although agents still list them, stored in the folder's `hidden.json`. If a hidden session continues a lost
 * session, the entry names the lost session.
 */
export class HiddenSessions {
  readonly #file: string;

  constructor(private readonly folder: string) {
    this.#file = join(folder, "hidden.json");
  }

  async of(agent: string): Promise<ReadonlySet<string>> {
    return new Set((await this.#read()).flatMap(([one, session]) => (one === agent ? [session] : [])));
  }

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
