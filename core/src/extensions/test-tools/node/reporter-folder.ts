import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Contents of core/reporters by file name, as JSON. The bundler inlines them, so that they are available wherever the command is installed.
 */
declare const SYMPOSIUM_REPORTERS: string | undefined;

function bundledReporters(): Readonly<Record<string, string>> {
  return typeof SYMPOSIUM_REPORTERS === "undefined"
    ? {}
    : (JSON.parse(SYMPOSIUM_REPORTERS) as Readonly<Record<string, string>>);
}

/** Writes Symposium's reporters to files, since runners load them by path. Writes on the first run; disposing deletes the files. */
export class ReporterFolder implements AsyncDisposable {
  #path: Promise<string> | undefined;

  /**
   * Creates the folder object without writing files. `texts` are the reporters by file name; by default, those bundled with the command.
   */
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
