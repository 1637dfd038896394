import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { runToEnd } from "./child.js";
import { conductorWords, shellWords } from "./conductor-command.js";
import { arrayOf, type JsonObject, objectOf } from "./json.js";
import type { RunFolder } from "./run-folder.js";
import { writeProgram } from "./installed-command.js";
import { commandEnvironment, createCommandFolder } from "./started-command.js";
import { survivingProcesses } from "./surviving-processes.js";

const limitMs = 60_000;

/** A folder that plays another machine: with its own configuration and the released command on its PATH. */
export class OtherMachine {
  private constructor(readonly folder: RunFolder) {}

  static async create(stack: AsyncDisposableStack): Promise<OtherMachine> {
    const folder = stack.use(await createCommandFolder(JSON.stringify({ agent: "eliza", proxies: [] })));
    const machine = new OtherMachine(folder);
    await mkdir(join(folder.root, "bin"));
    const [program = "", ...args] = conductorWords;
    await writeProgram(
      machine.command,
      `exec ${shellWords([program === "node" ? process.execPath : program, ...args])} "$@"`,
    );
    const variables = Object.entries(commandEnvironment(folder)).map(([name, value]) => `${name}=${value}`);
    const start = `cd ${shellWords([folder.home])}\nexec env -i ${shellWords(variables)} "$@"`;
    await writeProgram(machine.entrance, `echo "Welcome!"\n${start}`);
    stack.defer(async () => {
      await machine.run("host", "stop");
      await survivingProcesses(folder.root);
    });
    return machine;
  }

  /** Runs the words after it on the machine, as `docker exec -i NAME` does. */
  get entrance(): string {
    return join(this.folder.root, "enter");
  }

  get command(): string {
    return join(this.folder.root, "bin", "symposium-acp-agent");
  }

  /** Runs the command on the machine, and resolves with its output. */
  async run(...words: readonly string[]): Promise<string> {
    const options = { env: commandEnvironment(this.folder), cwd: this.folder.home };
    return (await runToEnd({ words: [...conductorWords, ...words], ...options }, limitMs)).stdout;
  }

  async sessions(): Promise<readonly JsonObject[]> {
    return arrayOf(objectOf(JSON.parse(await this.run("host", "status", "--json")))["sessions"]).map(objectOf);
  }
}
