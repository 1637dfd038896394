import { spawnSync } from "node:child_process";
import { cp, mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { runToEnd } from "./child.js";
import { installCommand, writeProgram } from "./installed-command.js";
import type { RunFolder } from "./run-folder.js";
import { commandEnvironment } from "./started-command.js";

const limitMs = 60_000;
const engine = "/usr/bin/podman";

/** Why no container can be started here; undefined if one may. */
export function whyNoContainer(): string | undefined {
  if (process.platform !== "linux") return "the test needs Linux";
  if (process.getuid?.() !== 0) return "the test starts containers as root";
  return spawnSync(engine, ["--version"]).status === 0 ? undefined : "podman isn't installed";
}

/** A running container, `build`, whose root has a shell, Node and Symposium only. */
export class ContainerMachine {
  readonly on = "podman:build";
  readonly home = "/root";
  /** Command line of the process that carries a connection. */
  readonly connection = /^\/usr\/bin\/podman .* exec -i build /;

  private constructor(private readonly client: RunFolder) {}

  /** Starts the container. `client` is the folder of the user here, whose `podman` then knows the container. */
  static async start(stack: AsyncDisposableStack, client: RunFolder): Promise<ContainerMachine> {
    const root = await realpath(await mkdtemp(join(tmpdir(), "symposium-container-")));
    stack.defer(() => rm(root, { recursive: true, force: true }));
    const system = join(root, "system");
    await createSystem(system);
    const bin = join(client.root, "bin");
    await mkdir(bin, { recursive: true });
    const storage = `--root ${root}/storage --runroot ${root}/run --runtime runc --cgroup-manager cgroupfs`;
    await writeProgram(join(bin, "podman"), `exec ${engine} ${storage} "$@"`);
    const machine = new ContainerMachine(client);
    const limits = ["--ulimit", "nofile=1024:1024", "--ulimit", "nproc=1024:1024", "--network=host"];
    const main = ["/bin/node", "-e", "setInterval(() => {}, 1e6)"];
    stack.defer(async () => void (await machine.#podman("rm", "--force", "--time", "0", "build")));
    await machine.#podman("run", "--detach", "--name", "build", ...limits, "--rootfs", `${system}:O`, ...main);
    return machine;
  }

  /** Runs the command there, and resolves with its output. */
  run(...words: readonly string[]): Promise<string> {
    return this.#podman("exec", "build", "/root/.local/bin/symposium-acp-agent", ...words);
  }

  async has(path: string): Promise<boolean> {
    return (await this.#podman("exec", "build", "/bin/sh", "-c", `test -e ${path} && echo yes; true`)).includes("yes");
  }

  async #podman(...args: readonly string[]): Promise<string> {
    const options = { env: commandEnvironment(this.client), cwd: this.client.workspace };
    const { code, stdout, stderr } = await runToEnd(
      { words: [join(this.client.root, "bin", "podman"), ...args], ...options },
      limitMs,
    );
    if (code !== 0) throw new Error(`podman ${args[0] ?? ""} failed: ${stderr}`);
    return stdout;
  }
}

/** Creates the root folder: the shell and Node of this machine, with their libraries. */
async function createSystem(root: string): Promise<void> {
  const programs = { sh: await realpath("/bin/sh"), node: process.execPath };
  for (const name of ["proc", "sys", "dev", "tmp", "etc", "root/project"])
    await mkdir(join(root, name), { recursive: true });
  for (const [name, path] of Object.entries(programs)) await cp(path, join(root, "bin", name));
  const { stdout } = spawnSync("ldd", Object.values(programs), { encoding: "utf8" });
  for (const [library] of stdout.matchAll(/\/\S+\.so\S*/g)) {
    await mkdir(join(root, dirname(library)), { recursive: true });
    await cp(await realpath(library), join(root, library));
  }
  await writeFile(join(root, "etc", "passwd"), "root:x:0:0:root:/root:/bin/sh\n");
  await installCommand(join(root, "root"));
}
