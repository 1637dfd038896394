import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { Child, type ChildOptions, type Outcome, runToEnd } from "../support/child.js";
import { conductorWords } from "../support/conductor-command.js";
import { repositoryRoot } from "../support/repository.js";
import type { RunFolder } from "../support/run-folder.js";
import { commandEnvironment, configFileOf, createCommandFolder } from "../support/started-command.js";

const limitMs = 120_000;
const programs = join(repositoryRoot, "core", "dist", "testing", "node");
const systems = ["darwin", "linux", "windows"].flatMap((system) => [`${system}-aarch64`, `${system}-x86_64`]);

/** A program of an archive, by the scripted program that it starts and the words added to its own. */
interface ArchivedProgram {
  readonly main: "agent-main.js" | "proxy-main.js";
  readonly args?: readonly string[];
}

type Answer = Buffer | ((response: ServerResponse) => void);

/** A user's folder, and a registry on this machine whose list a test decides. */
export class RegistryStage implements AsyncDisposable {
  /** Paths that were asked for, in order. */
  readonly requests: string[] = [];
  readonly #answers = new Map<string, Answer>();
  readonly #server = createServer(({ url = "" }, response) => {
    this.requests.push(url);
    const answer = this.#answers.get(url);
    if (typeof answer === "function") answer(response);
    else response.writeHead(answer ? 200 : 404).end(answer);
  });

  private constructor(readonly folder: RunFolder) {}

  static async open(stack: AsyncDisposableStack): Promise<RegistryStage> {
    const stage = stack.use(new RegistryStage(stack.use(await createCommandFolder())));
    await new Promise<void>((resolve) => stage.#server.listen(0, "127.0.0.1", resolve));
    await stage.configure({});
    stage.publish({});
    return stage;
  }

  /** The variables that make other commands use this user's folder. */
  get env(): Readonly<Record<string, string>> {
    return { SYMPOSIUM_CONFIG_DIR: this.configFolder };
  }

  get configFolder(): string {
    return join(configFileOf(this.folder), "..");
  }

  /** Writes config.jsonc with these members beside the registry's address. */
  async configure(members: object): Promise<void> {
    const registry = { registryUrl: this.#address("/list"), registryFallbackUrl: "" };
    await writeFile(configFileOf(this.folder), JSON.stringify({ ...registry, ...members }));
  }

  /** Sets what the registry lists. */
  publish(list: { readonly agents?: readonly object[]; readonly extensions?: readonly object[] }): void {
    this.#answers.set("/list", Buffer.from(JSON.stringify({ version: "1.0.0", agents: [], ...list })));
  }

  /** An entry whose archive has one program, a script; the server has it from now on. */
  async entry(id: string, version: string, { main, args = [] }: ArchivedProgram): Promise<object> {
    const script = `process.argv.push(...${JSON.stringify(args)});
await import(${JSON.stringify(pathToFileURL(join(programs, main)).href)});\n`;
    return this.entryWith(id, version, await this.#archive(`${id}-${version}`, `#!/usr/bin/env node\n${script}`));
  }

  /** An entry whose archive is what `answer` sends. */
  entryWith(id: string, version: string, answer: Answer): object {
    const path = `/${id}-${version}.tar.gz`;
    this.#answers.set(path, answer);
    const build = { archive: this.#address(path), cmd: "./program.mjs" };
    const distribution = { binary: Object.fromEntries(systems.map((system) => [system, build])) };
    return { id, name: id, version, description: `The ${id}`, distribution };
  }

  /** Nothing answers any more. */
  async goOffline(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  run(...words: readonly string[]): Promise<Outcome> {
    return runToEnd(this.#command(words), limitMs);
  }

  start(...words: readonly string[]): Child {
    return new Child(this.#command(words));
  }

  /** Runs a command that succeeds and returns its single line of JSON. */
  async json(...words: readonly string[]): Promise<unknown> {
    const { code, stdout, stderr } = await this.run(...words, "--json");
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^[^\n]+\n$/);
    return JSON.parse(stdout);
  }

  /** Names in the folder of what is installed, locks aside. */
  async installedNames(): Promise<readonly string[]> {
    const names = await readdir(join(this.configFolder, "bin")).catch(() => []);
    return names.filter((name) => !name.startsWith(".")).sort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.goOffline();
  }

  async #archive(name: string, script: string): Promise<Buffer> {
    const folder = join(this.folder.root, name);
    await mkdir(folder);
    await writeFile(join(folder, "program.mjs"), script, { mode: 0o755 });
    const archive = `${folder}.tar.gz`;
    await promisify(execFile)("tar", ["-czf", `${name}.tar.gz`, "-C", name, "program.mjs"], { cwd: this.folder.root });
    await rm(folder, { recursive: true });
    return readFile(archive);
  }

  #command(words: readonly string[]): ChildOptions {
    const command = [...conductorWords, ...words];
    return { words: command, env: commandEnvironment(this.folder), cwd: this.folder.workspace };
  }

  #address(path: string): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${path}`;
  }
}
