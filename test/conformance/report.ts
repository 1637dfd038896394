import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { repositoryRoot } from "../support/repository.js";
import type { Tier } from "./requirement.js";

type Verdict = "pass" | "fail";

interface Entry {
  readonly tier: Tier;
  readonly title: string;
  /** By the name of the target. */
  readonly targets: Record<string, Verdict>;
}

/** Machine-readable verdicts by requirement and target. */
export class ConformanceReport {
  readonly #entries = new Map<string, Entry>();

  /** Runs one check and notes its verdict; a failure is thrown on. */
  async noting(
    { id, tier, title }: { readonly id: string; readonly tier: Tier; readonly title: string },
    target: string,
    check: () => Promise<void>,
  ): Promise<void> {
    const entry = this.#entries.get(id) ?? { tier, title, targets: {} };
    this.#entries.set(id, entry);
    entry.targets[target] = "fail";
    await check();
    entry.targets[target] = "pass";
  }

  /** Writes `test-output/conformance.json`: `[{id, tier, title, targets: {NAME: "pass" | "fail"}}]`, by id. */
  async write(): Promise<void> {
    const file = join(repositoryRoot, "test-output", "conformance.json");
    const entries = [...this.#entries].map(([id, entry]) => ({ id, ...entry }));
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, `${JSON.stringify(entries, null, 2)}\n`);
  }
}
