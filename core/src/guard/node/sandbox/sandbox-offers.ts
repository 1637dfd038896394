import { closeSync, existsSync, mkdirSync, openSync, rmSync } from "node:fs";
import { join } from "node:path";

/** For which agents users were told of the sandbox, in whichever editor: an empty file each, in `guard` beside config.jsonc. */
export class SandboxOffers {
  readonly #folder: string;

  /** `config` is the folder of config.jsonc. */
  constructor(config: string) {
    this.#folder = join(config, "guard", "offered");
  }

  has(agent: string): boolean {
    return existsSync(this.#file(agent));
  }

  /** True for one caller of all processes, ever; false where nothing can be written, since it would be told again and again. */
  claim(agent: string): boolean {
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      closeSync(openSync(this.#file(agent), "wx", 0o600));
      return true;
    } catch {
      return false;
    }
  }

  /** Nobody was told after all, so that somebody is next time. Never throws. */
  takeBack(agent: string): void {
    try {
      rmSync(this.#file(agent), { force: true });
    } catch {
      // As with a claim: where nothing can be written, nobody is told.
    }
  }

  /** Names of agents are the user's. */
  #file(agent: string): string {
    return join(this.#folder, `sandbox-${encodeURIComponent(agent).replaceAll("*", "%2A").slice(0, 200)}`);
  }
}
