import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, writeFile } from "node:fs/promises";
import { connect, createServer, type AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { Child, runToEnd } from "./child.js";
import { installCommand, writeProgram } from "./installed-command.js";
import type { RunFolder } from "./run-folder.js";
import { commandEnvironment } from "./started-command.js";
import { poll } from "./until.js";

const limitMs = 30_000;
const server = "/usr/sbin/sshd";

/** Why no SSH server can be started here; undefined if one can. */
export function whyNoSshServer(): string | undefined {
  if (process.platform !== "linux") return "the test needs Linux";
  if (process.getuid?.() !== 0) return "only root can create a second user";
  if (!existsSync(server)) return "sshd isn't installed";
  return spawnSync("ssh", ["-V"]).status === 0 ? undefined : "ssh isn't installed";
}

/** An SSH server on loopback, with a second user who has Symposium. */
export class SshMachine {
  readonly on = "ssh:build";
  /** Command line of the process that carries a connection. */
  readonly connection = /^\/usr\/bin\/ssh /;

  private constructor(
    readonly user: string,
    readonly uid: number,
    readonly home: string,
    private readonly client: RunFolder,
  ) {}

  /** Starts the server. `client` is the folder of the user here, whose `ssh` then knows the host `build`. */
  static async start(stack: AsyncDisposableStack, client: RunFolder): Promise<SshMachine> {
    // Not in the run's own folder for temporary files, which other users can't enter.
    const root = await realpath(await mkdtemp("/tmp/symposium-ssh-"));
    stack.defer(() => rm(root, { recursive: true, force: true }));
    await chmod(root, 0o755);
    const user = `symposium${process.pid}`;
    const home = join(root, "home");
    run("useradd", "--create-home", "--home-dir", home, "--shell", "/bin/bash", "--password", "*", user);
    stack.defer(() => run("userdel", "--force", user));
    const { uid } = await stat(home);
    const machine = new SshMachine(user, uid, home, client);
    await installCommand(home);
    await mkdir(join(home, "project"));
    await writeFile(join(home, ".bashrc"), 'echo "Welcome to the build machine"\n');
    for (const name of await readdir(home, { recursive: true })) await chown(join(home, name), uid, uid);
    const port = await freePort();
    await machine.#configure(root, port);
    const words = [server, "-D", "-e", "-f", join(root, "sshd_config")];
    stack.use(new Child({ words, env: { PATH: process.env["PATH"] ?? "" }, cwd: root }));
    stack.defer(async () => {
      await machine.run("host", "stop");
      await poll(
        () => machine.processes(),
        (pids) => pids.length === 0,
        limitMs,
      );
    });
    await poll(
      () => canConnect(port),
      (is) => is,
      limitMs,
    );
    return machine;
  }

  /** Runs the command there over SSH, and resolves with its output. */
  async run(...words: readonly string[]): Promise<string> {
    const command = ["ssh", "build", ".local/bin/symposium-acp-agent", ...words];
    const options = { env: commandEnvironment(this.client), cwd: this.client.workspace };
    return (await runToEnd({ words: command, ...options }, limitMs)).stdout;
  }

  has(path: string): Promise<boolean> {
    return Promise.resolve(existsSync(path));
  }

  /** Processes of the user, without those of the SSH server. */
  async processes(): Promise<readonly number[]> {
    const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
    const own = await Promise.all(
      pids.map(async (pid) => {
        const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
        return status.includes(`\nUid:\t${this.uid}\t`) && !status.startsWith("Name:\tsshd\n") ? [Number(pid)] : [];
      }),
    );
    return own.flat();
  }

  async #configure(root: string, port: number): Promise<void> {
    const bin = join(this.client.root, "bin");
    await mkdir(bin, { recursive: true });
    await mkdir("/run/sshd", { recursive: true });
    for (const name of ["host_key", "user_key"])
      run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", join(root, name));
    const hostKey = await readFile(join(root, "host_key.pub"), "utf8");
    await writeFile(join(root, "known_hosts"), `[127.0.0.1]:${port} ${hostKey}`);
    const serverLines = [
      ...[`Port ${port}`, "ListenAddress 127.0.0.1", `HostKey ${root}/host_key`, "PidFile none", "UsePAM no"],
      ...[`AuthorizedKeysFile ${root}/user_key.pub`, "StrictModes no", "PasswordAuthentication no"],
    ];
    await writeFile(join(root, "sshd_config"), `${serverLines.join("\n")}\n`);
    const clientLines = [
      ...["Host build", "HostName 127.0.0.1", `Port ${port}`, `User ${this.user}`, `IdentityFile ${root}/user_key`],
      ...[`UserKnownHostsFile ${root}/known_hosts`, "StrictHostKeyChecking yes", "IdentitiesOnly yes"],
    ];
    const config = join(this.client.home, ".ssh", "config");
    await mkdir(dirname(config), { recursive: true });
    await writeFile(config, `${clientLines.join("\n")}\n`);
    // `ssh` ignores HOME.
    await writeProgram(join(bin, "ssh"), `exec /usr/bin/ssh -F ${config} "$@"`);
  }
}

function run(program: string, ...args: readonly string[]): void {
  const { status, stderr } = spawnSync(program, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${program} failed: ${stderr}`);
}

async function freePort(): Promise<number> {
  const listener = createServer().listen(0, "127.0.0.1");
  await once(listener, "listening");
  const { port } = listener.address() as AddressInfo;
  listener.close();
  return port;
}

function canConnect(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}
