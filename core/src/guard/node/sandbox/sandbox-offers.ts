import { closeSync, existsSync, mkdirSync, openSync, rmSync } from "node:fs";
import { join } from "node:path";

/** Remembers agents whose users have seen the sandbox hint, across all editors. Each is an empty file in `guard` beside config.jsonc. */
export class SandboxOffers {
  readonly #folder: string;

  /** `config` is the folder of config.jsonc. */
  constructor(config: string) {
    this.#folder = join(config, "guard", "offered");
  }

  has(agent: string): boolean {
    return existsSync(this.#file(agent));
  }

  /**
   * Returns true for exactly one caller across all processes. Returns false if the file can't be written, since the hint would repeat
   * forever.
   */
  claim(agent: string): boolean {
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      closeSync(openSync(this.#file(agent), "wx", 0o600));
      return true;
    } catch {
      return false;
    }
  }

  /** Undoes a claim whose hint wasn't shown. Never throws. */
  takeBack(agent: string): void {
    try {
      rmSync(this.#file(agent), { force: true });
    } catch {
      // Without write access, no hint is shown.
    }
  }

  /** Encodes the name, since users choose agent names. */
  #file(agent: string): string {
    return join(this.#folder, `sandbox-${encodeURIComponent(agent).replaceAll("*", "%2A").slice(0, 200)}`);
  }
}
