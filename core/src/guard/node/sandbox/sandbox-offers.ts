import { closeSync, existsSync, mkdirSync, openSync, rmSync } from "node:fs";
import { join } from "node:path";

/**
 * Remembers, across all editors, for which agents the user has seen the sandbox hint. Each agent is stored as an empty file in the folder
 * `guard` next to config.jsonc.
 */
export class SandboxOffers {
  readonly #folder: string;

  /** Creates no files. `config` is the folder of config.jsonc. */
  constructor(config: string) {
    this.#folder = join(config, "guard", "offered");
  }

  has(agent: string): boolean {
    return existsSync(this.#file(agent));
  }

  /**
   * Returns true for exactly one caller across all processes. Returns false if the file can't be written, since the hint would then appear
   * again and again.
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

  /** Undoes a claim if the hint wasn't shown. Never throws. */
  takeBack(agent: string): void {
    try {
      rmSync(this.#file(agent), { force: true });
    } catch {
      // Ignore the error: without write access, the hint isn't shown anyway.
    }
  }

  /** Returns the path of an agent's file. Encodes the agent's name, since users choose it. */
  #file(agent: string): string {
    return join(this.#folder, `sandbox-${encodeURIComponent(agent).replaceAll("*", "%2A").slice(0, 200)}`);
  }
}
