import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The texts of core/reporters by file name, as JSON; the bundle puts them here, so that they are there wherever the command is. */
declare const SYMPOSIUM_REPORTERS: string | undefined;

function bundledReporters(): Readonly<Record<string, string>> {
  return typeof SYMPOSIUM_REPORTERS === "undefined"
    ? {}
    : (JSON.parse(SYMPOSIUM_REPORTERS) as Readonly<Record<string, string>>);
}

/** Our reporters as files, which runners load by path: written at the first run, gone at the end. */
export class ReporterFolder implements AsyncDisposable {
  #path: Promise<string> | undefined;

  /** `texts` by file name; those of the command by default. */
  constructor(private readonly texts = bundledReporters()) {}

  path(): Promise<string> {
    this.#path ??= this.#write();
    return this.#path;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const path = await this.#path?.catch(() => undefined);
    this.#path = undefined;
    if (path !== undefined) await rm(path, { recursive: true, force: true });
  }

  async #write(): Promise<string> {
    const path = await mkdtemp(join(tmpdir(), "symposium-reporters-"));
    await Promise.all(Object.entries(this.texts).map(([name, text]) => writeFile(join(path, name), text)));
    return path.replaceAll("\\", "/");
  }
}
