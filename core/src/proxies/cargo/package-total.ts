import type { CargoCommand, CargoServices } from "./services.js";

/** Counting packages takes cargo well under a second; a machine that is busy gets more time. */
const timeoutMs = 30_000;

/**
 * How many packages a build is made of, which cargo is asked beside the build and without the network. Disposing ends
 * the question.
 */
export class PackageTotal implements AsyncDisposable {
  readonly #end = new AbortController();
  #asked: Promise<void> | undefined;
  #packages: number | undefined;

  /** `command` is a `cargo tree` with a package a line. */
  constructor(
    private readonly services: Pick<CargoServices, "run">,
    private readonly command: CargoCommand,
  ) {}

  /** Undefined until cargo has answered, and where it cannot. */
  get packages(): number | undefined {
    return this.#packages;
  }

  /** Asks, the first time it is called; resolves, and never rejects, with the answer there or known not to come. */
  ask(): Promise<void> {
    this.#asked ??= this.#count();
    return this.#asked;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.abort();
    await this.#asked;
  }

  async #count(): Promise<void> {
    let listed = "";
    const output = (text: string): void => void (listed += text);
    const exit = await this.services.run(this.command, { signal: this.#end.signal, timeoutMs, output });
    if (exit.code === 0 && exit.endedBy === undefined) this.#packages = distinctPackages(listed);
  }
}

/** A package stands in a tree once for each way to it, marked by `(*)` where its branches were shown before. */
function distinctPackages(tree: string): number {
  return new Set(tree.split("\n").flatMap((line) => /^\S+ v\d\S*/.exec(line)?.[0] ?? [])).size;
}
